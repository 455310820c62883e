"""What edit tools make of edits: each original's behaviour to the letter, its faults included."""
