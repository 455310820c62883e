"""Runs code of strangers shut in: sandboxes, cells, copies of repositories, judges and their verdicts."""
