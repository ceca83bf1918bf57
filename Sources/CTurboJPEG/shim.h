#ifndef WAYMARK_CTURBOJPEG_H
#define WAYMARK_CTURBOJPEG_H
#include <stddef.h>
#include <turbojpeg.h>
#endif
