"""Coding agents as systems under test: each attempt in a cell of its own, with a metering proxy as its only network."""
