#ifndef WAYMARK_CCURL_H
#define WAYMARK_CCURL_H

// libcurl sets its options through variadic functions, which Swift cannot call: these are the same with types.

#include <curl/curl.h>
#include <stddef.h>
#include <stdint.h>

typedef size_t (*wm_data_function)(char *bytes, size_t size, size_t count, void *context);
typedef curl_socket_t (*wm_socket_function)(void *context, curlsocktype purpose, struct curl_sockaddr *address);

CURLcode wm_easy_set_long(CURL *easy, CURLoption option, long value);
CURLcode wm_easy_set_text(CURL *easy, CURLoption option, const char *value);
CURLcode wm_easy_set_pointer(CURL *easy, CURLoption option, void *value);
CURLcode wm_easy_set_list(CURL *easy, CURLoption option, struct curl_slist *value);
CURLcode wm_easy_set_size(CURL *easy, CURLoption option, int64_t value);
CURLcode wm_easy_set_data_function(CURL *easy, CURLoption option, wm_data_function function);
CURLcode wm_easy_set_socket_function(CURL *easy, wm_socket_function function, void *context);

// The protocols a handle may speak, for its own address and for any other, after the version of libcurl.
CURLcode wm_easy_set_protocols(CURL *easy, int is_mail, int allows_plain);
// Abandons a name that is still being looked up instead of waiting for it; where libcurl can.
CURLcode wm_easy_set_quick_exit(CURL *easy);

long wm_easy_get_long(CURL *easy, CURLINFO info);
void *wm_easy_get_context(CURL *easy);
CURLMcode wm_multi_set_long(CURLM *multi, CURLMoption option, long value);

// The bytes of an address about to be dialled: 4, 16, or 0 of another family, and its port.
int wm_address_bytes(const struct curl_sockaddr *address, uint8_t bytes[16], uint16_t *port);
// Reads an address in its one right spelling: 4 or 16 bytes, or 0 when it is none.
int wm_parse_address(const char *text, uint8_t bytes[16]);
// Opens a socket for an address that was found good.
curl_socket_t wm_open_socket(const struct curl_sockaddr *address);

// Starts a thread that no signal is delivered to; a broken pipe must not end the program. 0 when it runs.
int wm_thread_start(void (*body)(void *), void *context);

#endif
