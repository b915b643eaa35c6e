import sys

def fill():
    m = {}
    for i in range(1000000):
        m[i] = i
    print(len(m))

for r in range(int(sys.argv[1])):
    fill()
