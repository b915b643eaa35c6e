# Shell sort of integers: array reads and writes in inner loops.
N = 220000


def sort(a):
    gap = len(a) // 2
    while gap > 0:
        for i in range(gap, len(a)):
            v = a[i]
            j = i
            while j >= gap and a[j - gap] > v:
                a[j] = a[j - gap]
                j -= gap
            a[j] = v
        gap = gap // 2


def main():
    a = []
    x = 42
    for i in range(N):
        x = (x * 1103515245 + 12345) % 2147483648
        a.append(x)
    sort(a)
    check = 0
    for i in range(1, N):
        if a[i - 1] > a[i]:
            print("not sorted")
        check = (check * 31 + a[i]) % 1000003
    print(check)


main()
