"""Further turns after a refused edit: what goes back, the conversation that grows, and what came of each turn."""
