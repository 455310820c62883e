"""What was planted in simulated models is what a run finds, to the last answer, in both forms."""

import asyncio
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from diff_apply import DIFF_ALGORITHMS
from diff_apply.generate import diff_of
from prompts import load
from runner.errors import InputError, InputFindingsError
from runner.execution import verdicts
from runner.execution.script_judge import ScriptJudge
from runner.metrics.labelled_answers import read_answers
from runner.pool.threads import Threads
from runner.records import Completion, Outcome
from runner.run.execute import execute
from runner.run.unjudged import infra_count
from runner.storage.runs import find_run
from runner.storage.store import Row, Store
from runner.suites.edit.answer_form import PROMPT, form_of
from runner.suites.edit.answering import EditAttempts
from runner.suites.edit.export import export_run, write_export
from runner.suites.edit.judging import EditJudging
from runner.suites.edit.options import EditOptions
from runner.suites.edit.problems import EditProblem, read_problems
from runner.suites.edit.question import fenced
from runner.suites.edit.report import passing
from runner.suites.edit.sim_truth import Imagined, imagine
from runner.suites.edit.suite import SUITE
from suts.simulated.models import expected_counts
from suts.simulated.spec import parse_spec
from suts.sut import Request, Sampling
from tests.runner.suites.edit.test_edit_reading import ALGORITHMS, EDITED, PARSER

SHIPPED = Path(__file__).parents[4] / "cases" / "edit" / "problems.jsonl"
# Each problem costs some runs of its tests before it is asked about, and one for each answer.
MOST = 3
PROBLEMS = read_problems(SHIPPED)[0][:MOST]
PLANTED = "sim/any?valid=0.85&applied=0.6&spread=0.2&drift=0.2&reorder=0.2&prose=5&time=virtual"
SURE = "sim/any?time=virtual"


@pytest.fixture
def bench(judge: ScriptJudge) -> Iterator[EditJudging]:
    with Threads(2) as executor:
        yield EditJudging(judge, executor)


def options(store: Store, **changes: Any) -> EditOptions:  # noqa: ANN401 - of every option
    plain = EditOptions(
        db=store.path, file=SHIPPED, model_ids=PLANTED, quota=3, max_concurrency=8, run_id="r1", json=True
    )
    return replace(plain, **changes)


