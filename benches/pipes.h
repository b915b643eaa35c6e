/* A program at the other end of two pipes, and the times of what is done with it. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* What was read and not taken yet. */
static char in[1 << 20];
static size_t filled;
static int from, to;

/* Starts a program; its arguments end with NULL. */
static void start(char **argv) {
    int there[2], back[2];
    if (pipe(there) || pipe(back)) exit(1);
    if (fork() == 0) {
        dup2(there[0], 0);
        dup2(back[1], 1);
        close(there[1]);
        close(back[0]);
        execv(argv[0], argv);
        _exit(127);
    }
    close(there[0]);
    close(back[1]);
    to = there[1];
    from = back[0];
}

/* Reads more. */
static void read_more(void) {
    ssize_t n = read(from, in + filled, sizeof in - filled);
    if (n <= 0) {
        fputs("the program has ended\n", stderr);
        exit(1);
    }
    filled += n;
}

/* Takes bytes that were read. */
static void take(size_t length) {
    memmove(in, in + length, filled -= length);
}

static void send_all(const char *text, size_t length) {
    while (length > 0) {
        ssize_t n = write(to, text, length);
        if (n < 0) exit(1);
        text += n;
        length -= n;
    }
}

/* Does something again and again, and prints how long each took, in nanoseconds, one a line. */
static void time_each(long count, void (*exchange)(void)) {
    long *times = malloc(count * sizeof *times);
    for (long i = 0; i < count; i++) {
        struct timespec begin, end;
        clock_gettime(CLOCK_MONOTONIC, &begin);
        exchange();
        clock_gettime(CLOCK_MONOTONIC, &end);
        times[i] = (end.tv_sec - begin.tv_sec) * 1000000000L + end.tv_nsec - begin.tv_nsec;
    }
    for (long i = 0; i < count; i++) printf("%ld\n", times[i]);
}
