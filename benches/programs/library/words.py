import sys

words = []
for i in range(1000000):
    words.append("word" + str(i % 5000))
for r in range(int(sys.argv[1])):
    text = " ".join(words)
    parts = text.split(" ")
    print(len(text), len(parts))
