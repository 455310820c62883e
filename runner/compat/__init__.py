"""The rules and file formats of the original programs, one module each, so that suites need no branches for them."""
