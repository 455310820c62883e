"""A run as one file: written from a database, recomputed from its bytes, and made a run of another database."""
