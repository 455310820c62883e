"""Opens the judges of Codev-Bench's repositories, whose tests do not see where the truth stands."""

from collections.abc import Iterable
from functools import cache
from pathlib import Path

from runner.execution.copies import target
from runner.execution.isolation import Isolation, Weak, permitted
from runner.execution.repository_judge import Judge
from runner.suites.completion.codev.judging import JudgeOf
from runner.suites.completion.codev.options import CodevOptions
from runner.suites.completion.judge import database_files, interpreter_of, search_path


def judges_of(options: CodevOptions) -> JudgeOf:
    """How the judge of a repository is made, given the interpreter that it has brought, if any."""
    folders = () if options.codev_dir is None else (options.codev_dir / "prompts",)
    read = () if options.predictions is None else (options.predictions,)
    truths = (*(options.prompts or ()), *folders, *read, options.out, *database_files(options.db))

    @cache
    def isolation() -> Isolation:
        # What a weak sandbox permits is reported once.
        return permitted(Weak(options.weak_sandbox, options.yes))

    def judge_of(repo: Path, brought: Path | None) -> Judge:
        chosen = options.python or (str(brought) if brought is not None else "")
        interpreter = target(interpreter_of(chosen), search_path())
        return Judge(repo, interpreter, isolation(), hidden=_hideable(truths, [repo, *interpreter.needed]))

    return judge_of


def _hideable(places: Iterable[Path], requested: Iterable[Path]) -> list[Path]:
    """The places that are there and hide nothing that is wanted, each of them outside the others and the wanted."""
    needed = [place.resolve() for place in requested]
    kept: list[Path] = []
    for place in sorted({place.resolve() for place in places if place.exists()}):
        if not any(other.is_relative_to(place) or place.is_relative_to(other) for other in (*needed, *kept)):
            kept.append(place)
    return kept
