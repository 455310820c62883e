"""Reads how long something may take, as people write it: `90`, `90s`, `10m`, `1h30m`."""

import re

from runner.errors import InputError

_UNITS = {"h": 3600, "m": 60, "s": 1}
_PART = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)([hms])")
_WHOLE = re.compile(rf"(?:{_PART.pattern})+")
_SECONDS = re.compile(r"\d{1,9}(?:\.\d{1,9})?")


def seconds_of(text: str, option: str) -> float:
    """Return the seconds of a duration; a bare number is seconds, "" is 0. Raises InputError naming the option."""
    plain = text.strip().lower()
    if not plain:
        return 0.0
    if _SECONDS.fullmatch(plain):
        return float(plain)
    if not _WHOLE.fullmatch(plain):
        raise InputError(f"{option}: {text!r} is no duration; write 90s, 10m or 1h30m")
    return sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(plain))
