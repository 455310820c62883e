"""A run's answers as a folder that `evals study` reads: its problems, and each answer with whether it passed."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from runner.errors import InputError
from runner.storage.rows import detail_of, to_json
from runner.storage.store import Row, Store
from runner.suites.edit.plan import SUITE
from runner.suites.edit.problems import EditProblem, parse_problem

_ANSWERS = """
SELECT t.*, s.edited_id, s.detail,
    (SELECT max(simulated) FROM variants v WHERE v.run_id = t.run_id AND v.sut = t.sut) AS simulated
FROM attempts t JOIN scorings s USING (scoring_id)
WHERE t.run_id = ? ORDER BY t.sut, t.prompt, t.diff_algorithm, t.case_id, t.number
"""
_CASES = "SELECT content_id FROM cases WHERE run_id = ? AND skipped IS NULL ORDER BY position"


@dataclass(frozen=True, slots=True)
class Exported:
    """The rows of both files, and how many answers are left out by their outcome: they made no file."""

    problems: tuple[dict[str, object], ...]
    predictions: tuple[dict[str, object], ...]
    left_out: dict[str, int]


def export_run(store: Store, run: Row) -> Exported:
    """What a study takes of a run.

    An edit that did not come about left the file as it was. Answers that are none (no file, several) are left out, and
    so are those whose test could not be run. Raises InputError for another suite and for a run without answers.
    """
    if run["suite"] != SUITE:
        raise InputError(f"run {run['run_id']}: is of suite {run['suite']}; export takes runs of `evals edit run`")
    problems = [parse_problem(store.text(row["content_id"]) or "") for row in store.rows(_CASES, run["run_id"])]
    origins = {problem.case_id: problem for problem in problems}
    rows = store.rows(_ANSWERS, run["run_id"])
    left_out: dict[str, int] = {}
    for row in rows:
        if not row["valid"]:
            left_out[row["outcome"]] = left_out.get(row["outcome"], 0) + 1
    several = len({(row["prompt"], row["diff_algorithm"]) for row in rows}) > 1
    predictions = tuple(_predictions(store, rows, origins, several=several))
    if not predictions:
        raise InputError(f"run {run['run_id']}: has no valid answer to export")
    return Exported(tuple(problem.as_row for problem in problems), predictions, left_out)


def _predictions(
    store: Store, rows: Iterable[Row], problems: dict[str, EditProblem], *, several: bool
) -> Iterator[dict[str, object]]:
    for row in rows:
        if not row["valid"]:
            continue
        edited = store.text(row["edited_id"])
        detail = detail_of(row)
        words = (row["sut"], row["prompt"], row["diff_algorithm"]) if several else (row["sut"],)
        yield {
            "problem": row["case_id"],
            "model": " ".join(filter(None, words)),
            "simulated": bool(row["simulated"]),
            "sample": row["number"],
            "prediction": problems[row["case_id"]].origin if edited is None else edited,
            "passed": bool(row["solved"]),
            "outcome": row["outcome"],
            "verdict": detail.get("verdict"),
        }


def write_export(exported: Exported, folder: Path) -> None:
    """Write both files, each whole or not at all. Raises InputError where that cannot be done."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, rows in (("problems", exported.problems), ("predictions", exported.predictions)):
            part = folder / f"{name}.jsonl.part"
            part.write_text("".join(f"{to_json(row)}\n" for row in rows), encoding="utf-8")
            part.replace(folder / f"{name}.jsonl")
    except OSError as error:
        raise InputError(f"--out {folder}: cannot be written ({error.strerror}); give another folder") from None
