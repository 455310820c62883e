"""Draws docs/first-run.svg, the picture of the README: the output of a simulated run, as the program prints it.

    python -m tests.picture

The picture has no font, script or address of its own, and brings its own background for light and dark pages.
"""

import os
import re
import shlex
import subprocess
import sys
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "first-run.svg"
BIN = Path(sys.executable).parent
COLUMNS = 82
SCREENS = (
    ("evals diff sim/careful sim/sloppy sim/chatty -n 2 --parallel --run-id first", 7),
    ("evals compare first --effect 10", 0),
    ("evals diagnose first --model sim/chatty", 0),
)
# When the run was made is no business of the picture.
_DATE = re.compile(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ")
# Viewers join several other spaces.
_NO_BREAK = "\N{NO-BREAK SPACE}"
_CHARACTER, _LINE, _MARGIN = 7.8, 18, 16
_COMMAND, _TEXT, _TITLE, _QUIET = "#7ee787", "#e6edf3", "#79c0ff", "#9aa4af"


def screens() -> list[str]:
    """The lines of the picture: each command, then what it prints to stdout, or the first lines of that."""
    lines: list[str] = []
    with TemporaryDirectory() as folder:
        for command, most in SCREENS:
            printed = _printed(command, Path(folder))
            lines += [f"$ {command}", *(printed[:most] if most else printed), ""]
    return lines[:-1]


def _printed(command: str, folder: Path) -> list[str]:
    words = shlex.split(command)
    variables = {"PATH": os.environ["PATH"], "HOME": str(folder), "COLUMNS": str(COLUMNS)}
    done = subprocess.run(
        [str(BIN / words[0]), *words[1:]],
        cwd=folder, env=variables, capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    return _DATE.sub("2026-01-01T00:00:00Z", done.stdout).rstrip("\n").split("\n")


def drawn(lines: list[str]) -> str:
    """The picture of lines; each is stretched to its number of characters, so that columns stand in any font."""
    width = round(COLUMNS * _CHARACTER + 2 * _MARGIN)
    height = len(lines) * _LINE + 2 * _MARGIN
    texts = [
        f'<text x="{_MARGIN}" y="{_MARGIN + 13 + _LINE * number}" fill="{_colour(line)}"'
        f' textLength="{len(line) * _CHARACTER:.1f}">{escape(line, quote=False).replace(" ", _NO_BREAK)}</text>'
        for number, line in enumerate(lines)
        if line
    ]
    return "\n".join(
        [
            (
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" role="img"'
                ' aria-label="a simulated run, its comparison, and why edits failed">'
            ),
            f'<rect x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="8" fill="#0d1117" stroke="#6e7681"/>',
            '<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="13">',
            *texts,
            "</g>",
            "</svg>\n",
        ]
    )


def _colour(line: str) -> str:
    if line.startswith("$ "):
        return _COMMAND
    if line.startswith("simulated:"):
        return _QUIET
    return _TITLE if "%, 95 %" in line or "paired on" in line or "answers failed" in line else _TEXT


if __name__ == "__main__":
    PICTURE.write_text(drawn(screens()), encoding="utf-8")
