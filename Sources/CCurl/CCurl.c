#define _GNU_SOURCE
#include "CCurl.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

CURLcode wm_easy_set_long(CURL *easy, CURLoption option, long value) { return curl_easy_setopt(easy, option, value); }

CURLcode wm_easy_set_text(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode wm_easy_set_pointer(CURL *easy, CURLoption option, void *value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode wm_easy_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode wm_easy_set_size(CURL *easy, CURLoption option, int64_t value) {
    return curl_easy_setopt(easy, option, (curl_off_t)value);
}

CURLcode wm_easy_set_data_function(CURL *easy, CURLoption option, wm_data_function function) {
    return curl_easy_setopt(easy, option, function);
}

CURLcode wm_easy_set_socket_function(CURL *easy, wm_socket_function function, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, (curl_opensocket_callback)function);
    return code == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, context) : code;
}

CURLcode wm_easy_set_protocols(CURL *easy, int is_mail, int allows_plain) {
#if LIBCURL_VERSION_NUM >= 0x075500
    const char *names = is_mail ? "smtp,smtps" : allows_plain ? "http,https" : "https";
    CURLcode code = curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, names);
    return code == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS_STR, names) : code;
#else
    long names = is_mail ? CURLPROTO_SMTP | CURLPROTO_SMTPS
                         : allows_plain ? CURLPROTO_HTTP | CURLPROTO_HTTPS : CURLPROTO_HTTPS;
    CURLcode code = curl_easy_setopt(easy, CURLOPT_PROTOCOLS, names);
    return code == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS, names) : code;
#endif
}

CURLcode wm_easy_set_quick_exit(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075700
    return curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
#else
    return CURLE_OK;
#endif
}

long wm_easy_get_long(CURL *easy, CURLINFO info) {
    long value = 0;
    return curl_easy_getinfo(easy, info, &value) == CURLE_OK ? value : 0;
}

void *wm_easy_get_context(CURL *easy) {
    char *value = NULL;
    return curl_easy_getinfo(easy, CURLINFO_PRIVATE, &value) == CURLE_OK ? value : NULL;
}

CURLMcode wm_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

int wm_address_bytes(const struct curl_sockaddr *address, uint8_t bytes[16], uint16_t *port) {
    // The address lies behind its header, aligned only as that is: copied before it is read.
    if (address->family == AF_INET && address->addrlen >= sizeof(struct sockaddr_in)) {
        struct sockaddr_in v4;
        memcpy(&v4, &address->addr, sizeof v4);
        memcpy(bytes, &v4.sin_addr, 4);
        *port = ntohs(v4.sin_port);
        return 4;
    }
    if (address->family == AF_INET6 && address->addrlen >= sizeof(struct sockaddr_in6)) {
        struct sockaddr_in6 v6;
        memcpy(&v6, &address->addr, sizeof v6);
        memcpy(bytes, &v6.sin6_addr, 16);
        *port = ntohs(v6.sin6_port);
        return 16;
    }
    return 0;
}

int wm_parse_address(const char *text, uint8_t bytes[16]) {
    if (inet_pton(AF_INET, text, bytes) == 1) return 4;
    if (inet_pton(AF_INET6, text, bytes) == 1) return 16;
    return 0;
}

curl_socket_t wm_open_socket(const struct curl_sockaddr *address) {
    int type = address->socktype;
#ifdef SOCK_CLOEXEC
    type |= SOCK_CLOEXEC;
#endif
    return socket(address->family, type, address->protocol);
}

struct wm_thread_start {
    void (*body)(void *);
    void *context;
};

static void *wm_thread_body(void *argument) {
    struct wm_thread_start start = *(struct wm_thread_start *)argument;
    free(argument);
    start.body(start.context);
    return NULL;
}

int wm_thread_start(void (*body)(void *), void *context) {
    pthread_t thread;
    struct wm_thread_start *start = malloc(sizeof *start);
    if (start == NULL) return -1;
    start->body = body;
    start->context = context;
    // A thread inherits the signals that are blocked where it is started.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int code = pthread_create(&thread, NULL, wm_thread_body, start);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (code == 0) {
        pthread_detach(thread);
    } else {
        free(start);
    }
    return code;
}
