#ifndef WAYMARK_CREADOSM_H
#define WAYMARK_CREADOSM_H
#include <readosm.h>
#endif
