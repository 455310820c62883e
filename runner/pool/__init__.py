"""Work that is computed beside this process: one interface, whatever computes it."""
