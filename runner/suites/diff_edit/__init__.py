"""Diff edits: one question, one SEARCH/REPLACE answer, judged by the file that it gives."""
