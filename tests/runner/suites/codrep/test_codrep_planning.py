"""The plan of a run: who answers which tasks, what makes two sessions one run, and what is said beforehand."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest
from runner.run.launch import sim_prices

from parsers import PARSERS
from runner.digests import parser_digest
from runner.errors import InputError
from runner.prices import Prices, load_prices
from runner.run.resolve import Named
from runner.suites.codrep.attempt import Codrep, truth_of
from runner.suites.codrep.cases import CodrepCase, read_cases
from runner.suites.codrep.dataset import open_dataset
from runner.suites.codrep.leaderboard import PUBLISHED, beside_ours
from runner.suites.codrep.local import asked, is_local, local_sut, ranker_digest
from runner.suites.codrep.options import CodrepOptions, check
from runner.suites.codrep.plan import CodrepPlan, make_plan, run_plan
from runner.suites.codrep.predict import PREDICTORS, WORST, Choice, predict
from runner.suites.codrep.preview import announcement
from runner.suites.codrep.question import PARSER, question
from runner.suites.codrep.ranker.model import model_at
from runner.suites.codrep.run import shown_of
from runner.suites.codrep.served import is_codrep, questions_of
from runner.suites.codrep.windowing import Window
from runner.tokens import TokenCounter, token_counter
from suts.recorded import Recorded
from tests.codrep import SAMPLE, write_dataset

MODEL = "sim/any?time=virtual"
BYTES = token_counter(exact=False)


def options_of(**given: Any) -> CodrepOptions:  # noqa: ANN401 - the fields of options are of any type
    return CodrepOptions(**{"db": Path("evals.db"), "folders": (SAMPLE,), "suts": f"first,{MODEL}", **given})


def plan_of(**given: Any) -> CodrepPlan:  # noqa: ANN401 - as above
    options = options_of(**given)
    return make_plan(options, options.builder, lambda: BYTES, lambda _: None)


def prices() -> Prices:
    return load_prices(None, sim_prices())


class TestPlan:
    def test_predictors_come_before_models_whatever_the_order(self) -> None:
        plan = plan_of(suts=f"{MODEL},last,sim/sloppy?time=virtual,ranker")

        assert plan.predictors == ("last", "ranker")
        assert [one.sut for one in plan.variants] == ["last", "ranker", MODEL, "sim/sloppy?time=virtual"]
        assert [one.prompt for one in plan.variants] == ["", "", "codrep/basic", "codrep/basic"]

    def test_every_system_has_a_lane_at_every_task_the_tasks_outermost(self) -> None:
        lanes = plan_of(limit=3, quota=2).lanes()

        assert [(lane.key.case_id, lane.key.sut) for lane in lanes] == [
            (case.case_id, sut) for case in plan_of(limit=3).cases for sut in ("first", MODEL)
        ]
        assert {(lane.quota, lane.cap) for lane in lanes} == {(2, 20)}

    def test_tokens_are_counted_only_where_a_model_is_asked(self) -> None:
        def refuse() -> TokenCounter:
            pytest.fail("the counter takes a third of a second to load")

        options = options_of(suts="first,last")

        plan = make_plan(options, options.builder, refuse, lambda _: None)

        assert plan.counter is None
        assert shown_of(plan, plan.cases) == {}

    @pytest.mark.parametrize(
        "given, told",
        [
            pytest.param({"suts": "ranker,oracle"}, "--sut: 'oracle' is not known; there are ranker", id="no system"),
            pytest.param({"suts": ""}, "--sut: names nothing", id="nobody"),
            pytest.param({"limit": 0}, "--limit", id="no tasks"),
            pytest.param({"jobs": 0}, "--jobs", id="no process"),
            pytest.param({"max_context": 0}, "--max-context", id="no room"),
            pytest.param({"prompts": "codrep/none"}, "--prompts", id="no prompt"),
            pytest.param({"parser": "none"}, "--parser", id="no parser"),
            pytest.param({"folders": (Path("nowhere"),)}, "nowhere: there is no such folder", id="no folder"),
            pytest.param({"quota": 3, "cap": 2}, "less than the quota", id="fewer attempts than wanted"),
        ],
    )
    def test_what_cannot_be_meant_is_refused_in_one_line(self, given: dict[str, object], told: str) -> None:
        with pytest.raises(InputError) as refused:
            plan_of(**given)

        assert told in str(refused.value)
        assert "\n" not in str(refused.value)

    def test_the_sample_s_seed_may_be_negative_and_the_other_counts_may_not(self) -> None:
        check(options_of(sample_seed=-3))

        with pytest.raises(InputError, match="--limit"):
            check(options_of(limit=-3))


class TestIdentity:
    @staticmethod
    def identity(**given: Any) -> dict[str, object]:  # noqa: ANN401 - as above
        return dict(run_plan(plan_of(**given), {}).identity)

    @pytest.mark.parametrize(
        "given, changed",
        [
            pytest.param({"suts": MODEL}, {"suts"}, id="systems"),
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
        assert self.identity(suts="ranker", max_context=900, temperature=0.5) == self.identity(suts="ranker")

    def test_the_shipped_ranker_has_a_digest(self) -> None:
        assert self.identity()["ranker"] == ranker_digest()
        assert len(ranker_digest()) == 8

    def test_what_was_shown_is_kept_with_each_task(self) -> None:
        plan = plan_of(limit=2)
        shown = shown_of(plan, plan.cases)

        kept = run_plan(plan, shown)

        for case, row in zip(plan.cases, kept.cases, strict=True):
            content = orjson.loads(row.content or "")
            window = shown[case.case_id].window
            assert (content["answer"], content["lines"]) == (case.answer, case.lines)
            assert content["messages"] == [{"role": "user", "text": question(case.task(), window)}]
            assert row.tokens == shown[case.case_id].tokens
            assert (row.source, row.path) == ("codrep", str(case.path))
        assert "messages" not in (run_plan(plan, {}).cases[0].content or "")


class TestAnnouncement:
    def test_a_run_is_announced_with_its_systems_counts_and_cost(self) -> None:
        plan = plan_of(limit=4, quota=3, parallel=True)

        lines = announcement(plan, shown_of(plan, plan.cases), prices())

        assert lines[0] == "first: a predictor of evals, nobody is asked"
        assert lines[1].startswith(f"{MODEL}: simulated model")
        assert f"2 systems x 4 tasks x 3 valid = 24; {plan.options.slots} at once" in lines
        assert f"0 of 4 files are longer than 8000 tokens by {BYTES.method}, and shown in part" in lines
        assert lines[-1].startswith("estimated cost $")

    def test_files_that_are_shown_in_part_are_counted(self, tmp_path: Path) -> None:
        folder = write_dataset(tmp_path / "Made", 3, lines=400)
        plan = plan_of(folders=(folder, SAMPLE), max_context=1500)

        lines = announcement(plan, shown_of(plan, plan.cases), prices())

        assert any(line.startswith("3 of 23 files are longer than 1500 tokens") for line in lines)

    def test_predictors_alone_cost_nothing_and_show_nothing(self) -> None:
        plan = plan_of(suts="first,ranker")

        lines = announcement(plan, {}, prices())

        assert len(lines) == 3
        assert lines[-1] == "2 systems x 20 tasks x 1 valid = 40; 1 at once"


class TestLocal:
    @pytest.mark.parametrize("name", PREDICTORS)
    def test_a_predictor_in_a_run_knows_what_it_would_predict(self, name: str) -> None:
        dataset = open_dataset(SAMPLE)
        cases = read_cases([dataset])

        sut = local_sut(Choice(name, seed=5), cases)

        assert isinstance(sut, Recorded)
        lines = dict(predict(dataset, Choice(name, seed=5)))
        assert sut._answers == {asked(case): f"<line>{lines[case.path]}</line>" for case in cases}

    def test_only_predictors_are_ours(self) -> None:
        assert all(map(is_local, PREDICTORS))
        assert not any(map(is_local, (MODEL, "openai/ranker", "", "Ranker")))

    def test_the_worst_line_alone_is_told_the_answer(self, tmp_path: Path) -> None:
        (case, *_) = read_cases([open_dataset(write_dataset(tmp_path / "D", 1))])
        moved = replace(case, answer=case.lines)

        sut = local_sut(Choice(WORST), [moved])

        assert isinstance(sut, Recorded)
        assert list(sut._answers.values()) == ["<line>1</line>"]


class TestSuite:
    @pytest.fixture
    def case(self) -> CodrepCase:
        return read_cases([open_dataset(SAMPLE)])[0]

    @staticmethod
    def suite(windows: dict[str, Window] | None) -> Codrep:
        return Codrep(
            "be right", Named(PARSER, PARSERS[PARSER], parser_digest(PARSER)), options_of(seed=4).sampling, windows
        )

    def test_a_model_is_asked_with_what_is_shown_and_its_truth_beside(self, case: CodrepCase) -> None:
        window = Window(((1, 2),), 9, whole=False)

        request = self.suite({case.case_id: window}).request(case, 3)

        assert request.system == "be right"
        assert [message.text for message in request.messages] == [question(case.task(), window)]
        assert request.truth == truth_of(case, 3, 4)

    def test_a_predictor_is_asked_for_a_task_by_its_id(self, case: CodrepCase) -> None:
        suite = self.suite(None)

        assert suite.request(case, 1).messages == asked(case)
        assert suite.request(case, 1).truth is None
        assert suite.window(case) == Window(((1, case.lines),), 0, whole=True)

    def test_a_suite_loads_the_tasks_of_a_folder(self) -> None:
        assert list(self.suite(None).load(SAMPLE)) == list(read_cases([open_dataset(SAMPLE)]))

    def test_the_truth_of_a_task_is_its_line(self, case: CodrepCase) -> None:
        truth = truth_of(case)

        assert (truth.case_id, truth.answer, truth.lines) == (case.case_id, f"<line>{case.answer}</line>", case.lines)


class TestServed:
    def test_a_server_knows_the_question_and_the_answer_of_every_task(self) -> None:
        told = list(questions_of(SAMPLE))

        cases = read_cases([open_dataset(SAMPLE)])
        assert [truth for _, truth in told] == [truth_of(case) for case in cases]
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

    def test_our_figures_are_the_card_s_and_nothing_is_claimed_of_dataset5(self) -> None:
        card = model_at().card

        published, ours = beside_ours(card).split("\n\n")

        assert "Dataset5" not in card.held_out
        assert card.dated in ours
        for name, figure in card.held_out.items():
            assert f"{figure.loss:.4f}  {name}, {figure.tasks} tasks: recall {figure.recall:.4f}" in ours
            assert f"{figure.low:.4f} to {figure.high:.4f}" in ours
            assert name not in published
