"""Keeps count of what lies on the shelves of a small warehouse."""
