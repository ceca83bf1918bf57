#ifndef WAYMARK_CEXIF_H
#define WAYMARK_CEXIF_H
#include <libexif/exif-data.h>
#include <libexif/exif-format.h>
#include <libexif/exif-utils.h>
#endif
