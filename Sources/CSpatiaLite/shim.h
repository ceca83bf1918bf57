#ifndef WAYMARK_CSPATIALITE_H
#define WAYMARK_CSPATIALITE_H

#include <sqlite3.h>
#include <spatialite.h>

#endif
