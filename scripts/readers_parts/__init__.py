"""What check-readers consists of: a database with its exports, what is true of them, and a part for each reader."""
