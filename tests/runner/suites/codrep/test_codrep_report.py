"""What the report of a CodRep run shows beside its summary."""

import pytest

from parsers import PARSERS
from runner.digests import parser_digest
from runner.document import Document
from runner.records import Completion, Outcome, Scoring
from runner.run.resolve import Named
from runner.stats.intervals import rate_over_clusters
from runner.storage.rows import put_scorings
from runner.storage.runs import find_run
from runner.storage.store import Store
from runner.suites.codrep.cases import CodrepCase, ReplacedLine
from runner.suites.codrep.competition import task_loss
from runner.suites.codrep.dataset import open_dataset
from runner.suites.codrep.options import PARSER
from runner.suites.codrep.report import LineErrors, line_errors, report, with_line_errors
from runner.suites.codrep.score import judge
from runner.suites.codrep.windowing import Window
from tests.codrep import SAMPLE
from tests.runner.made_runs import SUT, Made, make_run, plan, variant

DATASET = open_dataset(SAMPLE)
NAMED = Named(PARSER, PARSERS[PARSER], parser_digest(PARSER))
PART = Window(((1, 9),), 40, whole=False)


@pytest.fixture
def made(store: Store) -> Made:
    make_run(store, planned=plan(suite="codrep", quota=2, variants=[variant(simulated=True), variant("silent")]))
    return Made(store)


def answered(made: Made, case_id: str, number: int, text: str, answer: int = 5) -> None:
    """An answer to a task of 20 lines, of which the first nine are shown."""
    case = CodrepCase(case_id, DATASET, SAMPLE, lines=20, answer=answer, digest="", least_bytes=0, whole_tokens=0)
    answer_id = made.answer(made.lane(case_id), number, text)
    put_scorings(made.store, made.run_id, [judge(case.target, Completion(text, answer_id=answer_id), NAMED, PART)])


def found(made: Made) -> LineErrors:
    return line_errors(made.store, find_run(made.store, made.run_id), quota=2)[0]


def test_the_first_attempts_at_a_task_count_as_many_as_the_quota_wants(made: Made) -> None:
    answered(made, "a", 1, "<line>5</line>")
    answered(made, "a", 2, "no idea")
    answered(made, "a", 3, "<line>5</line>")
    answered(made, "b", 1, "<line>6</line>")
    answered(made, "b", 2, "<line>8</line>")

    errors = found(made)

    losses = [(0 + 1) / 2, (task_loss(1) + task_loss(3)) / 2]
    assert (errors.sut, errors.simulated, errors.tasks, errors.malformed) == (SUT, True, 2, 1)
    assert errors.loss is not None
    assert errors.exact is not None
    assert errors.loss.estimate == pytest.approx(sum(losses) / 2)
    assert (errors.loss.low, errors.loss.high) == pytest.approx((min(losses), max(losses)))
    assert errors.exact.estimate == 0.25


def test_the_share_of_tasks_whose_line_was_shown_is_told(made: Made) -> None:
    answered(made, "a", 1, "5")
    answered(made, "b", 1, "5", answer=12)

    assert (found(made).shown_whole, found(made).answer_shown) == (0.0, 0.5)


def test_a_crashed_scoring_is_in_no_loss(made: Made) -> None:
    answered(made, "a", 1, "5")
    crashed = Scoring(Outcome.CRASHED, valid=False, parser=PARSER, answer_id=made.answer(made.lane("b")))
    put_scorings(made.store, made.run_id, [crashed])

    assert found(made).tasks == 1


def test_a_system_without_answers_has_no_loss(made: Made) -> None:
    errors = line_errors(made.store, find_run(made.store, made.run_id), quota=1)[1]

    assert (errors.sut, errors.tasks, errors.loss, errors.exact) == ("silent", 0, None, None)


def test_the_losses_stand_in_front_with_four_digits(made: Made) -> None:
    answered(made, "a", 1, "6")

    shown = with_line_errors(Document("t", ()), line_errors(made.store, find_run(made.store, made.run_id), 1))

    (table,) = shown.tables
    assert table.rows[0][:5] == (f"{SUT} (simulated)", "basic", "1", "0", "0.7616 [0.7616, 0.7616]")
    assert table.rows[1] == ("silent", "basic", "0", "0", "-", "-", "0.0%", "0.0%")


def test_the_report_has_line_errors_in_front_of_the_summary_and_in_its_data(made: Made) -> None:
    answered(made, "a", 1, "<line>5</line>")
    run = find_run(made.store, made.run_id)

    ours = report(made.store, run)

    assert ours.data["line_errors"] == line_errors(made.store, run, quota=2)
    assert [table.title.partition(":")[0] for table in ours.document.tables[:2]] == ["line errors", "results"]


def test_tasks_of_one_file_are_one_group_in_both_intervals(store: Store) -> None:
    make_run(store, planned=plan(suite="codrep", quota=1, cases=("a", "b", "c"), variants=[variant(simulated=True)]))
    made = Made(store)
    for case_id, file, text in (
        ("a", "one", "<line>5</line>"),
        ("b", "one", "<line>5</line>"),
        ("c", "two", "no line"),
    ):
        answer_id = made.answer(made.lane(case_id), 1, text)
        scoring = judge(ReplacedLine(5, 20, file), Completion(text, answer_id=answer_id), NAMED, PART)
        put_scorings(made.store, made.run_id, [scoring])

    errors = found(made)

    assert errors.loss is not None
    assert errors.loss.estimate == pytest.approx(1 / 3)
    # A resample of two files may hold either of them twice.
    assert (errors.loss.low, errors.loss.high) == (0.0, 1.0)
    assert errors.exact == rate_over_clusters([2, 0], [2, 1])
