/// SQL that lets a test take a database back to before a column was added.
///
/// Triggers of SpatiaLite name tables that do not exist. `ALTER TABLE … DROP COLUMN` goes through all triggers, and newer
/// versions of SQLite then reject the change, unless the schema may be written.
public let droppingColumns = "PRAGMA writable_schema = ON;"
