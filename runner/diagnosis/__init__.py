"""Why edits fail: which leniency would have let the blocks of stored answers match, and what would have come of it."""
