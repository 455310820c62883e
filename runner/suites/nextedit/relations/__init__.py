"""Relations of edits: a model is asked how two edits of a commit are related, for the order of replays."""
