/* Answers each line with one of the length of a `stopped` event: the floor of a step's round trip. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(void) {
    static char in[65536], out[256];
    memset(out, 'x', sizeof out);
    out[119] = '\n';
    ssize_t n;
    while ((n = read(0, in, sizeof in)) > 0)
        for (ssize_t i = 0; i < n; i++)
            if (in[i] == '\n' && write(1, out, 120) < 0) return 1;
    return 0;
}
