"""The edit suite: a file is to be changed as an instruction says, and its tests tell whether it was."""
