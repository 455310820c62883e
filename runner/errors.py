"""Errors of the person who runs us: one clear line each and exit code 2, never a traceback."""


class InputError(Exception):
    """Bad input; the message names the file, the field and the fix, in one line."""


class InputFindingsError(InputError):
    """Several faults in one input; `findings` has one line for each."""

    def __init__(self, findings: tuple[str, ...]) -> None:
        """At least one finding, in the order of the input."""
        super().__init__(findings[0])
        self.findings = findings
