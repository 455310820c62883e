"""The errors that every part of the runner knows: bad input, and requests that are not sent because the run ends."""


class InputError(Exception):
    """Bad input; the message names the file, the field and the fix, in one line. The exit code is 2."""


class InputFindingsError(InputError):
    """Several faults in one input; `findings` has one line for each."""

    def __init__(self, findings: tuple[str, ...]) -> None:
        """At least one finding, in the order of the input."""
        super().__init__(findings[0])
        self.findings = findings


class UnsentError(Exception):
    """The run ends before a request was sent: the attempt does not count, and the next session makes it.

    `kind` is what is recorded where an earlier try of the request has a row.
    """

    kind = "drained"
