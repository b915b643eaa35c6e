# Scanning a text by characters: words, vowels and palindromes.
COPIES = 100000


def is_palindrome(text, begin, end):
    i = begin
    j = end - 1
    while i < j:
        if text[i] != text[j]:
            return False
        i += 1
        j -= 1
    return True


def main():
    text = "a level of noon and radar was seen by anna " * COPIES
    words = 0
    vowels = 0
    palindromes = 0
    begin = 0
    for i in range(len(text)):
        c = text[i]
        if c == "a" or c == "e" or c == "i" or c == "o" or c == "u":
            vowels += 1
        if c == " ":
            if i > begin:
                words += 1
                if is_palindrome(text, begin, i):
                    palindromes += 1
            begin = i + 1
    print(f"{words} {vowels} {palindromes}")


main()
