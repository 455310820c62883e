"""What only coding agents have: the folder that they work in, and the moments at which they edit."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from suts.sut import Truth


@dataclass(frozen=True, slots=True)
class WorkingFolder:
    """The files that a coding agent finds in its working folder, by their paths; surrogate escapes are bytes.

    `case_id` and `number` name the attempt to a simulated server, which has no other way to know it; `truth` is stated
    to such a server of this machine, and to nobody else. `hidden` are further places that hold the answer, such as an
    installed copy of the project.
    """

    files: Mapping[str, str]
    case_id: str
    number: int
    truth: "Truth | None" = None
    hidden: tuple[Path, ...] = ()


def states_truths(sut: object) -> bool:
    """Return whether a system states right answers to a simulated server of this machine; false if it does not say."""
    return getattr(sut, "states_truths", False) is True


class EditBegins(NamedTuple):
    """The beginning of a call of a coding agent that edits a file; it may be reported late, the earliest one counts."""

    at_ns: int


class EditEnds(NamedTuple):
    """The end of such a call, when its arguments are complete; the last one counts."""

    at_ns: int
