"""Next edits: commits replayed edit by edit, and systems asked at each step what comes next."""
