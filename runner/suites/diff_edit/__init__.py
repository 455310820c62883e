"""Diff edits: a conversation, a file, and the edit that is asked for; answers are diffs, applied and compared."""
