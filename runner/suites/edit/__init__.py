"""Edits by instruction: a file to be changed as an instruction says, judged by a test."""
