#ifndef WAYMARK_CSPATIALITE_H
#define WAYMARK_CSPATIALITE_H

#include <sqlite3.h>
#include <spatialite.h>

/* sqlite3_db_config is variadic, which Swift cannot call: the connection leaves the log alone when it closes last. */
static inline int waymark_never_checkpoint_on_close(sqlite3 *db) {
    return sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

/* The same for the triggers that a file stores; temporary ones always run (SQLite 3.35). */
static inline int waymark_run_stored_triggers(sqlite3 *db, int on) {
    return sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, on, (int *)0);
}

#endif
