"""A suite that the package does not know has all that a run gives: previews, budgets, resuming, replays, reports."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from runner.errors import InputError
from runner.report.export import records
from runner.run.execute import Executed, execute
from runner.run.replay import replay_run
from runner.run.rescore import rescore_run
from runner.run.suite import ReplayOptions
from runner.storage.runs import find_run
from runner.storage.store import Row, Store
from suts.sut import Sut
from tests.runner.scripted import Scripted, whole
from tests.runner.virtual_time import now_ns
from tests.toy_suite import SUITE, ToyOptions

MODELS = "sim/any?time=virtual&valid=0.7&applied=0.6,sim/careful?time=virtual"
WORDS = ["ash", "birch", "cedar", "elm", "fir", "hazel", "larch", "maple", "oak", "pine", "rowan", "willow"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PaidOptions(ToyOptions):
    """Options of a run that asks `sut`, which is taken for one that is paid for."""

    sut: Sut

    @property
    def builder(self) -> Callable[[str], Sut]:
        return lambda _model: self.sut


@pytest.fixture
def options(tmp_path: Path) -> ToyOptions:
    file = tmp_path / "words.txt"
    file.write_text("\n".join(WORDS), encoding="utf-8")
    return ToyOptions(words=file, model_ids=MODELS, quota=2, db=tmp_path / "evals.db", seed=3, json=True)


@pytest.fixture
def paid(options: ToyOptions) -> PaidOptions:
    sut = Scripted([whole("ASH", 10, 5)], now_ns)
    shared = {name: getattr(options, name) for name in ("words", "db")}
    return PaidOptions(sut=sut, model_ids=sut.name, **shared)


@pytest.fixture
def answering(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Has a person at the terminal of this process type a line."""
    person, terminal = os.openpty()

    def types(line: str) -> None:
        os.write(person, line.encode())

    with open(terminal, encoding="utf-8") as stdin, open(person, "rb", buffering=0):  # noqa: PTH123 - descriptors
        monkeypatch.setattr(sys, "stdin", stdin)
        yield types


def rows(db: Path, run_id: str) -> list[tuple[Any, ...]]:
    """What must be the same however a run was interrupted."""
    names = ("model_id", "case_id", "number", "outcome", "valid", "raw_output", "edited_file")
    with closing(Store.open(db, create=False)) as store:
        return [tuple(record[name] for name in names) for record in records(store, run_id)]


def executed(options: ToyOptions) -> tuple[Executed[Any], list[tuple[Any, ...]]]:
    done = execute(SUITE, options)
    return done, rows(options.db, done.run_id or options.run_id)


@pytest.fixture
def ran(options: ToyOptions) -> Iterator[tuple[Store, Row]]:
    """The database of a whole run, and the run."""
    run_id = execute(SUITE, options).run_id
    with closing(Store.open(options.db)) as store:
        yield store, find_run(store, run_id)


def test_a_run_finds_exactly_what_the_simulated_models_give(options: ToyOptions) -> None:
    done, found = executed(options)

    assert done.exit_code == 0
    assert len(done.expected) == 2
    for expected in done.expected:
        own = [row for row in found if row[0] == expected.sut]
        assert sum(row[4] for row in own) == expected.answers == 2 * len(WORDS)
        assert sum(row[3] == "solved" for row in own) == expected.right
    assert 0 < done.expected[0].right < done.expected[0].answers


@pytest.mark.parametrize("interrupts, code", [pytest.param(1, 3, id="drained"), pytest.param(2, 130, id="stopped")])
def test_an_interrupted_run_goes_on_to_the_rows_of_a_whole_one(options: ToyOptions, interrupts: int, code: int) -> None:
    _, whole_rows = executed(replace(options, run_id="whole"))

    cut, some = executed(replace(options, run_id="cut", interrupts=interrupts))
    done, found = executed(replace(options, resume="cut"))

    assert (cut.exit_code, done.exit_code, done.run_id) == (code, 0, "cut")
    assert len([row for row in some if row[3] != "lost"]) < len(whole_rows)
    assert [row for row in found if row[3] != "lost"] == whole_rows


def test_a_run_with_other_words_is_another_run(options: ToyOptions) -> None:
    execute(SUITE, replace(options, run_id="r"))
    options.words.write_text("yew", encoding="utf-8")

    with pytest.raises(InputError, match="--run-id r: is another run"):
        execute(SUITE, replace(options, run_id="r"))


