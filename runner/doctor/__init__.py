"""What can be asked from here: installation, providers, keys, endpoints, and the lists of names to choose from."""
