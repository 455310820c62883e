"""The plan of a run: who answers which tasks, what makes two sessions one run, and what is said beforehand."""

import os
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import orjson
import pytest

from parsers import PARSERS
from runner.digests import parser_digest
from runner.errors import InputError
from runner.pool.processes import Processes
from runner.prices import load_prices
from runner.records import Completion, Outcome
from runner.run.consent import simulated_prices
from runner.run.engine import Lane
from runner.run.options import check_asking
from runner.run.plan import Plan
from runner.run.preview import preview_of
from runner.run.resolve import Named, choose_parser
from runner.storage.ledger import LaneKey, Question
from runner.suites.codrep.asking import Codrep
from runner.suites.codrep.cases import CodrepCase, read_cases
from runner.suites.codrep.dataset import open_dataset
from runner.suites.codrep.judging import judged
from runner.suites.codrep.leaderboard import INTERMEDIATE, OURS_ON_DATASET5, PUBLISHED, leaderboard, leaderboard_data
from runner.suites.codrep.options import PARSER, CodrepOptions
from runner.suites.codrep.plan import CodrepDetail, plan
from runner.suites.codrep.precomputed import predictors_of, shown_of
from runner.suites.codrep.predictors.predict import PREDICTORS, WORST, Choice, predict
from runner.suites.codrep.predictors.systems import messages_of, predictor_system
from runner.suites.codrep.question import question
from runner.suites.codrep.ranker.model import model_at
from runner.suites.codrep.ranker.shipped import ranker_digest
from runner.suites.codrep.record import run_plan
from runner.suites.codrep.served import is_codrep, questions_of
from runner.suites.codrep.sim_truth import case_truth, truth_of
from runner.suites.codrep.windowing import Window
from suts.recorded import Recorded
from tests.codrep import SAMPLE, write_dataset

MODEL = "sim/any?time=virtual"
ENDLESS = """
class Endless:
    def start(self):
        raise NotImplementedError

    def parse(self, text):
        while True:
            pass

PARSER = Endless()
"""


def options_of(**given: Any) -> CodrepOptions:  # noqa: ANN401 - the fields of options are of any type
    return CodrepOptions(**{"folders": [SAMPLE], "model_ids": f"first,{MODEL}", **given})


def plan_of(**given: Any) -> Plan[CodrepDetail]:  # noqa: ANN401 - as above
    return plan(options_of(**given), lambda _: None)


def checked(options: CodrepOptions) -> Plan[CodrepDetail]:
    """The plan of options that a command has checked."""
    check_asking(options)
    return plan(options, lambda _: None)


def lanes_of(made: Plan[CodrepDetail]) -> list[Lane]:
    return [Lane(key, made.quota, made.cap) for key in made.lanes]


