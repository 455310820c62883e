"""Errors of the person who runs us: one clear line and exit code 2, never a traceback."""


class InputError(Exception):
    """Bad input; the message names the file, the field and the mend, in one line."""
