"""The database: its schema, what is written to it and read from it. Nothing else knows SQLite."""
