import sys

keys = []
for i in range(1000000):
    keys.append("key number " + str(i))

def fill():
    m = {}
    for i in range(1000000):
        m[keys[i]] = i
    print(len(m))

for r in range(int(sys.argv[1])):
    fill()
