/* Times round trips over pipes: starts a program, sends it what stands on standard input, and then a
   line, again and again, each time once the answer to the last one has come.

   usage: trips COUNT MARK SKIP LINE PROGRAM [ARGUMENTS]
   An answer is a line that contains MARK; SKIP of them come before the first trip is timed. Prints the
   times, in nanoseconds, one a line. */
#include "pipes.h"

static const char *mark;
static char line[4096];

/* Takes lines until one has the mark. */
static void wait_for_mark(void) {
    for (;;) {
        char *end;
        while ((end = memchr(in, '\n', filled))) {
            size_t length = end + 1 - in;
            int found = memmem(in, length, mark, strlen(mark)) != NULL;
            take(length);
            if (found) return;
        }
        read_more();
    }
}

static void exchange(void) {
    send_all(line, strlen(line));
    wait_for_mark();
}

int main(int argc, char **argv) {
    if (argc < 6) return 2;
    long count = atol(argv[1]), skip = atol(argv[3]);
    mark = argv[2];
    snprintf(line, sizeof line, "%s\n", argv[4]);
    start(argv + 5);
    static char setup[65536];
    send_all(setup, fread(setup, 1, sizeof setup, stdin));
    if (skip > 0) wait_for_mark();
    for (long i = 1; i < skip; i++) exchange();
    time_each(count, exchange);
    return 0;
}
