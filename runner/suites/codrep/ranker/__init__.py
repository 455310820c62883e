"""The learned ranker of lines: reads a program and its new line, and ranks the lines that it may replace."""
