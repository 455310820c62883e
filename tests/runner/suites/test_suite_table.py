"""docs/suites.md is true of every suite: dry runs, interrupts, replays, metrics, reports and exports."""

import json
import os
import re
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from runner.cli import main
from runner.records import Result
from runner.run.engine import Lane
from runner.run.plan import Plan
from runner.run.protocols import Ask
from runner.run.suite import Attempts, Prepared, Say
from runner.suites import SUITES, suite_named

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "suites.md").read_text(encoding="utf-8")
MODEL = "sim/any?time=virtual&valid=0.8"
# Suites that no command of their own runs: Codev-Bench's files surround one, the order of replays asks the other.
INNER = {"codev", "relations"}
NAMES = sorted(SUITES.keys() - INNER)
LONG = {"edit", "nextedit"}
registered = pytest.mark.parametrize("name", NAMES)


@dataclass(frozen=True)
class Row:
    """The words of a small run of a suite, and of a replay of it; `refuses` says of what a command complains."""

    run: str
    replay: str
    refuses_replay: str = ""
    refuses_rescore: str = ""
    quota: int = 2


ROWS = {
    "diff_edit": Row("diff --cases cases/diff_edit --max-cases 3", "--diff-apply v1"),
    "edit": Row("edit run cases/edit/problems.jsonl --max-cases 1 --prompts basic", "--diff-apply v1", quota=4),
    "codrep": Row("codrep run cases/codrep --max-cases 3", "--parser line-number"),
    "completion": Row(
        "completion run cases/completion/shelf.jsonl --max-cases 3 --max-concurrency 1 -j 1", "--parser trimmed"
    ),
    "nextedit": Row(
        "nextedit --cases cases/nextedit --max-concurrency 1",
        "--parser xml-tools-v3",
        refuses_rescore="any of several edits",
        quota=1,
    ),
}
FILES = Row(
    "edit run cases/edit/problems.jsonl --max-cases 1",
    "--parser xml-tools-v3",
    "there is no parser or algorithm to vary",
)


@dataclass(frozen=True)
class Done:
    code: object
    out: str
    err: str


Evals = Callable[[str], Done]


@pytest.fixture
def evals(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Evals:
    """Calls the program in this process, without any key, with a database of the test's own."""
    for name in [name for name in os.environ if name.endswith("_API_KEY")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("EVALS_DB", str(tmp_path / "evals.db"))
    monkeypatch.chdir(ROOT)

    def call(words: str) -> Done:
        monkeypatch.setattr(sys, "argv", ["evals", *words.split()])
        with pytest.raises(SystemExit) as stopped:
            main()
        printed = capsys.readouterr()
        return Done(stopped.value.code or 0, printed.out, printed.err)

    return call


def run_words(row: Row, run_id: str) -> str:
    return f"{row.run} --model-ids {MODEL} -n {row.quota} --seed 5 --run-id {run_id}"


def exported(evals: Evals, run_id: str) -> list[tuple[Any, ...]]:
    """What must be the same however a run was interrupted."""
    done = evals(f"export {run_id} --format jsonl")
    assert done.code == 0, done.err
    names = ("model_id", "prompt", "parser", "diff_algorithm", "case_id", "step", "number", "outcome", "raw_output")
    records = [json.loads(line) for line in done.out.splitlines()]
    return [tuple(record[name] for name in names) for record in records if record["outcome"] != "lost"]


def interrupting(attempts: Attempts) -> Attempts:
    """The attempts, of which the third sends the signal of Ctrl-C when it begins."""
    begun = iter(range(1, 1_000_000))

    async def attempt(lane: Lane, ask: Ask, number: int) -> Result:
        if next(begun) == 3:
            os.kill(os.getpid(), signal.SIGINT)
        return await attempts.attempt(lane, ask, number)

    return replace(attempts, attempt=attempt)


@contextmanager
def interrupted(name: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Has every run of a suite interrupted after its first answers."""
    suite = suite_named(name)

    @contextmanager
    def attempt(plan: Plan[Any], say: Say) -> Iterator[Prepared]:
        with suite.attempt(plan, say) as prepared:

            def begin(lanes: Sequence[Lane]) -> Attempts:
                return interrupting(prepared.begin(lanes))

            yield replace(prepared, begin=begin)

    with monkeypatch.context() as patch:
        patch.setattr(import_module(f"{SUITES[name]}.suite"), "SUITE", replace(suite, attempt=attempt))
        yield


def ended(done: Done, refusal: str) -> bool:
    """Whether a command did its work, or refused it in one line with this reason."""
    if not refusal:
        return done.code == 0
    return done.code == 2 and refusal in done.err and done.err.count("\n") == 1


def test_the_page_has_a_column_for_each_suite_and_a_row_of_tests_too() -> None:
    header = next(line for line in PAGE.splitlines() if line.startswith("| |"))

    assert set(re.findall(r"\| (\w+) ", header)) == SUITES.keys() - INNER == ROWS.keys()


@registered
def test_the_page_names_the_command_of_a_suite(name: str) -> None:
    words = re.match(r"(?:edit run|codrep run|completion run|\w+)", ROWS[name].run)

    assert words is not None
    assert f"`evals {words[0]}`" in next(line for line in PAGE.splitlines() if line.startswith("| command"))


@registered
def test_a_dry_run_prints_a_bound_on_the_cost_and_writes_nothing(name: str, evals: Evals, tmp_path: Path) -> None:
    done = evals(f"{run_words(ROWS[name], 'dry')} --dry-run --json")

    data = json.loads(done.out)
    assert done.code == 0, done.err
    assert (data["suite"], data["dry_run"]) == (name, True)
    assert 0 < data["estimated_usd"] < data["bound_usd"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.wide] if name in LONG else []) for name in NAMES]
)
def test_a_run_is_interrupted_resumed_replayed_rescored_reported_and_exported(
    name: str, evals: Evals, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = ROWS[name]
    first = evals(run_words(row, "whole"))
    whole = exported(evals, "whole")

    with interrupted(name, monkeypatch):
        cut = evals(run_words(row, "cut"))
    some = exported(evals, "cut")
    resumed = evals(run_words(row, "cut"))

    assert (first.code, cut.code, resumed.code) == (0, 3, 0), first.err + cut.err + resumed.err
    assert 0 < len(some) < len(whole)
    assert exported(evals, "cut") == whole
    assert ended(evals(f"replay --run-id whole {row.replay}"), row.refuses_replay)
    assert ended(evals("rescore whole --metric es-line"), row.refuses_rescore)
    report = evals("report whole --json")
    assert all(variant["simulated"] for variant in json.loads(report.out)["variants"])


def test_whole_files_are_not_replayed(evals: Evals) -> None:
    evals(run_words(FILES, "files"))

    assert ended(evals(f"replay --run-id files {FILES.replay}"), FILES.refuses_replay)
