"""Evidence from other tasks: the same file at another commit may show where the new line stands.

This reads the answers off the way in which the data was collected, not off the task, so it is a predictor of its own
(`ranker+siblings`) and its figures are never mixed with those of a single file.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from runner.errors import InputError
from runner.suites.codrep.dataset import CodrepDataset
from runner.suites.codrep.source_files import file_key

# How many lines each way are compared, and how sure a match must be: on Dataset4 98 % of such matches were right.
REACH = 12
LEAST_STRENGTH = 4.0
FARTHER_SIDE = 0.25
# A line that a sibling has more often, such as a brace, points to no place; on Dataset1 to 4 none ever did.
MOST_PLACES = 100


@dataclass(frozen=True, slots=True)
class SiblingLine:
    """The line that a sibling points to, and how strongly."""

    line: int
    strength: float


def sibling_lines(dataset: CodrepDataset) -> dict[Path, int]:
    """For each task that its siblings answer without doubt, the line."""
    groups: dict[tuple[str, str], list[Path]] = defaultdict(list)
    for path in dataset.task_paths():
        try:
            task = dataset.read(path)
        except InputError:
            # A malformed task is no evidence for others; predicting its own line reports what is wrong.
            continue
        key = file_key("\n".join(task.lines))
        if key is not None:
            groups[key].append(path)
    answers: dict[Path, int] = {}
    for paths in groups.values():
        if len(paths) > 1:
            answers |= _answers(dataset, paths)
    return answers


def _answers(dataset: CodrepDataset, paths: Sequence[Path]) -> dict[Path, int]:
    """The answers within one group of siblings."""
    tasks = {path: dataset.read(path) for path in paths}
    programs = {path: [line.strip() for line in task.lines] for path, task in tasks.items()}
    answers: dict[Path, int] = {}
    for path, task in tasks.items():
        others = [program for other, program in programs.items() if other != path]
        best = strongest(task.new_line.strip(), programs[path], others)
        if best is not None and best.strength >= LEAST_STRENGTH:
            answers[path] = best.line
    return answers


def strongest(new_line: str, program: Sequence[str], siblings: Iterable[Sequence[str]]) -> SiblingLine | None:
    """The line of `program` whose surroundings are most like those of the new line in a sibling; None for a tie.

    All lines are stripped. Strength is twice the equal lines on the side that has fewer of them, plus a quarter of
    the equal lines on the other side, up to `REACH` lines a side. A sibling with more than `MOST_PLACES` shows none.
    """
    at = _lines_by_text(program)
    strengths: dict[int, float] = {}
    for sibling in siblings:
        places = [place for place, text in enumerate(sibling) if text == new_line]
        for place in places if len(places) <= MOST_PLACES else ():
            for line in _matching(at, sibling, place, len(program)):
                strength = _strength(program, line, sibling, place)
                strengths[line] = max(strength, strengths.get(line, 0))
    ranked = sorted(strengths.items(), key=lambda pair: -pair[1])
    tied = len(ranked) > 1 and ranked[0][1] == ranked[1][1]
    usable = bool(ranked) and not tied and program[ranked[0][0]] not in ("", new_line)
    return SiblingLine(ranked[0][0] + 1, ranked[0][1]) if usable else None


def _lines_by_text(program: Sequence[str]) -> Mapping[str, list[int]]:
    at: dict[str, list[int]] = defaultdict(list)
    for line, text in enumerate(program):
        at[text].append(line)
    return at


def _matching(at: Mapping[str, list[int]], sibling: Sequence[str], place: int, lines: int) -> set[int]:
    """The lines with the same neighbour as the sibling's place, on either side."""
    numbers: set[int] = set()
    for step in (-1, 1):
        if 0 <= place + step < len(sibling):
            numbers.update(line - step for line in at.get(sibling[place + step], ()))
    return {line for line in numbers if 0 <= line < lines}


def _strength(program: Sequence[str], line: int, sibling: Sequence[str], place: int) -> float:
    above, below = (_equal_lines(program, line, sibling, place, step) for step in (-1, 1))
    return 2 * min(above, below) + FARTHER_SIDE * max(above, below)


def _equal_lines(program: Sequence[str], line: int, sibling: Sequence[str], place: int, step: int) -> int:
    """How many lines in a row, up to REACH, are equal in the direction `step`."""
    for count in range(REACH):
        line, place = line + step, place + step
        inside = 0 <= line < len(program) and 0 <= place < len(sibling)
        if not inside or program[line] != sibling[place]:
            return count
    return REACH
