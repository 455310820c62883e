"""Work that is computed beside this process: one interface, whatever computes it."""

# The name of the engine that is this machine's.
PROCESSES = "processes"
