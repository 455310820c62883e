"""The trials of edit tools: they hold with the product's own parts, and fail with a wrong one."""

import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from runner.records import Completion, Outcome, Scoring
from runner.run.diff_scoring import EditedFile, score_answer
from runner.selftest.checks import Check
from runner.selftest.parts import Parts, Scale
from runner.selftest.tool_trials import TOOLS, checks_of_tools, clocks_of_tools

ONE = Scale(cases=0, quota=0, slots=24, tool_cases=1)


def checks(folder: Path, parts: Parts, *names: str) -> list[Check]:
    """The checks but that of the faults: so few requests need not meet every kind."""
    return [*checks_of_tools(parts, ONE, folder, lambda _: None, names)][:-1]


def lenient(case: EditedFile, completion: Completion, *rest: object) -> tuple[Scoring, ...]:
    """A scorer to which every edit has another outcome where nothing matched."""
    found = score_answer(case, completion, *rest)  # type: ignore[arg-type]
    return tuple(replace(one, outcome=Outcome.AMBIGUOUS) if one.outcome is Outcome.NO_MATCH else one for one in found)


@pytest.mark.slow
def test_every_tool_has_the_planted_counts_and_answers_over_each_wire_whatever_the_faults(tmp_path: Path) -> None:
    found = checks(tmp_path, Parts(), *TOOLS)

    assert [one.sut for one in found] == [prompt for name in TOOLS for prompt in (name, f"native/{name}")]
    assert [one for one in found if not one.ok] == []


@pytest.mark.slow
def test_a_wrong_scorer_is_found_with_calls_in_the_text_and_with_native_ones(tmp_path: Path) -> None:
    found = checks(tmp_path, Parts(score=lenient), "hashline")

    assert [(one.sut, one.ok) for one in found] == [("hashline", False), ("native/hashline", False)]
    assert "attempts, valid, applied" in found[0].actual


@pytest.mark.slow
def test_the_clocks_of_tools_are_held_against_the_servers_over_each_wire(tmp_path: Path) -> None:
    found = [*clocks_of_tools(Parts(), ONE, tmp_path / "clocks", lambda _: None, ["text-editor", "apply-patch"])]

    wires = ("openai-chat", "openai-responses", "anthropic-messages")
    assert Counter(check.sut for check in found) == {f"all tools over {wire}": 2 for wire in wires}
    # Another program may have made some clocks late; they are never off by as much as a model takes.
    assert all(float(check.actual.partition(" ")[0]) < 1000 for check in found)


@pytest.mark.slow
def test_a_clock_that_runs_too_fast_is_found_with_edit_tools(tmp_path: Path) -> None:
    fast = Parts(now_ns=lambda: time.monotonic_ns() * 3)

    found = [*clocks_of_tools(fast, ONE, tmp_path / "clocks", lambda _: None, ["text-editor"])]

    assert not any(check.ok for check in found if check.name.startswith("round trip"))
