"""Reports the retired words of docs/glossary.md where they are still used: `python -m tests.words`.

Scans code (identifiers, comments, strings) and documents, by line. Words are found in any part of an identifier
(`bytes_told`, `PlantedKey`), names only as a whole identifier that the file binds. tests/words_allowed.txt lists the
folders that are not done yet and the exceptions; an entry of either kind that is no longer needed is a fault, too.
"""

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDERS = ("runner", "parsers", "diff_apply", "suts", "tests", "docs", "cases")
FILES = ("README.md", "AGENTS.md", "prompts/__init__.py", "prompts/fim.py")
GLOSSARY, ALLOWED = "docs/glossary.md", "tests/words_allowed.txt"
# The glossary names the words that it retires; the others are data. Published prompts never change.
SKIPPED = (GLOSSARY, "tests/fixtures/", "tests/golden/", "tests/suts/recorded/", "cases/completion/")

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


@dataclass(frozen=True, slots=True)
class Retired:
    """Words that are retired everywhere, and names that are retired as whole identifiers, with what replaces them."""

    words: dict[str, str]
    names: dict[str, str]


@dataclass(frozen=True, slots=True)
class Finding:
    """One use of a retired word."""

    path: str
    line: int
    word: str
    replacement: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.word}; write {self.replacement}"


@dataclass(frozen=True, slots=True)
class Allowed:
    """Folders that are not done yet, and exceptions as pairs of path and word."""

    folders: frozenset[str]
    exceptions: frozenset[tuple[str, str]]


def read_retired(glossary: str) -> Retired:
    """Read the tables below the headings "Retired words" and "Retired names"."""
    tables = {
        title: _table(body) for title, body in re.findall(r"^## (.+)\n((?:(?!^## ).*\n?)*)", glossary, re.MULTILINE)
    }
    return Retired(tables["Retired words"], tables["Retired names"])


def _table(section: str) -> dict[str, str]:
    rows = re.findall(r"^\| (`.+`) \| (.+?) \|", section, re.MULTILINE)
    return {word: replacement for words, replacement in rows for word in re.findall(r"`([^`]+)`", words)}


def read_allowed(text: str) -> Allowed:
    """Read lines `not yet: FOLDER` and `PATH: WORD: REASON`. Raises ValueError for any other line."""
    folders, exceptions = set[str](), set[tuple[str, str]]()
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        first, *rest = line.split(": ", 2)
        if first == "not yet" and len(rest) == 1:
            folders.add(rest[0])
        elif len(rest) == 2:
            exceptions.add((first, rest[0]))
        else:
            raise ValueError(f"{ALLOWED}: {line!r} is neither `not yet: FOLDER` nor `PATH: WORD: REASON`")
    return Allowed(frozenset(folders), frozenset(exceptions))


def findings(path: str, text: str, retired: Retired) -> Iterator[Finding]:
    """Yield the retired words and names in one file, by line."""
    pattern = re.compile(rf"\b({'|'.join(map(re.escape, retired.words))})\b")
    for number, line in enumerate(text.splitlines(), 1):
        words = " ".join(_WORD.findall(line)).lower()
        for word in dict.fromkeys(pattern.findall(words)):
            yield Finding(path, number, word, retired.words[word])
    if path.endswith(".py"):
        for name, number in sorted(_bound_names(ast.parse(text)), key=lambda pair: pair[1]):
            if name.strip("_") in retired.names:
                yield Finding(path, number, name, retired.names[name.strip("_")])


def _bound_names(tree: ast.Module) -> Iterator[tuple[str, int]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, node.lineno
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name, node.lineno


def sources(root: Path) -> Iterator[tuple[str, str]]:
    """Yield path and text of every file that is scanned."""
    files = [
        file for folder in FOLDERS for suffix in ("py", "md") for file in sorted((root / folder).rglob(f"*.{suffix}"))
    ]
    for file in [*(root / name for name in FILES), *files]:
        path = file.relative_to(root).as_posix()
        if not path.startswith(SKIPPED):
            yield path, file.read_text(encoding="utf-8")


def faults(rows: list[Finding], allowed: Allowed) -> list[str]:
    """Return what is wrong: words that are not allowed, exceptions without a use, listed folders that are clean."""
    needed_folders = {folder for folder in allowed.folders if any(_is_in(row.path, folder) for row in rows)}
    used = {(row.path, row.word) for row in rows}
    uses = [
        str(row)
        for row in rows
        if (row.path, row.word) not in allowed.exceptions
        and not any(_is_in(row.path, folder) for folder in allowed.folders)
    ]
    return [
        *uses,
        *(f"{ALLOWED}: {folder} is clean; remove its line" for folder in sorted(allowed.folders - needed_folders)),
        *(f"{ALLOWED}: {path} has no {word!r}; remove the line" for path, word in sorted(allowed.exceptions - used)),
    ]


def _is_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder + "/")


def main() -> int:
    """Print the faults; the exit code is 1 if there are any."""
    retired = read_retired((ROOT / GLOSSARY).read_text(encoding="utf-8"))
    allowed = read_allowed((ROOT / ALLOWED).read_text(encoding="utf-8"))
    rows = [row for path, text in sources(ROOT) for row in findings(path, text, retired)]
    lines = faults(rows, allowed)
    sys.stdout.writelines(f"{line}\n" for line in lines)
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
