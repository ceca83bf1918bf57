#ifndef WAYMARK_CDEFLATE_H
#define WAYMARK_CDEFLATE_H
#include <libdeflate.h>
#endif
