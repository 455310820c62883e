"""Everything is checked and resolved before anything is written or sent; what is refused says how to mend it."""

from dataclasses import replace
from pathlib import Path

import pytest

from runner.errors import InputError
from runner.prices import Price, Prices, Rate
from runner.suites.diff_edit.attempt import DiffEdit, truths_of
from runner.suites.diff_edit.cases import DiffEditCase
from runner.suites.diff_edit.plan import DiffOptions, DiffPlan, make_plan
from runner.suites.diff_edit.preview import announcement, estimate
from runner.tokens import TokenCounter
from suts.recorded import Recorded
from suts.sut import Sut
from tests.runner.scripted import Scripted
from tests.runner.suites.made_cases import AFTER, BEFORE, call, case_json, case_of
from tests.runner.virtual_time import now_ns

WORDS = TokenCounter("words", lambda text: len(text.split()))


@pytest.fixture
def options(tmp_path: Path) -> DiffOptions:
    cases = tmp_path / "cases"
    cases.mkdir()
    (cases / "1.json").write_text(case_json("first", expected_contents=AFTER))
    (cases / "2.json").write_text(case_json("second", original_diff_edit_tool_call_message=call()))
    (cases / "3.json").write_text(case_json("third", messages=[{"role": "user", "text": "word " * 500}]))
    (cases / "4.json").write_text(case_json("blank", contents=" \n"))
    return DiffOptions(db=tmp_path / "evals.db", cases=cases, model_ids="test/scripted")


def planned(options: DiffOptions) -> DiffPlan:
    def recorded(cases: tuple[DiffEditCase, ...]) -> Sut:
        return Recorded({case.messages: case.original_message for case in cases})

    return make_plan(options, lambda model: Scripted([], now_ns, name=model), recorded, WORDS, lambda _line: None)


def test_a_plan_has_every_case_prompt_and_algorithm(options: DiffOptions) -> None:
    plan = planned(replace(options, prompts="basic,strict", diff_apply="v4,v1", model_ids="x/a,x/b"))

    assert [case.case_id for case in plan.cases] == ["first", "second", "third"]
    assert len(plan.run.variants) == 2 * 2 * 2
    assert [sut.name for sut in plan.suts] == ["x/a", "x/b"]
    assert {row.case_id: row.skipped for row in plan.run.cases}["blank"] is not None


@pytest.mark.parametrize(
    "changes, kept, reason",
    [
        pytest.param({"max_cases": 1}, ["first"], "--max-cases", id="the first few"),
        pytest.param({"recorded": True}, ["second"], "--replay", id="those with a recorded message"),
    ],
)
def test_a_case_that_is_left_out_says_why(
    options: DiffOptions, changes: dict[str, object], kept: list[str], reason: str
) -> None:
    plan = planned(replace(options, **changes))  # type: ignore[arg-type]  # options

    skipped = [row.skipped for row in plan.run.cases if row.skipped and "file_contents" not in row.skipped]
    assert [case.case_id for case in plan.cases] == kept
    assert len(skipped) == 2
    assert all(reason in one for one in skipped)


def test_a_prompt_that_is_too_long_for_the_context_leaves_its_case_out(options: DiffOptions) -> None:
    longest = max(row.tokens or 0 for row in planned(options).run.cases)

    plan = planned(replace(options, max_context=longest - 1))

    assert [case.case_id for case in plan.cases] == ["first", "second"]


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
def test_a_bad_option_is_one_line(options: DiffOptions, changes: dict[str, object], told: str) -> None:
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
def test_what_an_answer_depends_on_makes_another_run(options: DiffOptions, changes: dict[str, object]) -> None:
    other = planned(replace(options, **changes))  # type: ignore[arg-type]  # options

    assert other.run.identity != planned(options).run.identity


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"quota": 5}, id="quota"),
        pytest.param({"parallel": True, "max_concurrency": 9}, id="speed"),
        pytest.param({"diff_apply": "v4"}, id="the same by name"),
        pytest.param({"parser": "parseAssistantMessageV2"}, id="the same by its original name"),
    ],
)
def test_how_much_and_how_fast_makes_the_same_run(options: DiffOptions, changes: dict[str, object]) -> None:
    other = planned(replace(options, **changes))  # type: ignore[arg-type]  # options

    assert other.run.identity == planned(options).run.identity


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
    options: DiffOptions, changes: dict[str, object], slots: int
) -> None:
    assert replace(options, **changes).slots == slots  # type: ignore[arg-type]  # options


def test_the_announcement_says_who_how_much_and_what_it_may_cost(options: DiffOptions) -> None:
    plan = planned(replace(options, quota=2, model_ids="x/known,x/unknown"))
    prices = Prices("2026-01-01", {"x/known": Price(Rate(1_000_000, 0))})

    lines = announcement(plan, prices)

    assert lines[0] == "x/known: test at https://scripted.example"
    assert lines[2].startswith("2 models x 1 prompts x 3 cases x 2 valid = 12, at most 120")
    assert lines[-1] == (
        f"estimated cost ${2 * plan.prompt_tokens:.2f} at list prices of 2026-01-01; the price of x/unknown is unknown"
    )


def test_a_recorded_message_costs_nothing(options: DiffOptions) -> None:
    assert estimate(planned(replace(options, recorded=True)), Prices("2026-01-01")) == [0.0]


def test_the_question_of_an_attempt_holds_the_truth_about_it(options: DiffOptions) -> None:
    plan = planned(options)
    suite = DiffEdit(plan.prompts[0], plan.parser, plan.algorithms, plan.options.sampling, truths=truths_of(plan.cases))

    request = suite.request(plan.cases[0], 7)

    assert request.messages == plan.cases[0].messages
    assert "/work/tree" in request.system
    assert request.truth is not None
    assert (request.truth.number, request.truth.before) == (7, BEFORE)
    assert request.truth.blocks == (("two\n", "TWO\n"),)


def test_only_a_case_with_an_expected_file_has_a_truth() -> None:
    cases = [case_of(case_id="a"), case_of(case_id="b", expected=(AFTER, "other"))]

    assert truths_of(cases) == {"b": (("two\n", "TWO\n"),)}


def test_the_suite_loads_the_cases_of_a_folder(options: DiffOptions) -> None:
    plan = planned(options)
    suite = DiffEdit(plan.prompts[0], plan.parser, plan.algorithms, plan.options.sampling)

    assert [case.case_id for case in suite.load(options.cases)] == ["first", "second", "third"]
