#ifndef WAYMARK_CPROJ_H
#define WAYMARK_CPROJ_H
#include <geodesic.h>
#include <proj.h>
#endif
