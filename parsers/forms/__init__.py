"""The text forms of edit tools: an answer to edits, or to what is wrong with it; no text raises an error."""
