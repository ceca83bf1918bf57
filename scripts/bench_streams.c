// Many clients of live streams in one process: what scripts/bench-streams measures with.
//
//   bench_streams HOST PORT KEY PATH COUNT
//
// KEY is a service's, which names the users u0, u1 and so on, one for each stream; - for nobody. Commands come on standard input, a line each:
//   open N      opens streams until N are open and have had their first event; says how long that took
//   drop        closes all at once, remembering the last event of each
//   resume      opens all again with Last-Event-ID; says how long that took until each had its first event
//   mark        the time from which changes of a map are measured
//   stats       what came since the last time: how many, how late, how many twice, how many connections were refused
//   wait N MS   waits until N notifications came in all, at most MS milliseconds
//   quit
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { LINE = 4096, AHEAD = 512, TOLD = 4000000 };

struct stream {
    int fd, sent, opened, used;
    char line[LINE];
    char event[24];
    long long id, last;
    long events;
};

static struct stream *streams;
static int count, epoll, connecting, ready;
static struct sockaddr_in address;
static const char *host, *path, *key;
static double marked;
static double latencies[TOLD];
static long told, doubled, refused;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static void begin(struct stream *s) {
    s->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    if (s->fd < 0) { perror("socket"); exit(1); }
    s->sent = s->opened = s->used = 0;
    s->event[0] = 0;
    s->id = 0;
    // More than one address of this machine: each has ports for thirty thousand connections.
    struct sockaddr_in from = {.sin_family = AF_INET};
    from.sin_addr.s_addr = htonl(0x7f000002 + (uint32_t)(s - streams) % 8);
    bind(s->fd, (struct sockaddr *)&from, sizeof from);
    if (connect(s->fd, (struct sockaddr *)&address, sizeof address) < 0 && errno != EINPROGRESS) { perror("connect"); exit(1); }
    struct epoll_event e = {.events = EPOLLIN | EPOLLOUT, .data.ptr = s};
    epoll_ctl(epoll, EPOLL_CTL_ADD, s->fd, &e);
    connecting++;
}

static double created(const char *data) {
    const char *found = strstr(data, "\"created_at\":\"");
    if (!found) return 0;
    struct tm t = {0};
    const char *rest = strptime(found + 14, "%Y-%m-%dT%H:%M:%S", &t);
    double ms = 0;
    if (rest && *rest == '.') ms = atof(rest) * 1e3;
    return timegm(&t) * 1e3 + ms;
}

static void take(struct stream *s, char *line) {
    if (!strncmp(line, "id: ", 4)) {
        s->id = atoll(line + 4);
    } else if (!strncmp(line, "event: ", 7)) {
        snprintf(s->event, sizeof s->event, "%s", line + 7);
    } else if (!strncmp(line, "data: ", 6)) {
        s->events++;
        if (!s->opened) { s->opened = 1; connecting--; ready++; }
        int isChange = !strcmp(s->event, "changed");
        if (isChange || !strcmp(s->event, "notification")) {
            if (!isChange && s->id <= s->last) doubled++;
            double at = isChange ? marked : created(line);
            if (told < TOLD) latencies[told] = now() - at;
            told++;
        }
        if (s->id > s->last) s->last = s->id;
    }
}

static void close_stream(struct stream *s) {
    if (s->fd < 0) return;
    close(s->fd);
    s->fd = -1;
    if (s->opened) ready--; else connecting--;
    s->opened = 0;
}

