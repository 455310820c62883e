"""Completion of a hole in a repository's file, judged by the unit tests that execute the hole."""
