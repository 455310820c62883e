"""Questions to the judge, its verdicts, and the memory of those given, which a later run can go on with."""

import os
import threading
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum
from hashlib import sha256
from pathlib import Path

import orjson

from runner.errors import InputError
from runner.execution.sandbox import Ran
from runner.inflating import LARGEST_STORED
from runner.input_files import input_bytes
from runner.json_texts import parse_json

_LOG_CHARACTERS = 2000
# Of the program that made the cell, about being killed with it.
_OF_THE_CELL = "unshare: "


class VerdictKind(StrEnum):
    """How a judge decided about an answer."""

    PASS = "pass"  # noqa: S105 - the opposite of fail
    FAIL = "fail"
    SYNTAX = "syntax"
    TIMEOUT = "timeout"
    INFRA = "infra"


@dataclass(frozen=True, slots=True)
class Verdict:
    """How it went: the first test that failed, if any; seconds by the clock; the end of what the run printed."""

    outcome: VerdictKind
    failing: str | None = None
    seconds: float = 0.0
    log: str = ""


@dataclass(frozen=True, slots=True)
class JudgeTask:
    """A file of the repository, the text it is to have, and the node ids of the tests to run.

    `seconds` is the tests' time with the truth; `repeat` distinguishes questions that are asked again on purpose.
    """

    file: str
    text: str
    tests: tuple[str, ...]
    seconds: float = 1.0
    repeat: int = 0

    def key(self, tree: str) -> str:
        """Return the digest of all that the verdict depends on, given that of the tree."""
        text = sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()
        parts = (tree, self.file, text, str(self.repeat), *self.tests)
        return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


class Known:
    """Verdicts by the keys of their questions; with a file, also those of earlier runs."""

    def __init__(self, path: Path | None = None) -> None:
        """Read the file if there is one, and take a last line that was cut off from it.

        Raises InputError for a line that is no verdict.
        """
        self._path = path
        self._lock = threading.Lock()
        self._verdicts = dict(_read(path)) if path is not None and path.exists() else {}

    def get(self, key: str) -> Verdict | None:
        """Return the verdict, if it is known."""
        return self._verdicts.get(key)

    def add(self, key: str, verdict: Verdict) -> None:
        """Keep a verdict."""
        with self._lock:
            self._verdicts[key] = verdict
            if self._path is not None:
                with self._path.open("ab") as file:
                    file.write(orjson.dumps({"key": key, **asdict(verdict)}) + b"\n")

    def forget(self) -> None:
        """Remove the file: what it was kept for has come to its end."""
        if self._path is not None:
            self._path.unlink(missing_ok=True)


def why(verdict: Verdict) -> str:
    """In a few words why a script did not pass."""
    if verdict.outcome is VerdictKind.TIMEOUT:
        return "no end within its limits"
    lines = [line.strip() for line in verdict.log.split("\n") if line.strip()]
    return verdict.failing or (lines[-1] if lines else str(verdict.outcome))


def log_of(ran: Ran, outcome: VerdictKind) -> str:
    """Return the end of what a run printed; of one that took too long, first that it did."""
    output = (ran.stdout + ran.stderr).decode("utf-8", "replace")
    if outcome is not VerdictKind.TIMEOUT:
        return output[-_LOG_CHARACTERS:]
    printed = [line for line in output.splitlines(keepends=True) if not line.startswith(_OF_THE_CELL)]
    note = f"timed out after {ran.wall_s:.3g} s\n"
    return note + "".join(printed)[-(_LOG_CHARACTERS - len(note)) :]


def _read(path: Path) -> Iterator[tuple[str, Verdict]]:
    *whole, cut = input_bytes(path, "remove it", LARGEST_STORED).split(b"\n")
    if cut:
        # What is added would else go on with that line, and spoil it for good.
        os.truncate(path, path.stat().st_size - len(cut))
    for number, line in enumerate(whole, 1):
        try:
            row = parse_json(line)
            yield row.pop("key"), Verdict(**{**row, "outcome": VerdictKind(row["outcome"])})
        except (ValueError, TypeError, KeyError, AttributeError):
            raise InputError(f"{path}, line {number}: no verdict of an earlier build; remove the file") from None
