"""Predictors: functions that name a line without asking a model, for the competition and as systems of a run."""
