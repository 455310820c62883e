"""`evals compare`: which variants are better, on the cases that they have in common."""

import json
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from runner.records import Outcome
from runner.storage.store import Store
from tests.runner.cli.conftest import Call
from tests.runner.made_runs import Made, make_run, plan, variant

CASES = [f"c{number:02}" for number in range(20)]


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """A run of two models with two algorithms, and a later one of another suite."""
    path = tmp_path / "evals.db"
    variants = [variant(sut, algorithm=algorithm) for sut in ("test/a", "test/b") for algorithm in ("v4", "v1")]
    with closing(Store.open(path)) as store:
        make_run(store, "edits", plan(cases=CASES, variants=variants))
        made = Made(store, "edits")
        for number, case_id in enumerate(CASES):
            for sut, right in (("test/a", 19), ("test/b", 6)):
                answer_id = made.answer(made.lane(case_id, sut))
                for algorithm, expected in (("v4", number < right), ("v1", number < right - 5)):
                    made.scoring(answer_id, Outcome.APPLIED, diff_algorithm=algorithm, equals_expected=expected)
        make_run(store, "lines", plan(suite="codrep"), utc="2026-01-03T00:00:00.000")
    return path


def test_every_dimension_in_which_variants_differ_is_compared(db: Path, call: Call) -> None:
    told = json.loads(call("compare", "edits", "--json", "--db", db).out)

    assert (told["runs"], told["metrics"], told["simulated"]) == (["edits"], ["right"], False)
    assert [(row["by"], row["first"]["algorithm"], row["second"]["algorithm"]) for row in told["comparisons"]] == [
        ("model", "v4", "v4"), ("model", "v1", "v1"), ("algorithm", "v4", "v1"), ("algorithm", "v4", "v1"),
    ]  # fmt: skip
    assert [row["flips"] is not None for row in told["comparisons"]] == [False, False, True, True]


@pytest.mark.parametrize("words", [("compare", "edits"), ("diagnose", "edits")], ids=" ".join)
def test_all_columns_are_shown_however_narrow_the_terminal_is(
    db: Path, call: Call, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.setenv("COLUMNS", "30")

    narrow, wide = call(*words, "--db", db), call(*words, "--wide", "--db", db)

    assert (narrow.code, wide.code) == (0, 0)
    assert "--wide)" in narrow.out
    assert "--wide)" not in wide.out


def test_people_get_a_table_and_a_sentence_for_each(db: Path, call: Call) -> None:
    shown = call("compare", "edits", "--by", "model", "--db", db)

    assert shown.code == 0
    assert "right by model, paired on 20 cases; Holm over 2" in shown.out
    assert "test/a is better than test/b by 65.0 points [" in shown.out
    assert shown.err == ""


def test_the_figure_and_the_effect_can_be_chosen(db: Path, call: Call) -> None:
    (row, *_) = json.loads(
        call("compare", "edits", "--by", "model", "--metric", "applied", "--effect", "4", "--json", "--db", db).out
    )["comparisons"]

    assert (row["metric"], row["shown"], row["effect"]) == ("applied", False, 0.04)
    assert "no difference shown" in row["sentence"]
    assert row["sentence"].endswith("cases would show 4")


def test_several_figures_are_compared_beside_each_other(db: Path, call: Call) -> None:
    told = json.loads(
        call("compare", "edits", "--by", "algorithm", "--metric", "right,wrong", "--json", "--db", db).out
    )

    assert [row["metric"] for row in told["comparisons"]] == ["right", "right", "wrong", "wrong"]
    right, _, wrong, _ = (row["difference"]["estimate"] for row in told["comparisons"])
    assert right == -wrong > 0


@pytest.mark.parametrize(
    "words, reason",
    [
        pytest.param(("edits", "--by", "colour"), "--by colour: is no dimension; choose of model, prompt", id="--by"),
        pytest.param(("edits", "--metric", "nope"), "--metric nope: no such figure in the run; choose", id="--metric"),
        pytest.param(("edits", "--effect", "0"), "--effect 0: is no difference; give a number above 0", id="--effect"),
        pytest.param(("edits", "--effect", "nan"), "--effect nan: is no difference", id="no number"),
        pytest.param(("edits", "lines"), "are of diff_edit and codrep; compare runs of one suite", id="suites"),
        pytest.param(("nowhere",), "run 'nowhere': there is none", id="run"),
    ],
)
def test_what_cannot_be_compared_is_one_line(db: Path, call: Call, words: tuple[str, ...], reason: str) -> None:
    done = call("compare", *words, "--db", db)

    assert done.code == 2
    assert reason in done.err
    assert (done.err.count("\n"), done.out) == (1, "")


def test_a_run_with_nothing_to_compare_says_so(db: Path, call: Call) -> None:
    shown = call("compare", "--db", db)

    assert shown.code == 0
    parts = "model,prompt,parser,calls,algorithm,edit-tool,run"
    assert f"1 variants, none that differ by one of {parts} alone" in shown.out


def test_edit_tools_are_paired_within_each_model(tmp_path: Path, call: Call) -> None:
    right = {
        ("test/a", "replace-in-file"): 18, ("test/a", "hashline"): 12, ("test/a", "line-range"): 8,
        ("test/b", "replace-in-file"): 4, ("test/b", "hashline"): 10, ("test/b", "line-range"): 16,
    }  # fmt: skip
    own = {sut_tool: "" if sut_tool[1] == "replace-in-file" else sut_tool[1] for sut_tool in right}
    variants = [
        replace(variant(sut, tool or "basic", tool or "v4"), parser=tool or "xml-tools-v2", edit_tool=tool)
        for (sut, _), tool in own.items()
    ]
    with closing(Store.open(tmp_path / "evals.db")) as store:
        make_run(store, planned=plan(cases=CASES, variants=variants))
        made = Made(store)
        for made_of, key in zip(variants, right, strict=True):
            for number, case_id in enumerate(CASES):
                answer_id = made.answer(made.lane(case_id, made_of.sut, made_of.prompt))
                made.scoring(
                    answer_id,
                    Outcome.APPLIED,
                    parser=made_of.parser,
                    diff_algorithm=made_of.diff_algorithm,
                    equals_expected=number < right[key],
                )

    told = json.loads(call("compare", "--by", "edit-tool", "--json", "--db", tmp_path / "evals.db").out)

    found = {
        (one["model"], one["edit_tool"], two["model"], two["edit_tool"]): round(row["difference"]["estimate"], 6)
        for row in told["comparisons"]
        for one, two in [(row["first"], row["second"])]
    }
    assert found == {
        ("test/a", "", "test/a", "hashline"): 0.3,
        ("test/a", "", "test/a", "line-range"): 0.5,
        ("test/a", "hashline", "test/a", "line-range"): 0.2,
        ("test/b", "", "test/b", "hashline"): -0.3,
        ("test/b", "", "test/b", "line-range"): -0.6,
        ("test/b", "hashline", "test/b", "line-range"): -0.3,
    }
