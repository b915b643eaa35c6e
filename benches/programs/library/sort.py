import sys

numbers = []
x = 12345
for i in range(1000000):
    x = (x * 1103515245 + 12345) % 2147483648
    numbers.append(x)
for r in range(int(sys.argv[1])):
    ordered = list(numbers)
    ordered.sort()
    print(ordered[0], ordered[999999])
