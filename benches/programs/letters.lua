-- Scanning a text by characters: words, vowels and palindromes.
local COPIES = 100000
local byte = string.byte

local function is_palindrome(text, first, last)
    local i = first
    local j = last
    while i < j do
        if byte(text, i) ~= byte(text, j) then return false end
        i = i + 1
        j = j - 1
    end
    return true
end

local text = string.rep("a level of noon and radar was seen by anna ", COPIES)
local words = 0
local vowels = 0
local palindromes = 0
local first = 1
for i = 1, #text do
    local c = byte(text, i)
    if c == 97 or c == 101 or c == 105 or c == 111 or c == 117 then vowels = vowels + 1 end
    if c == 32 then
        if i > first then
            words = words + 1
            if is_palindrome(text, first, i - 1) then palindromes = palindromes + 1 end
        end
        first = i + 1
    end
end
print(words .. " " .. vowels .. " " .. palindromes)
