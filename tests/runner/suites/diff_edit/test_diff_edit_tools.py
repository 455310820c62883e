"""Runs with edit tools: a tool is a dimension of variants, simulated models answer with each, replays score alike."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from runner.calls import CALLS, NATIVE
from runner.edit_tools import DEFAULT_EDIT_TOOL, EDIT_TOOLS
from runner.errors import InputError
from runner.records import Completion
from runner.report.case_figures import VariantName
from runner.report.pairs import differ_by
from runner.run.diff_scoring import score_answer
from runner.storage.ledger import LaneKey, Question
from runner.suites.diff_edit.options import DiffOptions
from runner.suites.diff_edit.plan import plan
from runner.suites.diff_edit.sim_truth import truth_of
from runner.suites.diff_edit.tool_truth import transcript_of
from runner.suites.diff_edit.tools import choose_tools
from suts.simulated.models import expected_counts
from suts.simulated.models import plan as answered
from suts.simulated.spec import parse_spec
from tests.in_process import evals
from tests.runner.suites.made_cases import case_json, case_of

NAMES = [name for name in EDIT_TOOLS if not name.endswith("+")]
BEFORE = "".join(f"value_{at} = compute({at})\n" for at in range(12)) + "pass\npass\n"
AFTER = BEFORE.replace("compute(5)", "compute(55)")


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    folder = tmp_path / "cases"
    folder.mkdir()
    for at in range(4):
        (folder / f"{at}.json").write_text(case_json(f"case{at}", BEFORE, expected_contents=AFTER))
    return folder


def options(cases: Path, tools: str, **fields: object) -> DiffOptions:
    return replace(DiffOptions(cases=cases, model_ids="sim/careful", edit_tool=tools), **fields)  # type: ignore[arg-type]


def test_without_the_option_a_run_is_what_it_was(cases: Path) -> None:
    planned = plan(DiffOptions(cases=cases, model_ids="sim/careful"), lambda _line: None)

    assert "edit_tools" not in planned.detail.run.identity
    assert [variant.edit_tool for variant in planned.detail.run.variants] == [""]
    assert "edit tool" not in planned.detail.run.variants[0].signature("diff_edit", "c", "0")


def test_each_tool_is_a_variant_with_lanes_of_its_own(cases: Path) -> None:
    planned = plan(options(cases, "replace-in-file,hashline,hashline+"), lambda _line: None)

    variants = planned.detail.run.variants
    assert [(variant.prompt, variant.parser, variant.diff_algorithm, variant.edit_tool) for variant in variants] == [
        ("basic", "xml-tools-v2", "v4", ""),
        ("hashline", "hashline", "hashline", "hashline"),
        ("hashline+", "hashline", "hashline+", "hashline+"),
    ]
    assert len({variant.signature("diff_edit", "c", "0") for variant in variants}) == 3
    assert {lane.prompt for lane in planned.lanes} == {"basic", "hashline", "hashline+"}


@pytest.mark.parametrize(
    "tools, recorded, why",
    [
        pytest.param("no-such", False, "not known; give one of replace-in-file, aider-diff", id="an unknown tool"),
        pytest.param("hashline", True, "recorded messages are replace-in-file's", id="with recorded messages"),
    ],
)
def test_a_wrong_choice_is_refused_with_the_fix(cases: Path, tools: str, recorded: bool, why: str) -> None:
    with pytest.raises(InputError, match=why):
        plan(options(cases, tools, recorded=recorded), lambda _line: None)


def test_native_calls_are_variants_of_their_own_with_the_same_application(cases: Path) -> None:
    planned = plan(options(cases, "hashline+", calls="xml,native"), lambda _line: None)

    text, native = planned.detail.run.variants
    assert (native.prompt, native.parser, native.edit_tool) == ("native/hashline+", "native/hashline", "hashline+")
    assert (native.diff_algorithm, native.algorithm_digest) == (text.diff_algorithm, text.algorithm_digest)
    assert native.parser_digest != text.parser_digest


def test_programs_are_called_in_the_text_alone(cases: Path) -> None:
    with pytest.raises(InputError, match="exec:own-tool is a program, which is called in the text alone"):
        plan(options(cases, "exec:own-tool", calls="native"), lambda _line: None)


def test_a_case_whose_history_cannot_be_written_is_skipped_by_name(cases: Path) -> None:
    messages = [{"role": "user", "text": "Do it."}, {"role": "assistant", "text": "Then I call write_to_file."}]
    (cases / "odd.json").write_text(case_json("odd", BEFORE, messages=messages))

    planned = plan(options(cases, "replace-in-file,v4a"), lambda _line: None)

    reasons = {row.case_id: row.skipped for row in planned.detail.run.cases if row.skipped}
    assert reasons.keys() == {"odd"}
    assert "for v4a: its words have the syntax of another tool" in (reasons["odd"] or "")
    assert "odd" not in {lane.case_id for lane in planned.lanes}


@pytest.mark.parametrize("calls", CALLS)
@pytest.mark.parametrize("name", NAMES)
def test_every_planted_outcome_is_found_as_it_was_planted(name: str, calls: str) -> None:
    case, choice = case_of(BEFORE, expected=(AFTER,)), choose_tools([name], lambda _names: {}, calls=[calls])
    ((prompt, tool),) = choice.tools.items()
    truth = truth_of([case], 0, choice)(Question(LaneKey("sim/sloppy", prompt, "case")))
    assert truth is not None
    spec = parse_spec("sim/sloppy?bad_arguments=1")

    for number in range(1, 60):
        planned = answered(spec, replace(truth, number=number, prompt=name))
        text = transcript_of(planned.calls, planned.text)
        completion = Completion(text, finish_reason=planned.finish_reason)
        (scoring,) = score_answer(case, completion, (name, tool.parser), {name: tool.algorithm}, "strict")
        assert scoring.outcome == planned.outcome
        assert bool(scoring.equals_expected) is (planned.outcome == "applied")

    assert expected_counts(spec, [replace(truth, prompt=name)], 8, 40).applied > 0
    # Aider tries a block in the files that it has, whatever file it names.
    assert {"applied", "no_call", "truncated"} <= truth.written.keys()
    assert ("wrong_path" in truth.written) is (name != "aider-diff")
    assert ("bad_arguments" in truth.written) is (calls == NATIVE)


@pytest.mark.parametrize("name", NAMES)
def test_planted_outcomes_are_the_same_ones_natively(name: str) -> None:
    case, choice = case_of(BEFORE, expected=(AFTER,)), choose_tools([name], lambda _names: {}, calls=CALLS)
    truth = truth_of([case], 0, choice)

    text, native = (truth(Question(LaneKey("m", prompt, "case"))) for prompt in choice.tools)

    assert text is not None
    assert native is not None
    assert {*native.written} - {"bad_arguments"} == {*text.written}


def test_variants_of_two_tools_are_compared_by_the_tool_alone() -> None:
    first = VariantName("m", "basic", "xml-tools-v2", "v4", "", "r", simulated=True)
    second = VariantName("m", "v4a", "v4a", "v4a", "", "r", simulated=True, edit_tool="v4a")

    assert differ_by("edit-tool", first, second)
    assert not differ_by("prompt", first, second)
    assert not differ_by("edit-tool", first, replace(second, model="n"))
    assert (first.part("edit-tool"), second.part("edit-tool")) == (DEFAULT_EDIT_TOOL, "v4a")


def test_a_run_with_tools_replays_from_its_bytes_reports_and_compares(cases: Path, tmp_path: Path) -> None:
    tools = "replace-in-file,aider-diff,text-editor"

    words = ("--edit-tool", tools, "--calls", "xml,native", "--cases", cases, "-n", 2, "--parallel")
    ran = evals("diff", "sim/sloppy", *words, cwd=tmp_path)
    replayed = evals("replay", "--run-id", "latest", "--from-stream", cwd=tmp_path)
    compared = evals("compare", "--by", "edit-tool", "--json", cwd=tmp_path)
    listed = evals("show", "latest", "case0", "--model", "sim/sloppy", cwd=tmp_path)

    assert (ran.returncode, replayed.returncode, compared.returncode, listed.returncode) == (0, 0, 0, 0)
    by_calls = evals("compare", "--by", "calls", "--json", cwd=tmp_path)
    assert "3 systems" not in ran.stderr
    assert "aider-diff" in ran.stdout
    pairs = [pair for pair in json.loads(compared.stdout)["comparisons"] if pair["first"]["calls"] == "xml"]
    assert [(pair["by"], pair["first"]["edit_tool"], pair["second"]["edit_tool"]) for pair in pairs] == [
        ("edit-tool", "", "aider-diff"),
        ("edit-tool", "", "text-editor"),
        ("edit-tool", "aider-diff", "text-editor"),
    ]
    assert "text-editor (native)" in ran.stdout
    assert [pair["difference"]["estimate"] for pair in json.loads(by_calls.stdout)["comparisons"]] == [0, 0, 0]
    assert "differ" not in replayed.stderr
