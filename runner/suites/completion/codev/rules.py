"""Codev-Bench's own rules, defects included: from an answer to a response, from a response to a pass, and to scores.

The source is the published `evaluate.py` and `prepare.py`; docs/codev.md names each defect that is kept here.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from random import Random
from statistics import fmean
from typing import TypeVar

from runner.suites.completion.codev.tasks import CodevTask

MIDDLE = "<fim_middle>"
# The name under which results keep how a response is found.
PARSER = "codev-last-fence"
# Only these are ever asked; the scores know more.
ASKED = ("STATEMENT", "IF", "FOR", "TRY", "METHOD")
GROUPS = {
    "METHOD": "function",
    "IF": "conditional",
    "FOR": "loop",
    "WHILE": "loop",
    "TRY": "exception",
    "CATCH": "exception",
    "STATEMENT": "statement",
}
GROUP_NAMES = ("function", "conditional", "loop", "exception", "statement")
TOTAL = "TOTAL"
SEED = 1234
PROCESSES = 4
TEST_SECONDS = 120

_FENCE = re.compile(r"```.*?<br>(.*?)<br>```")
_PASSED = re.compile(r"=+ (\d+) passed(?:, \d+ warnings?)? in ")

TaskT = TypeVar("TaskT", bound=CodevTask)


def question_of(prompt: str) -> str:
    """What is asked: the prompt before its first `<fim_middle>`, even where the code itself says so."""
    return prompt.partition(MIDDLE)[0]


def response_of(text: str) -> str:
    """The last fenced block of an answer; "" where none is closed, and `<br>` in code becomes a line's end."""
    blocks = _FENCE.findall(text.replace("\n", "<br>"))
    return blocks[-1].replace("<br>", "\n") if blocks else ""


def in_order(tasks: Iterable[TaskT]) -> list[TaskT]:
    """The tasks that are asked, in the order in which they are: type by type, shuffled within each."""
    random = Random(SEED)
    ordered: list[TaskT] = []
    by_type: dict[str, list[TaskT]] = {name: [] for name in ASKED}
    for task in tasks:
        if task.block_type in by_type:
            by_type[task.block_type].append(task)
    for name in ASKED:
        random.shuffle(by_type[name])
        ordered += by_type[name]
    return ordered


def assembled(task: CodevTask, response: str) -> str:
    """The file that is tested: what the model saw around the response, so that cut suffixes are missing from it."""
    return task.prefix + response + task.suffix


def passed_by_last_line(stdout: str) -> bool:
    """Whether the last line says that tests passed, and nothing but passes and warnings."""
    lines = [line for line in stdout.split("\n") if line.strip()]
    match = _PASSED.match(lines[-1].strip()) if lines else None
    return match is not None and int(match[1]) >= 1


def is_indented(task: CodevTask, response: str) -> bool:
    """Whether every line but the first has at least the indentation of the block's first line; empty lines have not."""
    margin = _blanks(task.first_line)
    return all(_blanks(line) >= margin for line in response.split("\n")[1:])


def is_one_line(response: str) -> bool:
    """Whether the response stays within its line."""
    return "\n" not in response


def _blanks(line: str) -> int:
    return len(line) - len(line.lstrip())


@dataclass(frozen=True, slots=True)
class Checks:
    """Which checks a response has to stand, all of them."""

    unittest: bool = False
    indent: bool = False
    cross_line: bool = False
    empty: bool = False

    def gates(self, task: CodevTask, response: str) -> bool:
        """Whether the checks that need no test are stood."""
        return (
            (not self.indent or is_indented(task, response))
            and (not self.cross_line or is_one_line(response))
            and (not self.empty or response == "")
        )


def ratio(response: str, middle: str, *, indel: bool) -> int:
    """The `fuzz.ratio` of fuzzywuzzy, 0 to 100: by difflib, or by Indel where python-Levenshtein was installed."""
    if response == middle:
        return 100
    if not response or not middle:
        return 0
    if indel:
        from rapidfuzz.distance import Indel

        return round(100 * Indel.normalized_similarity(response, middle))
    return round(100 * SequenceMatcher(None, response, middle).ratio())


@dataclass(frozen=True, slots=True)
class Scored:
    """What the scores take of one prediction; `passed` None where nothing is known."""

    block_type: str
    passed: bool | None
    response: str
    middle: str
    latency: float | None


def scores_of(scored: Iterable[Scored]) -> dict[str, dict[str, int]]:
    """{group: {n_all, n_pass}}, TOTAL at the end; types of no group are in none, and in TOTAL."""
    counts = {name: {"n_all": 0, "n_pass": 0} for name in (*GROUP_NAMES, TOTAL)}
    for prediction in scored:
        for name in (GROUPS.get(prediction.block_type), TOTAL):
            if name is not None and prediction.passed is not None:
                counts[name]["n_all"] += 1
                counts[name]["n_pass"] += prediction.passed
    return counts


def table_row(scored: Sequence[Scored], measure: str) -> list[float | None]:
    """One row of `all_scores/<measure>.csv`: the mean of each group and, as Average, that of all tasks.

    Rounded to two digits; None for a group without tasks.
    """
    values: dict[str, list[float]] = {name: [] for name in (*GROUP_NAMES, TOTAL)}
    for prediction in scored:
        value = _value(prediction, measure)
        for name in (GROUPS.get(prediction.block_type), TOTAL):
            if name is not None and value is not None:
                values[name].append(value)
    return [round(fmean(value), 2) if value else None for value in values.values()]


MEASURES = ("pass_rate", "edit_sim", "edit_sim_indel", "line_length", "latency")


def _value(prediction: Scored, measure: str) -> float | None:
    if measure == "pass_rate":
        return None if prediction.passed is None else 100.0 * prediction.passed
    if measure == "line_length":
        return float(prediction.response.count("\n") + 1)
    if measure == "latency":
        return prediction.latency
    return float(ratio(prediction.response, prediction.middle, indel=measure == "edit_sim_indel"))
