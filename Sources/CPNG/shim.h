#ifndef WAYMARK_CPNG_H
#define WAYMARK_CPNG_H
#include <png.h>
#endif
