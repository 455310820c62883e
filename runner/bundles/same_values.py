"""Compares figures of a record with those computed again, whatever they are made of, and names where they differ."""

import math
from collections.abc import Iterator, Mapping
from typing import TypeGuard

# Sums of floating-point numbers may be taken in another order by another version of a library.
_TOLERANCE = 1e-9
_LONGEST = 60


def differences(recorded: object, computed: object, path: str = "") -> Iterator[tuple[str, str, str]]:
    """Yield the path, the recorded and the computed value of each part in which two values of JSON differ."""
    if isinstance(recorded, Mapping) and isinstance(computed, Mapping):
        for name in dict.fromkeys((*recorded, *computed)):
            inner = f"{path}.{name}" if path else str(name)
            yield from differences(recorded.get(name), computed.get(name), inner)
    elif isinstance(recorded, list) and isinstance(computed, list) and len(recorded) == len(computed):
        for index, (value, again) in enumerate(zip(recorded, computed, strict=True)):
            yield from differences(value, again, f"{path}[{index}]")
    elif not _same(recorded, computed):
        yield path, short(recorded), short(computed)


def _same(recorded: object, computed: object) -> bool:
    if _is_number(recorded) and _is_number(computed):
        return math.isclose(recorded, computed, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE)
    return type(recorded) is type(computed) and recorded == computed


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def short(value: object) -> str:
    """Return a value for a line, its middle left out if it is long."""
    text = "nothing" if value is None else ascii(value) if isinstance(value, str) else str(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST // 2]} ... {text[-_LONGEST // 2 :]}"
