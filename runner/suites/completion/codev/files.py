"""Writes what Codev-Bench wrote: predictions, results, scores and the tables of all scores, in its fields."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from runner.errors import InputError
from runner.storage.rows import to_json
from runner.suites.completion.codev.judging import Reply, StepResults
from runner.suites.completion.codev.rules import GROUP_NAMES, MEASURES, PROCESSES, Scored, scores_of, table_row
from runner.suites.completion.codev.tasks import CodevTask


@dataclass(frozen=True, slots=True)
class Prediction:
    """A task, the reply of a model, and how many seconds it took."""

    task: CodevTask
    reply: Reply
    latency: float | None

    @property
    def row(self) -> dict[str, object]:
        """The task's own fields and the three of a prediction."""
        fields = {"response_original_text": self.reply.text, "response": self.reply.response, "latency": self.latency}
        return {**self.task.row, **fields}

    def scored(self, passed: bool | None) -> Scored:
        """What the scores take of it."""
        return Scored(self.task.block_type, passed, self.reply.response, self.task.middle, self.latency)


@dataclass(frozen=True, slots=True)
class CodevOutcome:
    """All predictions of one model for one file of prompts, and the verdicts on them, in the same order."""

    mode: str
    model: str
    predictions: tuple[Prediction, ...]
    judged: tuple[StepResults, ...] = ()
    simulated: bool = False

    @property
    def name(self) -> str:
        """The model's name as a file may be called."""
        return "".join(letter if letter.isalnum() or letter in "-_.@=," else "_" for letter in self.model)

    def scored(self) -> list[Scored]:
        """What the scores take: as the original judged."""
        return [
            prediction.scored(verdict.original)
            for prediction, verdict in zip(self.predictions, self.judged, strict=True)
        ]


def write_predictions(outcome: CodevOutcome, out: Path) -> None:
    """`<mode>/predictions/<model>.jsonl`. Raises InputError where that cannot be written, as all of these do."""
    place = out / outcome.mode / "predictions" / f"{outcome.name}.jsonl"
    write_rows(place, (prediction.row for prediction in outcome.predictions), "--out")


def write_judged(outcome: CodevOutcome, out: Path) -> None:
    """`results/<model>.jsonl.<k>`, k the process that a repository fell to, and `scores/<model>.jsonl`."""
    folder = out / outcome.mode
    repos = {
        repo: at for at, repo in enumerate(dict.fromkeys(prediction.task.repo for prediction in outcome.predictions))
    }
    rows: dict[int, list[dict[str, object]]] = {}
    for prediction, verdict in zip(outcome.predictions, outcome.judged, strict=True):
        process = repos[prediction.task.repo] % PROCESSES
        rows.setdefault(process, []).append({**prediction.row, "is_all_passed": verdict.original})
    for process in range(PROCESSES):
        place = folder / "results" / f"{outcome.name}.jsonl.{process}"
        if process in rows:
            write_rows(place, rows[process], "--out")
        else:
            # Of an earlier evaluation of other tasks.
            place.unlink(missing_ok=True)
    _write(folder / "scores" / f"{outcome.name}.jsonl", to_json(scores_of(outcome.scored())) + "\n")


def write_tables(outcomes: Sequence[CodevOutcome], out: Path) -> None:
    """`all_scores/<measure>.csv`: a row for each scene and model; the similarity twice, for it had two values."""
    for measure in MEASURES:
        stream = io.StringIO(newline="")
        writer = csv.writer(stream)
        writer.writerow(["scene", "Model", *GROUP_NAMES, "Average"])
        for outcome in outcomes:
            values = ("" if value is None else value for value in table_row(outcome.scored(), measure))
            writer.writerow([outcome.mode, outcome.model, *values])
        _write(out / "all_scores" / f"{measure}.csv", stream.getvalue())


def write_rows(path: Path, rows: Iterable[Mapping[str, object]], option: str) -> None:
    """Write a file of rows whole or not at all. Raises InputError naming the option of the folder."""
    _write(path, "".join(f"{to_json(row)}\n" for row in rows), option)


def _write(path: Path, text: str, option: str = "--out") -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f"{path.name}.part")
        part.write_text(text, encoding="utf-8", newline="")
        part.replace(path)
    except OSError as error:
        raise InputError(f"{option}: {path} cannot be written ({error.strerror}); give another folder") from None
