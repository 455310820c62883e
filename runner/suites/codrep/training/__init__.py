"""Training of the ranker from datasets, which takes the extra `train`."""
