#ifndef WAYMARK_CZLIB_H
#define WAYMARK_CZLIB_H
#include <zlib.h>
#endif
