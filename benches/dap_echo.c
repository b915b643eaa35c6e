/* Answers requests of the Debug Adapter Protocol with messages that are always the same, of the length that those
   of an adapter have: the floor of what an editor waits for at each step. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char in[1 << 16], out[1 << 16];
static size_t filled;
static int seq, length;

static void add(const char *body) {
    length += snprintf(out + length, sizeof out - length, "Content-Length: %zu\r\n\r\n%s", strlen(body), body);
}

static void answer(const char *request, const char *command, const char *body) {
    char text[4096];
    long to = atol(strstr(request, "\"seq\":") + 6);
    snprintf(text, sizeof text, "{\"seq\":%d,\"type\":\"response\",\"request_seq\":%ld,\"success\":true,\"command\":\"%s\"%s}",
             ++seq, to, command, body);
    add(text);
}

static void stopped(void) {
    char text[512];
    snprintf(text, sizeof text, "{\"seq\":%d,\"type\":\"event\",\"event\":\"stopped\",\"body\":{\"reason\":\"step\",\"description\":"
             "\"Stepped to line 8\",\"threadId\":1,\"allThreadsStopped\":true}}", ++seq);
    add(text);
}

static const char *const ANSWERS[][2] = {
    {"initialize", ",\"body\":{}"},
    {"launch", ""},
    {"configurationDone", ""},
    {"next", ""},
    {"threads", ",\"body\":{\"threads\":[{\"id\":1,\"name\":\"main\"}]}"},
    {"stackTrace", ",\"body\":{\"stackFrames\":[{\"id\":101,\"name\":\"main\",\"source\":{\"name\":\"loop.ez\",\"path\":"
                   "\"/tmp/folder-of-it/loop.ez\"},\"line\":8,\"column\":9,\"endLine\":8,\"endColumn\":15,\"moduleId\":\"main\"}],\"totalFrames\":1}"},
    {"scopes", ",\"body\":{\"scopes\":[{\"name\":\"Locals\",\"variablesReference\":102,\"namedVariables\":1,\"expensive\":false,"
               "\"presentationHint\":\"locals\"},{\"name\":\"Globals\",\"variablesReference\":103,\"namedVariables\":0,\"expensive\":false}]}"},
    {"variables", ",\"body\":{\"variables\":[{\"name\":\"n\",\"value\":\"1\",\"type\":\"int\",\"evaluateName\":\"n\",\"variablesReference\":0}]}"},
};

int main(void) {
    for (;;) {
        char *end = memmem(in, filled, "\r\n\r\n", 4);
        size_t head = end ? end + 4 - in : 0, size = end ? atol(in + strlen("Content-Length: ")) : 0;
        if (!end || filled < head + size) {
            ssize_t n = read(0, in + filled, sizeof in - 1 - filled);
            if (n <= 0) return 0;
            filled += n;
            continue;
        }
        char body[8192];
        memcpy(body, in + head, size);
        body[size] = 0;
        memmove(in, in + head + size, filled -= head + size);
        length = 0;
        for (size_t i = 0; i < sizeof ANSWERS / sizeof *ANSWERS; i++) {
            char mark[64];
            snprintf(mark, sizeof mark, "\"command\":\"%s\"", ANSWERS[i][0]);
            if (strstr(body, mark)) {
                answer(body, ANSWERS[i][0], ANSWERS[i][1]);
                if (i == 2 || i == 3) stopped();
                break;
            }
        }
        if (write(1, out, length) != length) return 1;
    }
}
