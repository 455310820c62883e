"""Recorded sessions of coding agents: readers of the forms on disk, and the one vocabulary that they give."""
