"""Packages of fixed versions, as a requirements file states them: `name==version`, and the digests of their files."""

import re
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

from runner.errors import InputError
from runner.input_files import LARGEST_SETTINGS, input_bytes

_FIX: Final = "give a requirements file with lines of NAME==VERSION"
_PIN: Final = re.compile(
    r"(?P<name>[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)(?P<extras>\[[A-Za-z0-9., _-]*\])?"
    r"\s*==\s*(?P<version>[A-Za-z0-9][A-Za-z0-9.!+_-]*)\s*(?P<marker>;[^#\\]*?)?"
    r"(?P<hashes>(?:\s+--hash=sha256:[0-9a-f]{64})*)"
)
_COMMENT: Final = re.compile(r"(^|\s)#.*$")


@dataclass(frozen=True, slots=True)
class Pins:
    """The file, and what it states: a line for each package, sorted, without comments and layout."""

    file: Path
    lines: tuple[str, ...]

    @property
    def digest(self) -> str:
        """Return what two files have in common that state the same."""
        return sha256("\n".join(self.lines).encode()).hexdigest()


def read_pins(file: Path) -> Pins:
    """Read a requirements file. Raises InputError for a line that is no pin, and where only some have digests."""
    try:
        text = input_bytes(file, _FIX, LARGEST_SETTINGS).decode()
    except UnicodeDecodeError:
        raise InputError(f"{file}: is not UTF-8; {_FIX}") from None
    pins: dict[str, bool] = {}
    for number, line in _whole_lines(text):
        pin, hashed = _pin(line, f"{file}:{number}")
        pins[pin] = hashed
    if not pins:
        raise InputError(f"{file}: has no package; {_FIX}")
    without = [pin for pin, hashed in pins.items() if not hashed]
    if without and len(without) < len(pins):
        raise InputError(f"{file}: {without[0]!r} has no --hash, and others have; give all of them one, or none")
    return Pins(file, tuple(sorted(pins)))


def _whole_lines(text: str) -> list[tuple[int, str]]:
    """Return the lines that say something, each with the number at which it begins; a backslash goes on."""
    whole: list[tuple[int, str]] = []
    begun, parts = 0, list[str]()
    for number, line in enumerate(text.splitlines(), 1):
        plain = _COMMENT.sub("", line).strip()
        begun = begun if parts else number
        parts.append(plain.removesuffix("\\").strip())
        if not plain.endswith("\\"):
            whole.append((begun, " ".join(filter(None, parts))))
            parts = []
    if parts:
        whole.append((begun, " ".join(filter(None, parts))))
    return [(number, line) for number, line in whole if line]


def _pin(line: str, where: str) -> tuple[str, bool]:
    """Return a pin in one form, and whether it has a digest."""
    match = _PIN.fullmatch(line)
    if match is None:
        text = line if len(line) <= 80 else f"{line[:77]}..."
        raise InputError(f"{where}: {text!r} is no pin; write NAME==VERSION, and --hash=sha256:... behind it if at all")
    name = re.sub(r"[-_.]+", "-", match["name"]).lower()
    hashes = sorted(set(match["hashes"].split()))
    marker = " ".join((match["marker"] or "").split())
    pin = f"{name}{match['extras'] or ''}=={match['version']}{marker}"
    return " ".join((pin, *hashes)), bool(hashes)