def test_a_replay_with_another_reading_is_a_run_of_its_own(ran: tuple[Store, Row]) -> None:
    store, run = ran

    replayed = replay_run(SUITE, store, run, ReplayOptions(parser="any-case"), lambda _line: None)

    before = [record for record in records(store, run["run_id"]) if record["valid"]]
    after = [record for record in records(store, replayed.run_id) if record["valid"]]
    assert find_run(store, replayed.run_id)["replay_of"] == run["run_id"]
    assert replayed.answers > len(before) == len(after) == 4 * len(WORDS)
    assert {record["outcome"] for record in before} == {"solved", "unsolved"}
    assert {record["outcome"] for record in after} == {"solved"}


def test_a_replay_that_the_suite_refuses_leaves_nothing_behind(ran: tuple[Store, Row]) -> None:
    store, run = ran

    with pytest.raises(InputError, match="--parser: 'no' is not known; give exact or any-case"):
        replay_run(SUITE, store, run, ReplayOptions(parser="no"), lambda _line: None)

    assert len(store.rows("SELECT run_id FROM runs")) == 1


def test_stored_answers_are_scored_by_more_metrics(ran: tuple[Store, Row]) -> None:
    store, run = ran

    count = rescore_run(SUITE, store, run, ["es-line"])

    scores = store.rows("SELECT s.outcome, x.value FROM scores x JOIN scorings s USING (scoring_id)")
    assert count == len(scores) == 4 * len(WORDS)
    assert {row["value"] for row in scores if row["outcome"] == "solved"} == {1.0}
    assert all(row["value"] < 1 for row in scores if row["outcome"] == "unsolved")


def test_the_report_says_that_the_models_are_simulated(ran: tuple[Store, Row]) -> None:
    report = SUITE.report(*ran, None)

    assert [variant.simulated for variant in report.data["variants"]] == [True, True]
    assert [variant.valid for variant in report.data["variants"]] == [2 * len(WORDS)] * 2
    assert report.document.tables


def test_a_dry_run_shows_a_bound_on_the_cost_and_writes_nothing(options: ToyOptions) -> None:
    done = execute(SUITE, replace(options, dry_run=True))

    data = done.preview.data
    assert (done.exit_code, done.run_id, options.db.exists()) == (0, "", False)
    assert (data["suite"], data["cases"], data["attempts"]) == ("toy", len(WORDS), 2 * 2 * len(WORDS))
    assert 0 < data["estimated_usd"] < data["bound_usd"]


def test_a_budget_is_refused_where_the_price_is_unknown(paid: PaidOptions) -> None:
    with pytest.raises(InputError, match="--budget: the price of test/scripted is unknown"):
        execute(SUITE, replace(paid, budget=1.0))

    assert not paid.db.exists()


def test_a_budget_that_is_spent_ends_the_session_and_more_money_goes_on(options: ToyOptions) -> None:
    # Answers of at most 50 tokens: a call costs about what is set aside for it.
    short = replace(options, run_id="r", max_tokens=50)

    capped, some = executed(replace(short, budget=0.002))
    done, found = executed(replace(short, budget=1000.0))

    assert (capped.exit_code, done.exit_code) == (3, 0)
    assert 0 < sum(row[4] for row in some) < sum(row[4] for row in found) == 4 * len(WORDS)


@pytest.mark.parametrize("typed, asked", [pytest.param("n\n", 0, id="no"), pytest.param("yes\n", 12, id="yes")])
def test_a_paid_run_asks_the_person_at_the_terminal(
    paid: PaidOptions, answering: Callable[[str], None], typed: str, asked: int
) -> None:
    answering(typed)

    done = execute(SUITE, replace(paid, cap=1))

    assert isinstance(paid.sut, Scripted)
    assert (len(paid.sut.asked), bool(done.run_id), paid.db.exists()) == (asked, asked > 0, asked > 0)


def test_consent_that_was_given_by_an_option_is_not_asked_for(
    paid: PaidOptions, answering: Callable[[str], None]
) -> None:
    answering("n\n")

    done = execute(SUITE, replace(paid, cap=1, yes=True))

    assert done.run_id


def test_a_real_system_is_never_told_the_truth(paid: PaidOptions) -> None:
    execute(SUITE, replace(paid, cap=1, yes=True))

    assert isinstance(paid.sut, Scripted)
    assert len(paid.sut.asked) == len(WORDS)
    assert {request.truth for request in paid.sut.asked} == {None}