class TestPlan:
    def test_predictors_come_before_models_whatever_the_order(self) -> None:
        made = plan_of(model_ids=f"{MODEL},last,sim/sloppy?time=virtual,ranker")

        assert made.local == ("last", "ranker")
        variants = run_plan(made, {}).variants
        assert [one.sut for one in variants] == ["last", "ranker", MODEL, "sim/sloppy?time=virtual"]
        assert [one.prompt for one in variants] == ["", "", "codrep/basic", "codrep/basic"]

    def test_every_system_has_a_lane_at_every_task_the_tasks_outermost(self) -> None:
        made = plan_of(limit=3, quota=2)

        assert [(key.case_id, key.sut) for key in made.lanes] == [
            (case.case_id, sut) for case in made.detail.cases for sut in ("first", MODEL)
        ]
        assert (made.quota, made.cap) == (2, 20)

    def test_tokens_are_counted_only_where_a_model_is_asked(self) -> None:
        made = plan_of(model_ids="first,last")

        assert (made.detail.counter, made.detail.room, made.workload.prompt_tokens) == (None, None, 0)
        assert shown_of(made, lanes_of(made), lambda _: None) == {}

    def test_the_estimate_is_near_the_tokens_of_what_is_shown_and_never_above_the_context(self, tmp_path: Path) -> None:
        folder = write_dataset(tmp_path / "Made", 3, lines=400)
        made = plan_of(folders=[folder, SAMPLE], max_context=1500)

        shown = shown_of(made, lanes_of(made), lambda _: None)

        assert made.workload.questions == 23
        assert 3 * 1500 < made.workload.prompt_tokens <= 23 * 1500
        assert made.workload.prompt_tokens == pytest.approx(sum(one.tokens for one in shown.values()), rel=0.25)

    @pytest.mark.parametrize(
        "given, told",
        [
            pytest.param(
                {"model_ids": "ranker,oracle"}, "--model-ids: 'oracle' is not known; there are ranker", id="no"
            ),
            pytest.param({"model_ids": ""}, "--model-ids: names nothing", id="nobody"),
            pytest.param({"limit": 0}, "--max-cases", id="no tasks"),
            pytest.param({"jobs": 0}, "--jobs", id="no process"),
            pytest.param({"max_context": 0}, "--max-context", id="no room"),
            pytest.param({"max_context": 100}, "--max-context: is 100, too little", id="too little room"),
            pytest.param({"prompts": "codrep/none"}, "--prompts", id="no prompt"),
            pytest.param({"parser": "none"}, "--parser", id="no parser"),
            pytest.param({"folders": [Path("nowhere")]}, "nowhere: there is no such folder", id="no folder"),
            pytest.param({"quota": 3, "cap": 2}, "less than the quota", id="fewer attempts than wanted"),
        ],
    )
    def test_what_cannot_be_meant_is_refused_in_one_line(self, given: dict[str, object], told: str) -> None:
        options = options_of(**given)

        with pytest.raises(InputError) as refused:
            checked(options)

        assert told in str(refused.value)
        assert "\n" not in str(refused.value)

    def test_the_sample_s_seed_may_be_negative_and_the_other_counts_may_not(self) -> None:
        check_asking(options_of(sample_seed=-3))

        with pytest.raises(InputError, match="--max-cases"):
            check_asking(options_of(limit=-3))


class TestIdentity:
    @staticmethod
    def identity(**given: Any) -> dict[str, object]:  # noqa: ANN401 - as above
        return dict(run_plan(plan_of(**given), {}).identity)

    @pytest.mark.parametrize(
        "given, changed",
        [
            pytest.param({"model_ids": MODEL}, {"suts"}, id="systems"),
            pytest.param({"limit": 3}, {"cases"}, id="tasks"),
            pytest.param({"seed": 7}, {"seed"}, id="seed"),
            pytest.param({"max_context": 900}, {"max_context"}, id="what is shown"),
            pytest.param({"temperature": 0.5}, {"temperature"}, id="temperature"),
            pytest.param({"max_tokens": 99}, {"max_tokens"}, id="length of an answer"),
            pytest.param({"quota": 4}, set(), id="how many attempts"),
            pytest.param({"jobs": 3, "parallel": True, "note": "again"}, set(), id="how fast"),
        ],
    )
    def test_a_session_is_of_the_same_run_unless_an_answer_could_differ(
        self, given: dict[str, object], changed: set[str]
    ) -> None:
        usual, other = self.identity(), self.identity(**given)

        assert {name for name in usual if usual[name] != other.get(name)} == changed

    def test_a_run_of_predictors_alone_does_not_depend_on_how_models_are_asked(self) -> None:
        other = self.identity(model_ids="ranker", max_context=900, temperature=0.5)

        assert other == self.identity(model_ids="ranker")

    def test_the_shipped_ranker_has_a_digest(self) -> None:
        assert self.identity()["ranker"] == ranker_digest()
        assert len(ranker_digest()) == 8

    def test_what_was_shown_is_kept_with_each_task(self) -> None:
        made = plan_of(limit=2)
        shown = shown_of(made, lanes_of(made), lambda _: None)

        kept = run_plan(made, shown)

        for case, row in zip(made.detail.cases, kept.cases, strict=True):
            content = orjson.loads(row.content or "")
            window = shown[case.case_id].window
            assert (content["answer"], content["lines"]) == (case.answer, case.lines)
            assert content["messages"] == [{"role": "user", "text": question(case.task(), window)}]
            assert content["shown"] == {"spans": [[1, case.lines]], "tokens": window.tokens, "whole": True}
            assert row.tokens == shown[case.case_id].tokens
            assert (row.source, row.path) == ("codrep", str(case.path))
        assert "messages" not in (run_plan(made, {}).cases[0].content or "")


