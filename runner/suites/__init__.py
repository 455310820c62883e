"""The suites: what can be benchmarked."""
