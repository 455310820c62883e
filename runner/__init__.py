"""Runs suites against systems under test, keeps and reports the results."""
