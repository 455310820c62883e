"""What was planted is what the scorer finds: each outcome and flaw, over the shipped cases, under all versions."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from diff_apply import DIFF_ALGORITHMS
from diff_apply.generate import edit_blocks
from diff_apply.result import DiffError
from parsers import PARSERS
from runner.cli.serve_sim import book_of
from runner.records import Completion, Outcome, Scoring
from runner.run.diff_scoring import score_answer
from runner.suites.diff_edit.cases import DiffEditCase, load_cases
from suts.simulated.models import Planned, plan
from suts.simulated.spec import FAILURES, INVALIDS, parse_spec
from suts.sut import Truth

CASES = load_cases(Path(__file__).parents[3] / "cases/diff_edit").cases
BOOK = book_of(CASES).by_case
VERSIONS = {name: DIFF_ALGORITHMS[name] for name in ("v1", "v2", "v3", "v4")}


def scored(case: DiffEditCase, truth: Truth, model: str) -> tuple[Planned, dict[str, Scoring]]:
    planned = plan(parse_spec(model), truth)
    completion = Completion(text=planned.text, finish_reason=planned.finish_reason)
    scorings = score_answer(case, completion, ("xml-tools-v2", PARSERS["xml-tools-v2"]), VERSIONS, "strict")
    return planned, {scoring.diff_algorithm: scoring for scoring in scorings}


def attempts(model: str, numbers: int) -> Iterator[tuple[Planned, dict[str, Scoring]]]:
    for case in CASES:
        for number in range(1, numbers + 1):
            yield scored(case, replace(BOOK[case.case_id], number=number), model)


@pytest.mark.parametrize("model", ["sim/careful", "sim/sloppy", "sim/chatty", "sim/any?valid=0.5&applied=0.3"])
def test_every_planted_outcome_is_what_the_scorer_finds(model: str) -> None:
    found: Counter[str] = Counter()

    for planned, scorings in attempts(model, 12):
        assert scorings["v4"].outcome == planned.outcome, planned
        assert scorings["v4"].valid == planned.valid
        if planned.outcome == "applied":
            assert scorings["v4"].equals_expected, planned
        found[planned.outcome] += 1

    assert found["applied"]
    assert model == "sim/careful" or set(found) == {"applied", *FAILURES, *INVALIDS} - {"bad_arguments"}


@pytest.mark.parametrize("flaw", ["drift", "middle", "legacy", "reorder"])
def test_v4_makes_the_expected_file_of_every_flaw(flaw: str) -> None:
    borne = 0

    for planned, scorings in attempts(f"sim/any?{flaw}=1", 4):
        assert scorings["v4"].outcome is Outcome.APPLIED, planned
        assert scorings["v4"].equals_expected, planned
        borne += planned.deviations == (flaw,)

    assert borne > len(CASES) if flaw == "reorder" else borne > 3.5 * len(CASES)


def test_invented_lines_match_nothing_under_any_version() -> None:
    weights = "&".join(f"{name}=0" for name in FAILURES if name != "no_match")

    outcomes = Counter(
        (name, scoring.outcome)
        for _, scorings in attempts(f"sim/any?applied=0&{weights}", 8)
        for name, scoring in scorings.items()
    )

    assert set(outcomes) == {(name, Outcome.NO_MATCH) for name in VERSIONS}


@pytest.mark.parametrize(
    "flaw, version, outcome",
    [
        pytest.param("legacy", "v1", Outcome.APPLIED, id="v1 takes a legacy diff for a new file"),
        pytest.param("legacy", "v2", Outcome.MALFORMED_DIFF, id="v2 refuses legacy markers"),
        pytest.param("legacy", "v3", Outcome.APPLIED, id="v3 knows legacy markers"),
        pytest.param("reorder", "v1", Outcome.NO_MATCH, id="v1 wants the order of the file"),
        pytest.param("reorder", "v2", Outcome.NO_MATCH, id="v2 wants the order of the file"),
        pytest.param("reorder", "v3", Outcome.APPLIED, id="v3 takes any order"),
        pytest.param("drift", "v3", Outcome.APPLIED, id="v3 applies what drifted"),
        pytest.param("middle", "v3", Outcome.APPLIED, id="v3 does not compare the middle"),
    ],
)
def test_the_versions_differ_as_documented(flaw: str, version: str, outcome: Outcome) -> None:
    outcomes = Counter(
        scorings[version].outcome
        for planned, scorings in attempts(f"sim/any?{flaw}=1", 2)
        if flaw in planned.deviations
    )

    assert outcomes[outcome] >= 0.9 * outcomes.total()


def test_old_versions_lose_what_drifted_or_was_cut_by_legacy_markers() -> None:
    spoilt = {
        (flaw, version): sum(not scorings[version].equals_expected for _, scorings in attempts(f"sim/any?{flaw}=1", 2))
        for flaw, version in (("drift", "v3"), ("legacy", "v1"))
    }

    assert spoilt["drift", "v3"] > len(CASES)
    assert spoilt["legacy", "v1"] == 2 * len(CASES)


LINES = st.sampled_from(
    [
        *("a", "  a", "}", "", "    return x", "\treturn x", "foo(bar, baz)", "foo(bar, bazz)", "éü 🙂 line"),
        *("=======", "====", "------- SEARCH", "+++++++ REPLACE", "- item", "\\ No newline at end of file"),
        *("x = compute_total(row)", "    x = compute_total(row)", "    for item in items:"),
    ]
)
MODELS = ("any?drift=1", "any?middle=1", "any?reorder=1&legacy=1", "any?applied=0", "sloppy?valid=1")


@given(
    st.lists(LINES, max_size=20),
    st.lists(LINES, max_size=20),
    st.sampled_from(["\n", "\r\n"]),
    st.tuples(st.booleans(), st.booleans()),
    st.sampled_from(MODELS),
)
def test_the_outcome_is_kept_for_any_file_and_any_edit(
    before: list[str], after: list[str], end: str, closed: tuple[bool, bool], model: str
) -> None:
    texts = [
        end.join(rows) + (end if rows and last else "") for rows, last in zip((before, after), closed, strict=True)
    ]
    assume(texts[0] != texts[1])
    truth = Truth("any", 1, path="a.py", blocks=edit_blocks(*texts), before=texts[0])

    planned = plan(parse_spec(model), truth)

    assume("</diff>" in planned.text)
    diff = planned.text.split("<diff>\n")[1].split("</diff>")[0].strip()
    try:
        edited = VERSIONS["v4"](texts[0], diff).text
        outcome = "applied_nothing" if edited == texts[0] else "applied"
    except DiffError as error:
        edited, outcome = "", {"no_match": "no_match", "ambiguous": "ambiguous"}.get(error.reason, "malformed_diff")
    assert outcome == planned.outcome
    assert outcome != "applied" or edited == texts[1]
