-- The Mandelbrot set: arithmetic and comparisons of floats.
local SIZE = 600
local LIMIT = 60

local function escapes(cx, cy)
    local x = 0.0
    local y = 0.0
    for n = 0, LIMIT - 1 do
        local xx = x * x
        local yy = y * y
        if xx + yy > 4.0 then return n end
        y = 2.0 * x * y + cy
        x = xx - yy + cx
    end
    return LIMIT
end

local inside = 0
local total = 0
for row = 0, SIZE - 1 do
    local cy = 2.0 * row / SIZE - 1.0
    for column = 0, SIZE - 1 do
        local cx = 3.0 * column / SIZE - 2.0
        local n = escapes(cx, cy)
        total = total + n
        if n == LIMIT then inside = inside + 1 end
    end
end
print(inside .. " " .. total)
