"""Which measure of an edit goes with its tests: labelled answers, or mutants where there are none."""
