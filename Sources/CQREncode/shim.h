#ifndef WAYMARK_CQRENCODE_H
#define WAYMARK_CQRENCODE_H
#include <qrencode.h>
#endif
