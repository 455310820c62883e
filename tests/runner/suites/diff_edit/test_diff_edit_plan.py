"""Everything is checked and resolved before anything is written or sent; what is refused says how to mend it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from diff_apply import DIFF_ALGORITHMS
from runner.edit_tools import DEFAULT_EDIT_TOOL
from runner.errors import InputError
from runner.prices import Price, Prices, Rate
from runner.run.answer_scoring import AnswerScoring
from runner.run.options import check_asking
from runner.run.plan import Plan
from runner.run.preview import preview_of
from runner.storage.ledger import LaneKey, Question
from runner.suites.diff_edit.asked_prompts import DiffEdit, asked_prompts
from runner.suites.diff_edit.detail import DiffDetail
from runner.suites.diff_edit.options import DiffOptions
from runner.suites.diff_edit.plan import plan
from runner.suites.diff_edit.sim_truth import truth_of
from suts.simulated.answers import diff_of as blocks_as_diff
from suts.sut import Sut
from tests.runner.scripted import Scripted
from tests.runner.suites.made_cases import AFTER, BEFORE, call, case_json, case_of
from tests.runner.virtual_time import now_ns


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(DiffOptions):
    """Options whose systems play scripts."""

    @property
    def builder(self) -> Callable[[str], Sut]:
        return lambda model: Scripted([], now_ns, name=model)


@pytest.fixture
def options(tmp_path: Path) -> Options:
    cases = tmp_path / "cases"
    cases.mkdir()
    (cases / "1.json").write_text(case_json("first", expected_contents=AFTER))
    (cases / "2.json").write_text(case_json("second", original_diff_edit_tool_call_message=call()))
    (cases / "3.json").write_text(case_json("third", messages=[{"role": "user", "text": "word " * 500}]))
    (cases / "4.json").write_text(case_json("blank", contents=" \n"))
    return Options(db=tmp_path / "evals.db", cases=cases, model_ids="test/scripted")


def planned(options: Options) -> Plan[DiffDetail]:
    check_asking(options)
    return plan(options, lambda _line: None)


def test_a_plan_has_every_case_prompt_and_algorithm(options: Options) -> None:
    found = planned(replace(options, prompts="basic,strict", diff_apply="v4,v1", model_ids="x/a,x/b"))

    assert [case.case_id for case in found.detail.cases] == ["first", "second", "third"]
    assert len(found.detail.run.variants) == 2 * 2 * 2
    assert [sut.name for sut in found.suts] == ["x/a", "x/b"]
    assert {row.case_id: row.skipped for row in found.detail.run.cases}["blank"] is not None


@pytest.mark.parametrize(
    "changes, kept, reason",
    [
        pytest.param({"max_cases": 1}, ["first"], "--max-cases", id="the first few"),
        pytest.param({"recorded": True}, ["second"], "--replay", id="those with a recorded message"),
    ],
)
def test_a_case_that_is_left_out_says_why(
    options: Options, changes: dict[str, object], kept: list[str], reason: str
) -> None:
    found = planned(replace(options, **changes))  # type: ignore[arg-type]  # options

    skipped = [row.skipped for row in found.detail.run.cases if row.skipped and "file_contents" not in row.skipped]
    assert [case.case_id for case in found.detail.cases] == kept
    assert len(skipped) == 2
    assert all(reason in one for one in skipped)


def test_a_prompt_that_is_too_long_for_the_context_leaves_its_case_out(options: Options) -> None:
    longest = max(row.tokens or 0 for row in planned(replace(options, max_context=100_000)).detail.run.cases)

    found = planned(replace(options, max_context=longest - 1))

    assert [case.case_id for case in found.detail.cases] == ["first", "second"]


@pytest.mark.parametrize(
    "changes, told",
    [
        pytest.param({"model_ids": " "}, "--model-ids: is missing", id="no model"),
        pytest.param({"quota": 0}, "--valid-attempts-per-case: is 0", id="a quota of nothing"),
        pytest.param({"cap": 0}, "--max-attempts-per-case: is 0", id="a cap of nothing"),
        pytest.param({"quota": 5, "cap": 4}, "less than the quota of 5", id="a cap below the quota"),
        pytest.param({"max_concurrency": -1}, "--max-concurrency: is -1", id="no slots"),
        pytest.param({"max_tokens": 0}, "--max-tokens: is 0", id="no tokens"),
        pytest.param({"temperature": float("nan")}, "--temperature: is nan", id="no temperature"),
        pytest.param({"validity": "lax"}, "--validity: 'lax' is not known; give strict or cline", id="validity"),
        pytest.param({"run_id": "a", "resume": "b"}, "give one of them", id="two runs"),
        pytest.param({"prompts": "basik"}, "--prompts: ", id="an unknown prompt"),
        pytest.param({"parser": "xml"}, "--parser: 'xml' is not known", id="an unknown parser"),
        pytest.param({"diff_apply": "v9"}, "--diff-apply: 'v9' is not known", id="an unknown algorithm"),
        pytest.param({"cases": Path("nowhere")}, "nowhere", id="no folder"),
        pytest.param({"max_context": 1}, "no case is left", id="no case is left"),
    ],
)
def test_a_bad_option_is_one_line(options: Options, changes: dict[str, object], told: str) -> None:
    with pytest.raises(InputError) as refused:
        planned(replace(options, **changes))  # type: ignore[arg-type]  # options

    assert told in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"seed": 1}, id="seed"),
        pytest.param({"diff_apply": "v1"}, id="algorithm"),
        pytest.param({"prompts": "strict"}, id="prompt"),
        pytest.param({"model_ids": "x/other"}, id="model"),
        pytest.param({"max_cases": 1}, id="cases"),
        pytest.param({"validity": "cline"}, id="validity"),
    ],
)
def test_what_an_answer_depends_on_makes_another_run(options: Options, changes: dict[str, object]) -> None:
    other = planned(replace(options, **changes))  # type: ignore[arg-type]  # options

    assert other.detail.run.identity != planned(options).detail.run.identity


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"quota": 5}, id="quota"),
        pytest.param({"parallel": True, "max_concurrency": 9}, id="speed"),
        pytest.param({"diff_apply": "v4"}, id="the same by name"),
        pytest.param({"parser": "parseAssistantMessageV2"}, id="the same by its original name"),
    ],
)
def test_how_much_and_how_fast_makes_the_same_run(options: Options, changes: dict[str, object]) -> None:
    other = planned(replace(options, **changes))  # type: ignore[arg-type]  # options

    assert other.detail.run.identity == planned(options).detail.run.identity


@pytest.mark.parametrize(
    "changes, slots",
    [
        pytest.param({}, 1, id="one at a time"),
        pytest.param({"parallel": True}, 80, id="parallel"),
        pytest.param({"parallel": True, "max_concurrency": 200}, 200, id="N given is N"),
        pytest.param({"max_concurrency": 3}, 3, id="N given alone"),
    ],
)
def test_attempts_go_one_at_a_time_unless_more_slots_are_asked_for(
    options: Options, changes: dict[str, object], slots: int
) -> None:
    assert replace(options, **changes).slots == slots  # type: ignore[arg-type]  # options


def test_the_preview_says_who_how_much_and_what_it_may_cost(options: Options) -> None:
    found = planned(replace(options, quota=2, model_ids="x/known,x/unknown"))
    prices = Prices("2026-01-01", {"x/known": Price(Rate(1_000_000, 0))})

    lines = list(preview_of(found, prices).lines())

    tokens = found.workload.prompt_tokens
    assert lines[0] == "x/known: test (https://scripted.example)"
    assert lines[2] == "2 systems, 3 cases: 12 valid attempts, at most 120 attempts, 1 at once"
    assert lines[3] == "1 cases are skipped; the report names them"
    assert lines[4] == (
        f"estimated cost ${2 * tokens:.2f}, at most ${20 * tokens:.2f}, at list prices of 2026-01-01;"
        " the price of x/unknown is unknown"
    )


@pytest.mark.parametrize(
    "budget,most",
    [
        pytest.param(None, "at most $480.00,", id="none"),
        pytest.param(500.0, "at most $480.00,", id="more than the bound"),
        pytest.param(5.0, "at most $5.00 by --budget,", id="less than the bound"),
    ],
)
def test_the_preview_says_what_the_budget_caps(options: Options, budget: float | None, most: str) -> None:
    found = planned(replace(options, cap=4, max_tokens=40, model_ids="x/known", budget=budget))

    *_, line = preview_of(found, Prices("2026-01-01", {"x/known": Price(Rate(0, 1_000_000))})).lines()

    assert most in line


def test_a_preview_without_any_price_names_no_cost(options: Options) -> None:
    *_, line = preview_of(planned(replace(options, model_ids="x/unknown")), Prices("2026-01-01")).lines()

    assert line == "estimated cost unknown: the price table does not list x/unknown"


def test_the_bound_on_cost_takes_every_answer_as_long_as_it_may_be(options: Options) -> None:
    found = planned(replace(options, quota=1, cap=5, max_tokens=1000, model_ids="x/known"))

    data = preview_of(found, Prices("2026-01-01", {"x/known": Price(Rate(0, 1_000_000))})).data

    assert data["bound_usd"] == 5 * 3 * 1000
    assert data["estimated_usd"] < data["bound_usd"]


def test_no_estimate_is_above_the_bound_where_answers_are_cut_short(options: Options) -> None:
    found = planned(replace(options, quota=1, cap=1, max_tokens=1, model_ids="x/known"))

    data = preview_of(found, Prices("2026-01-01", {"x/known": Price(Rate(0, 1_000_000))})).data

    assert data["estimated_usd"] == data["bound_usd"] == 3


def test_a_recorded_message_costs_nothing(options: Options) -> None:
    preview = preview_of(planned(replace(options, recorded=True)), Prices("2026-01-01"))

    assert (preview.data["estimated_usd"], preview.data["bound_usd"]) == (0.0, 0.0)


def test_the_question_of_an_attempt_holds_the_case_and_no_truth(options: Options) -> None:
    detail = planned(options).detail

    scoring = AnswerScoring(detail.parser, detail.algorithms)
    request = DiffEdit(detail.prompts[0], options.sampling, scoring).request(detail.cases[0])

    assert request.messages == detail.cases[0].messages
    assert "/work/tree" in request.system
    assert request.truth is None


@pytest.mark.parametrize("native", [False, True], ids=["calls in the text", "native calls"])
@pytest.mark.parametrize("tool", [DEFAULT_EDIT_TOOL, "hashline"])
def test_a_question_is_written_once_for_all_attempts(options: Options, tool: str, *, native: bool) -> None:
    detail = planned(replace(options, edit_tool=tool)).detail
    (asked,) = asked_prompts(detail, options.sampling, AnswerScoring(detail.parser, detail.algorithms)).values()
    asked = replace(asked, native=native)
    first, second = detail.cases[:2]

    assert asked.request(first) is asked.request(first)
    assert asked.request(first) is not asked.request(second)


def test_the_truth_of_a_question_is_what_the_expected_file_changes() -> None:
    cases = [case_of(case_id="a"), case_of(case_id="b", expected=(AFTER, "other"))]
    truth = truth_of(cases, seed=4)

    unknown, known = (truth(Question(LaneKey("sim/any", "basic", case_id), number=7)) for case_id in "ab")

    assert unknown is not None
    assert known is not None
    assert unknown.blocks == (("three\n", "three (edited)\n"),)
    assert known.blocks == (("two\n", "TWO\n"),)
    assert (known.number, known.seed, known.before, known.path) == (7, 4, BEFORE, "src/a.txt")


@pytest.mark.parametrize("contents", ["a", "a\na\na\n", "a\r\nlong\r\n", " \nx\n", "}\n}\n\n"])
def test_a_case_without_an_expected_file_has_a_small_edit_that_applies(contents: str) -> None:
    truth = truth_of([case_of(contents)], seed=4)(Question(LaneKey("sim/any", "basic", "case"), number=1))

    assert truth is not None
    edited = DIFF_ALGORITHMS["v4"](contents, blocks_as_diff(truth.blocks)).text
    assert "(edited)" in edited
    assert edited.count("\n") == contents.count("\n")
