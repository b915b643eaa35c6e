/* Times round trips over pipes: starts a program, sends it what stands on standard input, and then a
   line, again and again, each time once the answer to the last one has come.

   usage: trips COUNT MARK SKIP LINE PROGRAM [ARGUMENTS]
   An answer is a line that contains MARK; SKIP of them come before the first trip is timed. Prints the
   times, in nanoseconds, one a line. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static char in[1 << 20];
static size_t filled;
static int from, to;

/* Takes lines until one has the mark. */
static void wait_for(const char *mark) {
    for (;;) {
        char *end;
        while ((end = memchr(in, '\n', filled))) {
            size_t length = end + 1 - in;
            int found = memmem(in, length, mark, strlen(mark)) != NULL;
            memmove(in, end + 1, filled -= length);
            if (found) return;
        }
        ssize_t n = read(from, in + filled, sizeof in - filled);
        if (n <= 0) {
            fputs("the program has ended\n", stderr);
            exit(1);
        }
        filled += n;
    }
}

static void send_all(const char *text, size_t length) {
    while (length > 0) {
        ssize_t n = write(to, text, length);
        if (n < 0) exit(1);
        text += n;
        length -= n;
    }
}

int main(int argc, char **argv) {
    if (argc < 6) return 2;
    long count = atol(argv[1]), skip = atol(argv[3]);
    char line[4096], setup[65536];
    int length = snprintf(line, sizeof line, "%s\n", argv[4]);
    int there[2], back[2];
    if (pipe(there) || pipe(back)) return 1;
    if (fork() == 0) {
        dup2(there[0], 0);
        dup2(back[1], 1);
        close(there[1]);
        close(back[0]);
        execv(argv[5], argv + 5);
        _exit(127);
    }
    to = there[1];
    from = back[0];
    close(there[0]);
    close(back[1]);
    send_all(setup, fread(setup, 1, sizeof setup, stdin));
    for (long i = 0; i < skip; i++) {
        if (i > 0) send_all(line, length);
        wait_for(argv[2]);
    }
    long *times = malloc(count * sizeof *times);
    for (long i = 0; i < count; i++) {
        struct timespec begin, end;
        clock_gettime(CLOCK_MONOTONIC, &begin);
        send_all(line, length);
        wait_for(argv[2]);
        clock_gettime(CLOCK_MONOTONIC, &end);
        times[i] = (end.tv_sec - begin.tv_sec) * 1000000000 + end.tv_nsec - begin.tv_nsec;
    }
    for (long i = 0; i < count; i++) printf("%ld\n", times[i]);
    return 0;
}
