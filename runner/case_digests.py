"""The digest of the cases of a run: what makes two sessions ask about the same."""

from collections.abc import Iterable
from hashlib import sha256
from typing import Protocol


class DigestedCase(Protocol):
    """A case with its id, and the digest of all that it states."""

    @property
    def case_id(self) -> str:
        """Its name."""
        ...

    @property
    def digest(self) -> str:
        """Hexadecimal digits."""
        ...


def digest_of_cases(cases: Iterable[DigestedCase]) -> str:
    """Return 12 hexadecimal digits of SHA-256 over the ids and digests of cases, in their order."""
    text = "\n".join(f"{case.case_id}\t{case.digest}" for case in cases)
    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:12]
