"""Secrets that the library detect-secrets finds in a line, by its patterns alone.

Its plug-ins can ask the services themselves whether a secret is valid. That would send it out: `analyze_string`, which
only searches, is all that is called of them.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Protocol, runtime_checkable

# A found word of fewer characters is part of too many others.
_SHORTEST = 8
# These find addresses and key blocks, which have rules of their own.
_LEFT_OUT = frozenset({"Public IP (ipv4)", "Private Key"})
_NAMES = re.compile(r"[^a-z0-9]+")


class _Finder(Protocol):
    secret_type: str

    def analyze_string(self, string: str) -> Iterator[str]: ...


@runtime_checkable
class _EntropyFinder(_Finder, Protocol):
    entropy_limit: float

    def calculate_shannon_entropy(self, data: str) -> float: ...


@cache
def _finders() -> tuple[_Finder, ...]:
    from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class

    classes: Mapping[str, type[_Finder]] = get_mapping_from_secret_type_to_class()
    return tuple(kind() for name, kind in sorted(classes.items()) if name not in _LEFT_OUT)


def detected(line: str) -> Iterator[tuple[str, str]]:
    """Yield the kind and the text of each secret in a line."""
    for finder in _finders():
        for secret in finder.analyze_string(line):
            if len(secret) >= _SHORTEST and _is_random_enough(finder, secret):
                yield _NAMES.sub("-", finder.secret_type.lower()).strip("-"), secret


def _is_random_enough(finder: _Finder, secret: str) -> bool:
    return not isinstance(finder, _EntropyFinder) or finder.calculate_shannon_entropy(secret) > finder.entropy_limit
