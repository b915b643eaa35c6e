/* Times what an editor does at each step: `next`, its response and `stopped`, then `threads`, `stackTrace`,
   `scopes` and `variables`, each sent when the one before is answered.

   usage: dap_trips COUNT FILE PROGRAM [ARGUMENTS]
   Starts the adapter PROGRAM and launches FILE with it, which has to go on for COUNT steps. Prints the times, in
   nanoseconds, one a line. */
#include "pipes.h"

static int seq;

/* The next message, ended by a zero. */
static char *message(void) {
    static char body[1 << 20];
    for (;;) {
        char *end = memmem(in, filled, "\r\n\r\n", 4);
        if (end) {
            size_t length = atol(in + strlen("Content-Length: ")), head = end + 4 - in;
            if (filled >= head + length) {
                memcpy(body, in + head, length);
                body[length] = 0;
                take(head + length);
                return body;
            }
        }
        read_more();
    }
}

static void request(const char *command, const char *arguments) {
    char body[4096], framed[4200];
    int length = snprintf(body, sizeof body, "{\"seq\":%d,\"type\":\"request\",\"command\":\"%s\",\"arguments\":%s}",
                          ++seq, command, arguments);
    int all = snprintf(framed, sizeof framed, "Content-Length: %d\r\n\r\n%s", length, body);
    send_all(framed, all);
}

/* Takes messages until one has all of the marks. */
static char *wait_for(const char *mark, const char *other) {
    for (;;) {
        char *text = message();
        if (strstr(text, mark) && (!other || strstr(text, other))) return text;
    }
}

static long number(const char *text, const char *name) {
    const char *found = strstr(text, name);
    return found ? atol(found + strlen(name)) : 0;
}

static void exchange(void) {
    char arguments[128];
    request("next", "{\"threadId\":1}");
    wait_for("\"event\":\"stopped\"", NULL);
    request("threads", "{}");
    wait_for("\"command\":\"threads\"", NULL);
    request("stackTrace", "{\"threadId\":1,\"startFrame\":0,\"levels\":20}");
    long frame = number(wait_for("\"command\":\"stackTrace\"", NULL), "\"id\":");
    snprintf(arguments, sizeof arguments, "{\"frameId\":%ld}", frame);
    request("scopes", arguments);
    long locals = number(strstr(wait_for("\"command\":\"scopes\"", NULL), "Locals"), "\"variablesReference\":");
    snprintf(arguments, sizeof arguments, "{\"variablesReference\":%ld}", locals);
    request("variables", arguments);
    wait_for("\"command\":\"variables\"", NULL);
}

int main(int argc, char **argv) {
    if (argc < 4) return 2;
    start(argv + 3);
    char launch[2048];
    request("initialize", "{\"adapterID\":\"ez\",\"supportsVariableType\":true}");
    snprintf(launch, sizeof launch, "{\"program\":\"%s\",\"stopOnEntry\":true}", argv[2]);
    request("launch", launch);
    request("configurationDone", "{}");
    wait_for("\"event\":\"stopped\"", NULL);
    for (int i = 0; i < 200; i++) exchange();
    time_each(atol(argv[1]), exchange);
    return 0;
}
