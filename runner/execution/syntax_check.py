"""What the compiler of this Python says against a file's text."""

import warnings


def syntax_error_of(text: str) -> str | None:
    """Return the error that compiling the text ends with; None where it compiles.

    What the text is warned of is ignored, process-wide: at most one thread at a time may call this.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            # The mark that some editors begin a file with is the reader's to take away.
            compile(text.removeprefix("\ufeff"), "answer.py", "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            return f"{type(error).__name__}: {error}"
    return None
