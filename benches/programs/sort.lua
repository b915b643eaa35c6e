-- Shell sort of integers: array reads and writes in inner loops.
local N = 220000

local function sort(a)
    local gap = #a // 2
    while gap > 0 do
        for i = gap + 1, #a do
            local v = a[i]
            local j = i
            while j > gap and a[j - gap] > v do
                a[j] = a[j - gap]
                j = j - gap
            end
            a[j] = v
        end
        gap = gap // 2
    end
end

local a = {}
local x = 42
for i = 1, N do
    x = (x * 1103515245 + 12345) % 2147483648
    a[#a + 1] = x
end
sort(a)
local check = 0
for i = 2, N do
    if a[i - 1] > a[i] then print("not sorted") end
    check = (check * 31 + a[i]) % 1000003
end
print(check)
