"""Next-edit suite: commits replayed edit by edit, each step asking a system what comes next."""
