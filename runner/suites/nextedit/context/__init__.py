"""What systems see of a project at a step: which files, and which of their lines."""
