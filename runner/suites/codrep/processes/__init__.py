"""Work on many tasks in several processes."""
