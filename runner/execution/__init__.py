"""Runs untrusted code in isolation: sandboxes, cells, copies of repositories, judges and their verdicts."""
