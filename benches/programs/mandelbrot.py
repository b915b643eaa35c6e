# The Mandelbrot set: arithmetic and comparisons of floats.
SIZE = 600
LIMIT = 60


def escapes(cx, cy):
    x = 0.0
    y = 0.0
    for n in range(LIMIT):
        xx = x * x
        yy = y * y
        if xx + yy > 4.0:
            return n
        y = 2.0 * x * y + cy
        x = xx - yy + cx
    return LIMIT


def main():
    inside = 0
    total = 0
    for row in range(SIZE):
        cy = 2.0 * row / SIZE - 1.0
        for column in range(SIZE):
            cx = 3.0 * column / SIZE - 2.0
            n = escapes(cx, cy)
            total += n
            if n == LIMIT:
                inside += 1
    print(f"{inside} {total}")


main()