def attempts(store: Store, run_id: str = "r1") -> list[Row]:
    return store.rows("SELECT * FROM attempts WHERE run_id = ?", run_id)


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A run over the shipped problems in both forms."""
    with closing(Store.open(tmp_path_factory.mktemp("planted") / "evals.db")) as opened:
        assert execute(SUITE, options(opened, prompts="edit/whole-file,basic", max_problems=MOST)).exit_code == 0
        yield opened


@pytest.mark.parametrize(
    "prompt", [pytest.param("edit/whole-file", id="whole files"), pytest.param("basic", id="blocks")]
)
def test_planted_rates_are_found_exactly(planted: Store, prompt: str) -> None:
    # The draws look at what can be answered, not at the answers: a reference and the origin are enough.
    sides = [Imagined(one.references, (one.origin,)).truth(one, 1, 0, whole="/" in prompt) for one in PROBLEMS]
    want = expected_counts(parse_spec(PLANTED), sides, quota=3, cap=30)

    rows = [row for row in attempts(planted) if row["prompt"] == prompt]

    assert len(rows) == want.attempts
    assert sum(row["solved"] for row in rows) == want.applied
    told = {"solved" if name == "applied" else name: count for name, count in want.outcomes.items()}
    assert Counter(row["outcome"] for row in rows) == told


@pytest.mark.parametrize(
    "model, rate", [pytest.param(SURE, 1.0, id="always right"), pytest.param(f"{SURE}&applied=0", 0.0, id="never")]
)
@pytest.mark.wide
def test_a_model_that_is_sure_has_a_sure_rate(store: Store, model: str, rate: float) -> None:
    execute(SUITE, options(store, model_ids=model, prompts="edit/whole-file,basic", quota=2, max_problems=1))

    for found in passing(store, find_run(store, "r1")):
        assert found.pass_at == {1: rate, 2: rate}
        assert (found.problems, found.answers) == (1, 2)


def test_pass_at_k_is_the_mean_over_problems(planted: Store) -> None:
    whole, _ = passing(planted, find_run(planted, "r1"))

    rows = [row for row in attempts(planted) if row["prompt"] == "edit/whole-file"]
    solved = Counter(row["case_id"] for row in rows if row["solved"])
    assert whole.pass_at[1] == pytest.approx(sum(solved.values()) / (3 * MOST))
    assert whole.pass_at[3] == pytest.approx(len(solved) / MOST)
    assert sum(whole.verdicts.values()) == len(rows)


def test_one_run_may_have_both_forms_and_several_algorithms(store: Store) -> None:
    execute(SUITE, options(store, quota=1, max_problems=1, prompts="basic,edit/whole-file", diff_apply="v3,v4"))

    found = store.rows("SELECT DISTINCT prompt, parser, diff_algorithm FROM attempts ORDER BY 1, 2, 3")
    assert [tuple(row) for row in found] == [
        ("basic", "xml-tools-v2", "v3"),
        ("basic", "xml-tools-v2", "v4"),
        ("edit/whole-file", "whole-file", ""),
    ]


@pytest.mark.wide
def test_a_run_that_is_there_goes_on_and_asks_only_for_what_is_missing(store: Store) -> None:
    execute(SUITE, options(store, quota=1, max_problems=1))
    before = {row["answer_id"] for row in attempts(store)}

    execute(SUITE, options(store, quota=2, max_problems=1))

    after = {row["answer_id"] for row in attempts(store)}
    assert before < after
    with pytest.raises(InputError, match=r"is another run \(timeout was 10"):
        execute(SUITE, options(store, max_problems=1, timeout=5.0))


def test_bad_problems_are_told_before_anything_is_asked(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "problems.jsonl"
    path.write_text("{\n[]\n")

    with pytest.raises(InputFindingsError) as refused:
        execute(SUITE, options(store, file=path))

    assert len(refused.value.findings) == 2
    assert attempts(store) == []


@pytest.mark.parametrize(
    "changes, told",
    [
        pytest.param({"model_ids": " "}, "--model-ids: is missing", id="nobody"),
        pytest.param({"quota": 0}, "--valid-attempts-per-case: is 0", id="no samples"),
        pytest.param({"cap": 2}, "--max-attempts-per-case: is 2, less", id="a low cap"),
        pytest.param({"temperature": float("nan")}, "--temperature", id="no temperature"),
        pytest.param({"timeout": float("inf")}, "--timeout", id="no time"),
        pytest.param({"resume": "r0"}, "--resume: cannot be combined", id="two runs"),
    ],
)
def test_impossible_options_are_refused(store: Store, changes: dict[str, object], told: str) -> None:
    with pytest.raises(InputError, match=told):
        execute(SUITE, options(store, **changes))
    assert attempts(store) == []


async def _attempted(suite: EditAttempts, problem: EditProblem, text: str) -> tuple[bool, Outcome, str | None]:
    async def ask(
        request: Request, *, step: int = 0, mode: str = "", number: int = 1, about: object = None
    ) -> Completion:
        assert (request.truth, step, mode, number, about) == (None, 0, "", 4, None)
        return Completion(text, answer_id=1)

    result = await suite.attempt(problem, ask, 4)
    return result.valid, result.outcome, result.scorings[0].detail


@pytest.mark.parametrize(
    "text, outcome, verdict",
    [
        pytest.param(EDITED, Outcome.SOLVED, "pass", id="right"),
        pytest.param("def double(x):\n    return 4\n", Outcome.UNSOLVED, "fail", id="wrong"),
        pytest.param("def double(x:\n", Outcome.UNSOLVED, "syntax", id="broken"),
        pytest.param("raise SystemExit\n", Outcome.UNSOLVED, "fail", id="ended early"),
    ],
)
def test_an_answer_is_solved_when_its_test_passes(
    bench: EditJudging, problem: EditProblem, text: str, outcome: Outcome, verdict: str
) -> None:
    suite = EditAttempts(form_of(load(PROMPT), PARSER, ALGORITHMS), Sampling(), bench)

    valid, found, detail = asyncio.run(_attempted(suite, problem, fenced(text, "python")))

    assert (valid, found) == (True, outcome)
    assert f'"verdict":"{verdict}"' in (detail or "")


def test_a_test_that_cannot_be_run_is_no_verdict_on_the_model(problem: EditProblem) -> None:
    judge = ScriptJudge(os.environ["PATH"], commands={"python": ("no-such-program", "{test}")})
    with Threads(1) as executor:
        suite = EditAttempts(form_of(load(PROMPT), PARSER, ALGORITHMS), Sampling(), EditJudging(judge, executor))

        found = asyncio.run(_attempted(suite, problem, fenced(EDITED, "python")))

    assert found[:2] == (True, Outcome.INFRA)
    assert '"verdict":"infra"' in (found[2] or "")


@pytest.mark.wide
def test_answers_whose_tests_could_not_be_run_are_judged_again_and_not_asked_again(store: Store) -> None:
    execute(SUITE, options(store, model_ids=SURE, quota=2, max_problems=1))
    with store.transaction():
        store.execute("UPDATE scorings SET outcome = 'infra', valid = 0, solved = 0")

    assert infra_count(store, "r1") == 2
    done = execute(SUITE, options(store, model_ids=SURE, quota=2, max_problems=1))

    assert (done.exit_code, infra_count(store, "r1")) == (0, 0)
    assert [row["outcome"] for row in attempts(store)] == ["solved", "solved"]
    assert store.rows("SELECT count(*) AS n FROM answers")[0]["n"] == 2


def test_what_simulated_models_are_told_is_proven(judge: ScriptJudge) -> None:
    problem = PROBLEMS[0]

    imagined = imagine(problem, judge)

    assert imagined.rights[0] == problem.references[0]
    assert imagined.wrongs[0] == problem.origin
    assert min(len(imagined.rights), len(imagined.wrongs)) > 1
    for texts, passes in ((imagined.rights, True), (imagined.wrongs, False)):
        for text in texts:
            assert (judge.judge(problem.script(text)).outcome is verdicts.VerdictKind.PASS) is passes
    for right in imagined.rights:
        diff = diff_of(problem.origin, right)
        assert DIFF_ALGORITHMS["v4"](problem.origin, diff).text == right


def test_an_export_is_what_a_study_reads(planted: Store, tmp_path: Path) -> None:
    exported = export_run(planted, find_run(planted, "r1"))
    write_export(exported, tmp_path / "study")

    answers = read_answers(tmp_path / "study")
    rows = [row for row in attempts(planted) if row["valid"]]
    assert len(answers) == len(rows) == len(exported.predictions) == 6 * MOST
    assert sum(answer.passed for answer in answers) == sum(row["solved"] for row in rows)
    assert {answer.model for answer in answers} == {f"{PLANTED} edit/whole-file", f"{PLANTED} basic v4"}
    assert all(row["simulated"] for row in exported.predictions)
    assert sum(exported.left_out.values()) == sum(not row["valid"] for row in attempts(planted))
    refused = [row for row in exported.predictions if row["outcome"] == "no_match"]
    origins = {row["problem"]: row["origin"] for row in exported.problems}
    assert refused
    assert all(row["prediction"] == origins[row["problem"]] and not row["passed"] for row in refused)


def test_a_run_without_valid_answers_has_nothing_to_export(store: Store) -> None:
    done = execute(SUITE, options(store, model_ids="sim/any?valid=0&time=virtual", cap=3, max_problems=1))

    assert done.exit_code == 1
    with pytest.raises(InputError, match="has no valid answer to export"):
        export_run(store, find_run(store, "r1"))


def test_a_run_of_another_suite_is_refused(store: Store) -> None:
    with store.transaction():
        row = {
            "run_id": "d",
            "suite": "diff_edit",
            "created_at": "",
            "state": "complete",
            "version": "",
            "config": "{}",
        }
        store.insert("runs", row)

    with pytest.raises(InputError, match="is of suite diff_edit; export takes runs of `evals edit run`"):
        export_run(store, find_run(store, "d"))
