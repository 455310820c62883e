from dataclasses import replace

import pytest

from runner.suites.nextedit.editor import Mishap, Suggestion
from runner.suites.nextedit.matching import Match
from runner.suites.nextedit.step_metrics import Flow, StepMetrics
from runner.suites.nextedit.steps import CommitReplay, Content, Draw, Step, Trouble
from runner.suites.nextedit.summary import MEASURES, failure, summarize, troubles, with_dependent_edits


def _step(
    number: int,
    flows: tuple[Flow, ...],
    allowed: int,
    kept: tuple[int, ...],
    bleu: float = 50.0,
    *,
    new_island: bool = False,
) -> Step:
    return Step(
        number=number,
        applied=(),
        allowed=tuple(range(allowed)),
        suggestions=(Suggestion("a.py", 0, (), ("x\n",)),) * len(flows),
        matches=tuple(Match(rank, rank, target=10 * number + rank, bleu=bleu, exact=True) for rank in kept),
        metrics=StepMetrics(flows, allowed, hit_ranks=kept, kept_ranks=kept),
        made_edit=number,
        content=Content(requested=not kept, bleu=bleu, exact=bool(kept), excision={"es-token": 0.25}),
        latency_ns=2_000_000 * number,
        troubles=(Trouble("recommend", Mishap.TIMEOUT, "late"),) if not flows else (),
        new_island=new_island,
    )


def _replay(case_id: str, *steps: Step) -> CommitReplay:
    return CommitReplay(case_id, "0" * 40, 0, (Draw(0, (0,), 0),), steps)


GOOD = _replay(
    "good",
    _step(1, (Flow.KEEPING, Flow.BREAKING), allowed=2, kept=(0,), bleu=100.0),
    _step(2, (Flow.BREAKING, Flow.KEEPING), allowed=1, kept=(1,)),
)
BAD = _replay("bad", _step(1, (), allowed=4, kept=()), _step(2, (Flow.REVERTING,), 1, (), new_island=True))


@pytest.mark.parametrize(
    "name, micro, macro",
    [
        ("precision", 2 / 5, (2 / 4 + 0) / 2),
        ("recall", 2 / 8, (2 / 3 + 0) / 2),
        ("f1", 4 / 13, (4 / 7 + 0) / 2),
        ("hit@1", 1 / 4, 1 / 4),
        ("hit@3", 2 / 4, 2 / 4),
        ("kept@3", 2 / 4, 2 / 4),
        ("keeping", 2 / 5, (2 / 4 + 0) / 2),
        ("reverting", 1 / 5, (0 + 1) / 2),
        ("predicted in time", 2 / 4, 2 / 4),
        ("new islands", 1 / 4, 1 / 4),
        ("bleu", (1 + 0.5 + 0.5 + 0.5) / 4, (0.75 + 0.5) / 2),
        ("exact", 2 / 4, 2 / 4),
        ("excision", 0.25, 0.25),
    ],
)
def test_figures_are_shares_of_totals_and_means_over_commits(name: str, micro: float, macro: float) -> None:
    figure = summarize([GOOD, BAD])[name]

    assert figure.micro is not None
    assert figure.macro is not None
    assert figure.micro.estimate == pytest.approx(micro)
    assert figure.macro.estimate == pytest.approx(macro)


def test_latency_is_a_mean_in_milliseconds() -> None:
    figure = summarize([GOOD, BAD])["latency_ms"]

    assert figure.micro is None
    assert figure.macro is not None
    assert figure.macro.estimate == 3


def test_a_system_that_never_predicts_has_precision_0() -> None:
    figure = summarize([_replay("a", _step(1, (), 1, ()))])["precision"]

    assert figure.micro is not None
    assert figure.micro.estimate == 0


def test_silence_in_a_commit_has_precision_0_there_too() -> None:
    quiet = _replay("quiet", _step(1, (), allowed=2, kept=()))

    figure = summarize([GOOD, quiet])["precision"]

    assert figure.micro is not None
    assert figure.macro is not None
    assert (figure.micro.estimate, figure.macro.estimate) == (2 / 4, (2 / 4 + 0) / 2)


def test_steps_at_which_an_edit_depends_on_those_made_have_figures_of_their_own() -> None:
    island = _replay("island", _step(1, (Flow.KEEPING,), 3, (0,), new_island=True))

    dependent = with_dependent_edits([GOOD, BAD, island])

    assert [(replay.case_id, len(replay.steps)) for replay in dependent] == [("good", 2), ("bad", 1)]
    assert summarize(dependent)["recall"].micro == summarize([GOOD, replace(BAD, steps=BAD.steps[:1])])["recall"].micro


def test_a_step_that_was_answered_without_a_prediction_says_nothing_more_and_a_failure_does_not() -> None:
    late = _step(1, (), 1, ())
    finished = replace(_step(2, (), 1, ()), troubles=(Trouble("fill", Mishap.TIMEOUT, "late"),))

    figure = summarize([_replay("a", late, finished)])["nothing more"]

    assert figure.micro is not None
    assert figure.micro.estimate == 1 / 2


def test_replays_of_one_commit_are_one_cluster() -> None:
    once, twice = summarize([GOOD, BAD])["hit@3"], summarize([GOOD, BAD, GOOD, BAD])["hit@3"]

    assert once.macro is not None
    assert twice.macro is not None
    assert twice.macro.high - twice.macro.low > 0.5 * (once.macro.high - once.macro.low)


def test_without_commits_nothing_is_known() -> None:
    assert all(figure.micro is None and figure.macro is None for figure in summarize([]).values())
    assert set(summarize([])) == set(MEASURES)


def _failed(*reasons: Mishap) -> Step:
    troubles = tuple(Trouble("recommend", reason, f"{reason} {at}") for at, reason in enumerate(reasons))
    return replace(_step(1, (), allowed=1, kept=()), troubles=troubles)


@pytest.mark.parametrize(
    "steps, message",
    [
        pytest.param([_failed(Mishap.CRASHED, Mishap.TIMEOUT)] * 2, "crashed 0", id="every-question"),
        pytest.param([_failed(Mishap.CRASHED, Mishap.CRASHED), _failed(Mishap.CRASHED)], None, id="all-but-one"),
        pytest.param([_failed(Mishap.NONSENSE, Mishap.CRASHED)], None, id="nonsense-is-an-answer"),
        pytest.param([_failed()], None, id="silence-is-an-answer"),
        pytest.param([], None, id="nothing-asked"),
    ],
)
def test_a_system_failed_if_it_did_at_every_question(steps: list[Step], message: str | None) -> None:
    found = failure([_replay("a", *steps)])

    assert (found and found.message) == message


def test_troubles_are_counted_by_kind() -> None:
    assert troubles([GOOD, BAD]) == {"timeout": 1}