class TestPreview:
    @staticmethod
    def lines(made: Plan[CodrepDetail]) -> list[str]:
        return list(preview_of(made, load_prices(None, simulated_prices())).lines())

    def test_a_run_is_announced_with_its_systems_counts_and_cost(self) -> None:
        made = plan_of(limit=4, quota=3, parallel=True)

        lines = self.lines(made)

        assert lines[0].startswith(f"{MODEL}: simulated")
        assert lines[1] == "first: runs on this machine; no model is asked"
        assert lines[2].startswith("2 systems, 4 cases: 24 valid attempts, at most 240 attempts, 80 at once")
        assert lines[3] == "about 0 of 4 files are longer than 8000 tokens, and are shown in part"
        assert lines[-1].startswith("estimated cost $")

    def test_files_that_are_shown_in_part_are_counted(self, tmp_path: Path) -> None:
        made = plan_of(folders=[write_dataset(tmp_path / "Made", 3, lines=400), SAMPLE], max_context=1500)
        told: list[str] = []

        shown_of(made, lanes_of(made), told.append)

        assert made.notes[0].startswith("about 3 of 23 files are longer than 1500 tokens")
        (line,) = told
        assert line.startswith("3 of 23 files are longer than 1500 tokens by ")

    def test_predictors_alone_cost_nothing_and_show_nothing(self) -> None:
        lines = self.lines(plan_of(model_ids="first,ranker"))

        assert len(lines) == 3
        assert lines[-1].startswith("2 systems, 20 cases: 40 valid attempts")


class TestPrecomputed:
    def test_only_what_is_left_is_shown_and_predicted(self) -> None:
        made = plan_of(limit=4)
        lanes, (done, other, *_) = lanes_of(made), made.detail.cases
        for lane in lanes:
            if lane.key.case_id == done.case_id or lane.key == LaneKey("first", "", other.case_id):
                lane.resume([(1, True)])
        told: list[str] = []

        shown = shown_of(made, lanes, told.append)
        (first,) = predictors_of(made, lanes, told.append)

        assert set(shown) == {case.case_id for case in made.detail.cases[1:]}
        assert isinstance(first, Recorded)
        assert set(first._answers) == {messages_of(case) for case in made.detail.cases[2:]}
        assert told[-1] == "first: predicting 2 tasks"

    @pytest.mark.parametrize("name", PREDICTORS)
    def test_a_predictor_in_a_run_knows_what_it_would_predict(self, name: str) -> None:
        dataset = open_dataset(SAMPLE)
        cases = read_cases([dataset])

        sut = predictor_system(Choice(name, seed=5), cases)

        assert isinstance(sut, Recorded)
        lines = dict(predict(dataset, Choice(name, seed=5)))
        assert sut._answers == {messages_of(case): f"<line>{lines[case.path]}</line>" for case in cases}

    def test_the_worst_line_alone_is_told_the_answer(self, tmp_path: Path) -> None:
        (case, *_) = read_cases([open_dataset(write_dataset(tmp_path / "D", 1))])
        moved = replace(case, answer=case.lines)

        sut = predictor_system(Choice(WORST), [moved])

        assert isinstance(sut, Recorded)
        assert list(sut._answers.values()) == ["<line>1</line>"]


