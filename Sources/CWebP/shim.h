#ifndef WAYMARK_CWEBP_H
#define WAYMARK_CWEBP_H
#include <webp/decode.h>
#endif
