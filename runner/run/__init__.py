"""Runs suites against systems under test: the one way from options to a finished run, and all that it takes."""
