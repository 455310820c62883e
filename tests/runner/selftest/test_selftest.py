"""The selftest on trial itself: it holds with the product's parts, and fails with a wrong one, in the right place."""

import time
from dataclasses import replace
from pathlib import Path

import pytest

from parsers.blocks import Parser
from runner.cli.selftest import SelftestOptions, selftest
from runner.errors import InputError
from runner.prices import Price, Prices
from runner.records import Completion, Outcome, Scoring
from runner.report.tables import SIMULATED
from runner.run.diff_scoring import EditedFile, score_answer
from runner.selftest import SelftestResult, prove
from runner.selftest.parts import FAST, Parts, Scale, simulated_prices, strictly_valid
from runner.selftest.present import document

SMALL = Scale(cases=6, quota=1, slots=24)
CLOCKS = {"first token against the server's", "round trip against the server's"}
# So few requests need not meet every kind of fault.
BY_CHANCE = {*CLOCKS, "faults on the way"}


def proof(folder: Path, parts: Parts, scale: Scale = SMALL) -> SelftestResult:
    folder.mkdir()
    return prove(parts, scale, folder, lambda _: None)


def wrong(found: SelftestResult) -> set[str]:
    return {one.name for one in found.checks if not one.ok}


def told(found: SelftestResult) -> str:
    return "\n".join(str(one) for one in found.checks if not one.ok)


@pytest.fixture(scope="module")
def right(tmp_path_factory: pytest.TempPathFactory) -> SelftestResult:
    """With the product's own parts."""
    return proof(tmp_path_factory.mktemp("right") / "run", Parts())


@pytest.mark.wide
def test_the_parts_of_the_product_hold(right: SelftestResult) -> None:
    """But for the clocks, which hold only where nothing else runs: the slow tier tests them."""
    assert wrong(right) <= BY_CHANCE, told(right)


@pytest.mark.wide
def test_the_parts_of_the_product_hold_over_as_many_requests_as_it_makes(tmp_path: Path) -> None:
    found = proof(tmp_path / "run", Parts(), FAST)

    assert wrong(found) <= CLOCKS, told(found)


@pytest.mark.slow
def test_the_clocks_of_the_product_hold_where_nothing_else_runs(tmp_path: Path) -> None:
    # Another program may have made the clocks late, once or twice.
    tries = [proof(tmp_path / "0", Parts(), FAST)]
    while wrong(tries[-1]) & CLOCKS and len(tries) < 3:
        tries.append(proof(tmp_path / str(len(tries)), Parts(), FAST))

    assert tries[-1].holds, told(tries[-1])


@pytest.mark.wide
def test_every_model_is_asked_over_its_wire_and_every_fault_strikes(right: SelftestResult) -> None:
    suts = {one.sut.partition("?")[0] for one in right.checks}

    assert {"openai/any", "openai/chatty", "anthropic/any", "anthropic/chatty", "sim/sloppy"} <= suts
    assert "faults on the way" in {one.name for one in right.checks}


@pytest.mark.wide
def test_the_table_says_that_the_models_are_simulated_and_how_late_the_loop_was(right: SelftestResult) -> None:
    shown = document(right)

    assert SIMULATED in shown.notes
    assert any(note.startswith("event loop, a tick every 10 ms") for note in shown.notes)
    assert len(shown.tables[0].rows) == len(right.checks)
    assert right.late_ms


@pytest.mark.wide
def test_what_does_not_hold_comes_first(right: SelftestResult) -> None:
    held = tuple(replace(one, ok=True) for one in right.checks)
    spoilt = replace(right, checks=(*held, replace(held[0], ok=False)))

    rows = document(spoilt).tables[0].rows

    assert [row[0] for row in rows[:2]] == ["WRONG", "ok"]
    assert not spoilt.holds


def test_a_folder_that_is_there_is_not_written_into(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="name a new folder"):
        selftest(SelftestOptions(keep=tmp_path))


def flipping(
    case: EditedFile, completion: Completion, parser: tuple[str, Parser], *rest: object
) -> tuple[Scoring, ...]:
    """A scorer that takes right edits for misses, and misses for right edits."""
    other = {Outcome.APPLIED: Outcome.NO_MATCH, Outcome.NO_MATCH: Outcome.APPLIED}
    scorings = score_answer(case, completion, parser, *rest)  # type: ignore[arg-type]
    return tuple(replace(one, outcome=other.get(one.outcome, one.outcome)) for one in scorings)


def lax(outcome: Outcome) -> bool:
    """A validity rule that accepts the call of another tool."""
    return outcome is Outcome.OTHER_TOOL or strictly_valid(outcome)


def hasty_ns() -> int:
    """A clock that runs 5 % fast."""
    return round(time.monotonic_ns() * 1.05)


def dear(dearer_usd: float) -> Prices:
    """A table in which a million tokens of output cost so much more."""
    right = simulated_prices()
    models = {
        name: Price(replace(price.rate, output=price.rate.output + dearer_usd)) for name, price in right.models.items()
    }
    return replace(right, models=models)


@pytest.mark.slow
def test_a_scorer_that_flips_outcomes_is_found_out(tmp_path: Path) -> None:
    found = proof(tmp_path / "run", Parts(score=flipping))

    assert "attempts, valid, applied" in wrong(found)
    assert "right of valid" in wrong(found)
    assert wrong(found) <= {"attempts, valid, applied", "right of valid", *BY_CHANCE}


@pytest.mark.slow
def test_a_validity_rule_that_accepts_another_tool_is_found_out(tmp_path: Path) -> None:
    found = proof(tmp_path / "run", Parts(valid=lax), replace(SMALL, cases=12))

    assert "attempts, valid, applied" in wrong(found)
    assert "requests, each accounted for" not in wrong(found)


@pytest.mark.slow
def test_a_clock_that_runs_fast_is_found_out(tmp_path: Path) -> None:
    found = proof(tmp_path / "run", Parts(now_ns=hasty_ns))

    assert "round trip against the server's" in wrong(found)
    assert wrong(found) <= BY_CHANCE


@pytest.mark.slow
def test_a_price_that_is_off_by_a_cent_is_found_out(tmp_path: Path) -> None:
    found = proof(tmp_path / "run", Parts(prices=dear(0.01)))

    assert wrong(found) >= {"cost"}
    assert wrong(found) <= {"cost", *BY_CHANCE}
