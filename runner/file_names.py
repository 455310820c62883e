"""Names that others gave, made fit to be part of a file's name."""

import re

_LONGEST = 100
_UNFIT = re.compile(r"[^\w.@=+-]+")


def name_part(text: str) -> str:
    """The text without what would lead to another folder, hide the file or be too long; "" if nothing is left."""
    return _UNFIT.sub("-", text)[:_LONGEST].strip("-.")
