"""A long run under every kind of trouble, and the ledgers of both sides held together at its end."""