static void serve(struct stream *s, unsigned events) {
    if (!s->sent && events & EPOLLOUT) {
        char request[4096];
        char last[64] = "";
        if (s->last) snprintf(last, sizeof last, "Last-Event-ID: %lld\r\n", s->last);
        char authorization[2048] = "";
        if (strcmp(key, "-")) {
            snprintf(authorization, sizeof authorization, "Authorization: Bearer %s\r\nWaymark-User: u%d\r\n", key,
                     (int)(s - streams));
        }
        int n = snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: %s\r\n%s%sAccept: text/event-stream\r\n\r\n", path, host, authorization, last);
        if (write(s->fd, request, n) != n) { perror("write"); exit(1); }
        s->sent = 1;
        struct epoll_event e = {.events = EPOLLIN, .data.ptr = s};
        epoll_ctl(epoll, EPOLL_CTL_MOD, s->fd, &e);
    }
    if (!(events & (EPOLLIN | EPOLLHUP | EPOLLERR))) return;
    for (;;) {
        ssize_t n = read(s->fd, s->line + s->used, LINE - 1 - s->used);
        if (n < 0 && errno == EAGAIN) return;
        if (n <= 0) { if (s->fd >= 0) { refused++; close_stream(s); } return; }
        s->used += n;
        s->line[s->used] = 0;
        char *start = s->line, *end;
        while ((end = strchr(start, '\n'))) {
            *end = 0;
            if (end > start && end[-1] == '\r') end[-1] = 0;
            if (!strncmp(start, "HTTP/1.1 ", 9) && strncmp(start + 9, "200", 3)) { refused++; fprintf(stderr, "%s\n", start); }
            take(s, start);
            start = end + 1;
        }
        s->used -= start - s->line;
        memmove(s->line, start, s->used);
        if (s->used >= LINE - 1) s->used = 0;
    }
}

static void turn(int timeout) {
    struct epoll_event events[512];
    int n = epoll_wait(epoll, events, 512, timeout);
    for (int i = 0; i < n; i++) serve(events[i].data.ptr, events[i].events);
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void open_all(int wanted, const char *name) {
    double start = now();
    int next = 0;
    while (ready < wanted) {
        while (connecting < AHEAD && next < wanted) { if (streams[next].fd < 0) begin(&streams[next]); next++; }
        turn(1000);
        if (now() - start > 120e3) { printf("%s: only %d of %d after 120 s\n", name, ready, wanted); fflush(stdout); return; }
    }
    printf("%s %d in %.2f s\n", name, ready, (now() - start) / 1e3);
    fflush(stdout);
}

int main(int argc, char **argv) {
    if (argc != 6) { fprintf(stderr, "usage: bench_streams HOST PORT KEY PATH COUNT\n"); return 2; }
    host = argv[1];
    key = argv[3];
    path = argv[4];
    count = atoi(argv[5]);
    address.sin_family = AF_INET;
    address.sin_port = htons(atoi(argv[2]));
    inet_pton(AF_INET, host, &address.sin_addr);
    epoll = epoll_create1(0);
    streams = calloc(count, sizeof *streams);
    for (int i = 0; i < count; i++) streams[i].fd = -1;
    fcntl(0, F_SETFL, O_NONBLOCK);
    static char input[256];
    int used = 0;
    for (;;) {
        turn(5);
        ssize_t n = read(0, input + used, sizeof input - 1 - used);
        if (n == 0) return 0;
        if (n > 0) used += n;
        input[used] = 0;
        char *end = strchr(input, '\n');
        if (!end) continue;
        *end = 0;
        int number = 0, ms = 0;
        if (sscanf(input, "open %d", &number) == 1) {
            open_all(number, "open");
        } else if (!strcmp(input, "drop")) {
            for (int i = 0; i < count; i++) close_stream(&streams[i]);
            printf("dropped\n");
        } else if (!strcmp(input, "resume")) {
            open_all(count, "resume");
        } else if (sscanf(input, "wait %d %d", &number, &ms) == 2) {
            double limit = now() + ms;
            while (told < number && now() < limit) turn(50);
            printf("told %ld\n", told);
        } else if (!strcmp(input, "stats")) {
            long n = told < TOLD ? told : TOLD;
            qsort(latencies, n, sizeof *latencies, ascending);
            printf("told %ld p50 %.0f ms p95 %.0f ms p99 %.0f ms most %.0f ms doubled %ld refused %ld ready %d\n", told,
                   n ? latencies[n / 2] : 0, n ? latencies[n * 95 / 100] : 0, n ? latencies[n * 99 / 100] : 0,
                   n ? latencies[n - 1] : 0, doubled, refused, ready);
            told = 0;
        } else if (!strcmp(input, "mark")) {
            marked = now();
        } else if (!strcmp(input, "quit")) {
            return 0;
        }
        fflush(stdout);
        used -= end + 1 - input;
        memmove(input, end + 1, used);
    }
}