class TestAsking:
    @pytest.fixture
    def case(self) -> CodrepCase:
        return read_cases([open_dataset(SAMPLE)])[0]

    @staticmethod
    def suite(windows: dict[str, Window] | None) -> Codrep:
        return Codrep(
            "be right", Named(PARSER, PARSERS[PARSER], parser_digest(PARSER)), options_of(seed=4).sampling, windows
        )

    def test_a_model_is_asked_with_what_is_shown_and_no_truth(self, case: CodrepCase) -> None:
        window = Window(((1, 2),), 9, whole=False)

        request = self.suite({case.case_id: window}).request(case)

        assert request.system == "be right"
        assert [message.text for message in request.messages] == [question(case.task(), window)]
        assert request.truth is None

    def test_a_predictor_is_asked_for_a_task_by_its_id(self, case: CodrepCase) -> None:
        suite = self.suite(None)

        assert suite.request(case).messages == messages_of(case)
        assert suite.window(case) == Window(((1, case.lines),), 0, whole=True)

    async def test_a_plug_in_that_never_ends_is_scored_in_another_process_and_crashes(
        self, case: CodrepCase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        name = f"endless_of_{os.getpid()}"
        (tmp_path / f"{name}.py").write_text(ENDLESS, encoding="utf-8")
        monkeypatch.syspath_prepend(tmp_path)
        parser = choose_parser(f"{name}:PARSER", print)

        with Processes(1, 2.0) as pool:
            window = Window(((1, 2),), 9, whole=False)
            scoring = await judged(pool, case.target, Completion("7", answer_id=4), parser, window)

        assert (scoring.outcome, scoring.answer_id, scoring.parser) == (Outcome.CRASHED, 4, f"{name}:PARSER")
        assert "longer than 2 s" in (scoring.error_text or "")

    def test_the_truth_of_a_question_is_the_line_of_its_task(self, case: CodrepCase) -> None:
        truth = truth_of([case], seed=4)(Question(LaneKey(MODEL, "codrep/basic", case.case_id), number=3))

        assert truth == case_truth(case, 3, 4)
        assert truth is not None
        assert (truth.answer, truth.lines) == (f"<line>{case.answer}</line>", case.lines)


class TestServed:
    def test_a_server_knows_the_question_and_the_answer_of_every_task(self) -> None:
        told = list(questions_of(SAMPLE))

        cases = read_cases([open_dataset(SAMPLE)])
        assert [truth for _, truth in told] == [case_truth(case) for case in cases]
        for case, ((message,), _) in zip(cases, told, strict=True):
            assert message.text == question(case.task(), Window(((1, case.lines),), 0, whole=True))

    @pytest.mark.parametrize(
        "made, folder, expected",
        [
            pytest.param("D/Tasks", "D", True, id="a dataset"),
            pytest.param("D/Tasks", ".", True, id="a folder of datasets"),
            pytest.param("D/Other", "D", False, id="another folder"),
            pytest.param("D/E/Tasks", ".", False, id="a dataset two levels down"),
        ],
    )
    def test_folders_of_tasks_are_recognised(self, made: str, folder: str, tmp_path: Path, *, expected: bool) -> None:
        (tmp_path / made).mkdir(parents=True)

        assert is_codrep(tmp_path / folder) is expected


class TestLeaderboard:
    def test_the_published_scores_stand_best_first_with_their_dates(self) -> None:
        losses = [entry.loss for entry in PUBLISHED]

        assert losses == sorted(losses)
        assert losses[:4] == [0.07180536507565463, 0.0722766571799, 0.07747553105298915, 0.079663531979]
        assert all(entry.dated.startswith("2018-") for entry in PUBLISHED)

    def test_the_ranking_on_dataset4_stands_best_first_and_apart(self) -> None:
        losses = [entry.loss for entry in INTERMEDIATE]

        _, ranking, _ = leaderboard(model_at().card, ranker_digest()).split("\n\n")

        assert losses == sorted(losses)
        assert "older edition of 17,132 tasks" in ranking
        assert [line.split()[0] for line in ranking.splitlines()[1:]] == [f"{loss:.4f}" for loss in losses]

    def test_the_figures_on_dataset5_are_those_of_the_shipped_model_and_of_no_other(self) -> None:
        card = model_at().card

        ours, others = (leaderboard(card, digest).split("\n\n")[2] for digest in (ranker_digest(), "00000000"))

        assert OURS_ON_DATASET5.model_digest == ranker_digest()
        assert "0.0440  Dataset5, 18366 tasks: recall 0.955, 95 % interval 0.0411 to 0.0467, clustered by file" in ours
        assert "18366" not in others
        assert leaderboard_data(card, "00000000")["ours"] == {**asdict(card), "dataset5": None}

    def test_our_other_figures_are_the_card_s(self) -> None:
        card = model_at().card

        published, _, ours = leaderboard(card, ranker_digest()).split("\n\n")

        assert "Dataset5" not in card.held_out
        assert card.dated in ours
        for name, figure in card.held_out.items():
            assert f"{figure.loss:.4f}  {name}, {figure.tasks} tasks: recall {figure.recall:.4f}" in ours
            assert f"{figure.low:.4f} to {figure.high:.4f}" in ours
            assert name not in published
