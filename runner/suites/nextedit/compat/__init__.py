"""`--compat historian`: the replays of commits as Historian's own program runs them, for any system."""
