"""Names that others gave, made fit to be part of a file's name."""

import re

_LONGEST = 100
_UNFIT = re.compile(r"[^\w.@=+-]+")


def name_part(text: str) -> str:
    """Return the text as a safe file name: no path separators, not hidden, not too long; "" if nothing is left."""
    return _UNFIT.sub("-", text)[:_LONGEST].strip("-.")
