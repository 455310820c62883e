"""Labelled answers to editing problems: `problems.jsonl` and `predictions.jsonl` in one folder, either one packed.

Problems have the fields problem, origin, reference (or references), and optionally lang and test; predictions
have problem, prediction, passed, and optionally model. Of an answer that was given or tested several times, `n_ok` and
`n` may stand in the place of `passed`.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import msgspec

from runner.errors import InputError
from runner.jsonl import Row, read_rows
from runner.languages import language_named
from runner.metrics.edit_rows import EditRow, references_of
from runner.metrics.sample import Sample
from runner.metrics.similarity import exact
from runner.metrics.tokens import leaves, normalise
from runner.structs import fix


class ProblemRow(EditRow, frozen=True, kw_only=True):
    """A line of `problems.jsonl`."""

    problem: str
    lang: str | None = None
    test: str | None = None


class AnswerRow(msgspec.Struct, frozen=True):
    """A line of `predictions.jsonl`."""

    problem: str
    prediction: str
    passed: bool | None = None
    n_ok: Annotated[int, msgspec.Meta(ge=0), fix("give how many of the `n` passed, a whole number")] | None = None
    n: Annotated[int, msgspec.Meta(ge=1), fix("give how many there were, a whole number from 1 on")] | None = None
    model: str | None = None


@dataclass(frozen=True, slots=True)
class Problem:
    """An edit that is asked for; `test` is a script that fails behind the origin and passes behind a reference."""

    name: str
    language: str | None
    origin: str
    references: tuple[str, ...]
    test: str | None


@dataclass(frozen=True, slots=True)
class LabelledAnswer:
    """An answer and whether it passed its tests; the sample's texts are free of comments and blank lines.

    It stands for `count` answers of the same text and the same result.
    """

    problem: str
    model: str
    sample: Sample
    passed: bool
    count: int = 1

    @property
    def exact(self) -> bool:
        """The answer is a reference, but for comments, blank lines and blanks at the ends of lines."""
        return self.sample.hypothesis in self.sample.references

    @property
    def nothing(self) -> bool:
        """The answer is the origin, compared in the same way."""
        return self.sample.hypothesis == self.sample.origin

    @property
    def exact_by_token(self) -> bool:
        """The answer has the tokens of a reference: its lines may be broken and its blanks set differently."""
        return exact(self.sample) == 1

    @property
    def nothing_by_token(self) -> bool:
        """The answer has the tokens of the origin."""
        sample = self.sample
        return leaves(sample.hypothesis, sample.language) == leaves(sample.origin, sample.language)


def answer(problem: Problem, text: str, *, model: str, passed: bool) -> LabelledAnswer:
    """Return an answer to a problem; every text loses its comments and blank lines here, before any measure."""
    language = problem.language
    sample = Sample(
        normalise(problem.origin, language),
        tuple(normalise(reference, language) for reference in problem.references),
        normalise(text, language),
        language,
    )
    return LabelledAnswer(problem.name, model, sample, passed)


def read_problems(folder: Path) -> dict[str, Problem]:
    """Return the problems by name. Raises InputError naming file, line and field."""
    problems: dict[str, Problem] = {}
    for row in read_rows(_file(folder, "problems")):
        problem = _problem(row)
        if problem.name in problems:
            raise InputError(f"{row.where}: field 'problem': {problem.name!r} is there already; name it differently")
        problems[problem.name] = problem
    if not problems:
        raise InputError(f"{folder}: no problems in it; write one object a line into problems.jsonl")
    return problems


def read_answers(folder: Path, models: str = "") -> list[LabelledAnswer]:
    """Return the answers of the models whose names match the regular expression `models`, problem by problem.

    Raises InputError naming file, line and field, or the models there are when none matches.
    """
    pattern = _pattern(models)
    problems = read_problems(folder)
    seen: set[str] = set()
    answers = []
    for row in read_rows(_file(folder, "predictions")):
        form = row.read(AnswerRow)
        model = form.model or ""
        seen.add(model)
        if not pattern.search(model):
            continue
        if form.problem not in problems:
            problem = f"no problem is called {form.problem!r}; there are: {_some(problems)}"
            raise InputError(f"{row.where}: field 'problem': {problem}")
        answers += _labelled(row, form, problems[form.problem], model)
    if not answers:
        raise InputError(f"--models: no answer's model matches {models!r}; there are: {_some(sorted(seen))}")
    # Problem by problem, so that what is made of an origin is still remembered for the next answer.
    return sorted(answers, key=lambda answer: answer.problem)


def _labelled(row: Row, form: AnswerRow, problem: Problem, model: str) -> list[LabelledAnswer]:
    """Return an answer for each result that the row has: one, or where only some of its `n` passed, two."""
    return [
        replace(answer(problem, form.prediction, model=model, passed=passed), count=count)
        for passed, count in _results(row, form)
        if count
    ]


def _results(row: Row, form: AnswerRow) -> tuple[tuple[bool, int], ...]:
    if form.passed is not None:
        if form.n_ok is not None or form.n is not None:
            raise InputError(f"{row.where}: field 'passed' stands beside 'n_ok' or 'n'; give one or the others")
        return ((form.passed, 1),)
    if form.n_ok is None or form.n is None:
        raise InputError(f"{row.where}: field 'passed' is missing; add true or false, or 'n_ok' and 'n'")
    if form.n_ok > form.n:
        raise InputError(f"{row.where}: field 'n_ok' is more than 'n'; fix one of them")
    return ((True, form.n_ok), (False, form.n - form.n_ok))


def _problem(row: Row) -> Problem:
    form = row.read(ProblemRow)
    return Problem(
        form.problem,
        language_named(form.lang, f"{row.where}: field 'lang'") if form.lang else None,
        form.origin,
        references_of(row, form),
        form.test,
    )


def _file(folder: Path, name: str) -> Path:
    candidates = [folder / f"{name}.jsonl", folder / f"{name}.jsonl.gz"]
    files = [path for path in candidates if path.is_file()]
    if not files:
        raise InputError(f"{folder}: no {name}.jsonl and no {name}.jsonl.gz in it; give a folder that has one")
    return files[0]


def _pattern(models: str) -> re.Pattern[str]:
    try:
        return re.compile(models)
    except re.error as error:
        raise InputError(f"--models: {models!r} is not a regular expression ({error}); fix it") from None


def _some(names: Iterable[str]) -> str:
    listed = list(names)
    more = f" and {len(listed) - 8} more" if len(listed) > 8 else ""
    return ", ".join(listed[:8]) + more
