#ifndef WAYMARK_CFIDO2_H
#define WAYMARK_CFIDO2_H
#include <fido.h>
#include <fido/eddsa.h>
#include <fido/es256.h>
#include <fido/rs256.h>
#endif
