"""Reads commits with their related edits from text files, the fixtures of the tests of the order.

A fixture opens with `#` lines that say what its commits are about. Every commit then has this form:

    == name of the commit
    pairs: 0-1, 0-2 defines uses
    @@ path/of/a/file
      a line that stays
    - a line that is removed
    + a line that is added
    @@ path/of/another/file
    ...

`pairs` are all pairs of related edits, the lower number first, or `none`; after a pair stand the reasons that must be
among those of its edges. Edits are numbered by the paths in sorted order, then by lines. A line of a file has its mark,
a blank, its text; an empty line may go without both. Empty lines at the end of a file belong to the fixture; where one
belongs to the file, two blanks stand for it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from runner.suites.nextedit.order import Reason

Pairs = dict[tuple[int, int], frozenset[Reason]]


@dataclass(frozen=True, slots=True)
class OrderCase:
    """A commit and the relations between its edits; `files` are marked texts by path."""

    name: str
    files: dict[str, str]
    pairs: Pairs

    def versions(self) -> dict[str, tuple[str, str]]:
        """The files as {path: (before, after)}."""
        return {path: (_side(marked, "-"), _side(marked, "+")) for path, marked in self.files.items()}


class Line(NamedTuple):
    """A line of a fixture; `where` is its file and number."""

    where: str
    text: str

    def refused(self, problem: str) -> ValueError:
        """The error to raise about this line."""
        return ValueError(f"{self.where}: {problem}")


def read_folder(folder: Path) -> dict[str, OrderCase]:
    """The commits of all fixtures below a folder by id: the first folder or file on the way, and the commit's name.

    Raises ValueError if a fixture is malformed, if two commits have one id, or if there is none.
    """
    cases: dict[str, OrderCase] = {}
    for path in sorted(folder.rglob("*.txt")):
        group = path.relative_to(folder).parts[0].removesuffix(".txt")
        for case in read_cases(path):
            case_id = f"{group}-{case.name.replace(' ', '-')}"
            if case_id in cases:
                raise ValueError(f"{path}: another fixture of {group} has a commit {case.name!r} too")
            cases[case_id] = case
    if not cases:
        raise ValueError(f"{folder}: no fixtures are here")
    return cases


def read_cases(path: Path) -> list[OrderCase]:
    """The commits of a fixture, in its order. Raises ValueError with file, line and problem if it is malformed."""
    texts = path.read_bytes().decode("utf-8").split("\n")
    lines = [Line(f"{path}:{number}", text) for number, text in enumerate(texts, 1)]
    head, sections = _sections(lines, "== ")
    for line in head:
        if line.text and not line.text.startswith("#"):
            raise line.refused("before the first '== name' there are only '# ' comments")
    if not sections:
        raise lines[0].refused("there is no '== name' in this file")
    return [_case(name, line, body) for name, line, body in _named(sections, "== ")]


def _sections(lines: Sequence[Line], mark: str) -> tuple[Sequence[Line], list[tuple[Line, Sequence[Line]]]]:
    """The lines before the first that opens with a mark, and each that does with the lines below it."""
    starts = [index for index, line in enumerate(lines) if line.text.startswith(mark)]
    ends = [*starts, len(lines)]
    below = [(lines[start], lines[start + 1 : end]) for start, end in zip(starts, ends[1:], strict=True)]
    return lines[: ends[0]], below


def _named(sections: list[tuple[Line, Sequence[Line]]], mark: str) -> Iterator[tuple[str, Line, Sequence[Line]]]:
    """Each section with its name, which is unique and has no blanks around it."""
    names = set[str]()
    for line, body in sections:
        name = line.text.removeprefix(mark)
        if not name or name != name.strip():
            raise line.refused(f"'{mark.strip()}', one blank and a name without blanks around it are needed")
        if name in names:
            raise line.refused(f"{name!r} is here twice")
        names.add(name)
        yield name, line, body


def _case(name: str, line: Line, body: Sequence[Line]) -> OrderCase:
    head, sections = _sections(body, "@@ ")
    if not sections:
        raise line.refused("this commit has no '@@ path'")
    if not head or not head[0].text.startswith("pairs: "):
        raise (head or [sections[0][0]])[0].refused(
            "below '== name' there is a line 'pairs: 0-1, ...' or 'pairs: none'"
        )
    if len(head) > 1:
        raise head[1].refused("below 'pairs: ...' there is a line '@@ path'")
    return OrderCase(name, {path: _marked(at, text) for path, at, text in _named(sections, "@@ ")}, _pairs(head[0]))


def _pairs(line: Line) -> Pairs:
    listed = line.text.removeprefix("pairs: ")
    pairs: Pairs = {}
    for item in [] if listed == "none" else listed.split(", "):
        numbers, *reasons = item.split(" ")
        one, _, two = numbers.partition("-")
        if not (one.isdecimal() and two.isdecimal() and int(one) < int(two)):
            raise line.refused(f"{numbers!r} is not a pair such as 0-1, the lower number first")
        if (int(one), int(two)) in pairs:
            raise line.refused(f"{numbers} is here twice")
        if unknown := [reason for reason in reasons if reason not in set(Reason)]:
            raise line.refused(f"{unknown[0]!r} is not a reason; the reasons are {', '.join(Reason)}")
        pairs[int(one), int(two)] = frozenset(map(Reason, reasons))
    return pairs


def _marked(path: Line, body: Sequence[Line]) -> str:
    """The marked text of a file, without the empty lines at its end."""
    for line in body:
        if line.text not in {"", "-", "+"} and line.text[:2] not in {"  ", "- ", "+ "}:
            raise line.refused("a line of a file begins with two blanks, '- ' or '+ '")
    if not any(line.text[:1] in {"-", "+"} for line in body):
        raise path.refused("no line of this file is removed or added")
    return "\n".join(line.text for line in body).rstrip("\n") + "\n"


def _side(marked: str, mark: str) -> str:
    lines = marked.removesuffix("\n").split("\n")
    return "".join(f"{line[2:]}\n" for line in lines if line[:1] in {" ", "", mark})
