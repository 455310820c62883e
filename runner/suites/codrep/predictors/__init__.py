"""Predictors: what names a line without asking anybody, for the competition and as systems of a run."""
