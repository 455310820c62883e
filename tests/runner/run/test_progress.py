"""Progress of a session: what is done of the quota, right so far, time left, limits and cost."""

import asyncio

import pytest

from runner.records import Outcome, Result, Scoring
from runner.run.engine import Ended, Lane
from runner.run.progress import Progress, SpendingLimits
from runner.run.slots import Slots
from runner.storage.ledger import LaneKey
from tests.runner.virtual_time import now_s, virtually


def lane(valid: int = 0, sut: str = "test/model") -> Lane:
    return Lane(LaneKey(sut, "basic", "a"), quota=10, cap=90, valid=valid)


def result(outcome: Outcome, cost_usd: float | None = 0.25, *, expected: bool | None = None) -> Result:
    return Result(outcome.valid, (Scoring(outcome, valid=outcome.valid, equals_expected=expected),), cost_usd)


def line(*ended: Ended, spending: SpendingLimits = SpendingLimits()) -> str:  # noqa: B008 - frozen
    progress = Progress([lane(valid=1)], slots=Slots(2), spending=spending, clock=lambda: 7.0)
    for one in ended:
        progress.began(one.lane, one.number)
        progress.ended(one)
    return progress.line()


def test_a_session_of_which_nothing_ended_shows_what_was_there() -> None:
    assert line() == "1/10 valid, 0 of 2 slots busy, $0.0000"


def test_right_is_the_expected_result_or_solved_where_none_is_expected() -> None:
    applied = result(Outcome.APPLIED)
    wrong = result(Outcome.APPLIED, expected=False)
    ended = [
        Ended(lane(), number, one) for number, one in enumerate((applied, applied, wrong, result(Outcome.NO_CALL)))
    ]

    assert line(*ended) == "4/10 valid, right 67 % so far, 0 of 2 slots busy, $1.0000"


def test_a_cost_that_is_known_in_part_says_so() -> None:
    ended = [Ended(lane(), 1, result(Outcome.APPLIED)), Ended(lane(), 2, result(Outcome.APPLIED, None))]

    assert line(*ended).endswith("$0.2500 and 1 of unknown cost")


def test_the_cost_is_that_of_all_sessions_beside_the_budget() -> None:
    spending = SpendingLimits(before_usd=1.0, budget_usd=5.0)

    assert line(Ended(lane(), 1, result(Outcome.APPLIED)), spending=spending).endswith("$1.2500 of $5.00")


def test_requests_are_counted_where_an_attempt_takes_several() -> None:
    slots = Slots(9)
    progress = Progress([lane()], slots=slots, clock=lambda: 7.0)

    async def asking() -> list[str]:
        progress.began(lane(), 1)
        lines = [progress.line()]
        for _ in range(3):
            await slots.acquire("test/model")
            lines.append(progress.line())
        return lines

    lines = virtually(asking())

    assert [" requests sent" in text for text in lines] == [False, False, True, True]
    assert lines[-1] == "0/10 valid, 3 requests sent, 3 of 9 slots busy, $0.0000"


def test_simulated_models_cost_nothing() -> None:
    spending = SpendingLimits(frozenset({"test/model"}))

    assert line(Ended(lane(), 1, result(Outcome.APPLIED)), spending=spending).endswith("busy, $0 (simulated)")


def test_failed_calls_are_counted_and_what_was_never_sent_is_not() -> None:
    ended = [Ended(lane(), 1, outcome=Outcome.TIMEOUT), Ended(lane(), 2, outcome=Outcome.LOST, unsent=True)]

    assert line(*ended) == "1/10 valid, 0 of 2 slots busy, 1 failed calls, $0.0000"


@pytest.mark.parametrize(
    "seconds,left", [(5.0, "0:04 left"), (500.0, "6:40 left"), (50_000.0, "11:06:40 left")], ids=str
)
def test_the_time_left_follows_from_the_pace_so_far(seconds: float, left: str) -> None:
    open_lane, times = lane(valid=1), iter([0.0, seconds])
    progress = Progress([open_lane], slots=Slots(2), clock=lambda: next(times))
    for number in range(5):
        progress.began(open_lane, number)
        open_lane.valid += 1
        progress.ended(Ended(open_lane, number, result(Outcome.APPLIED)))

    assert f", {left}, " in progress.line()


@pytest.mark.parametrize("seconds, left", [(59.0, ""), (60.0, "9:00 left")])
def test_of_a_slow_model_one_answer_is_enough_to_tell_the_time_left(seconds: float, left: str) -> None:
    open_lane, times = lane(), iter([0.0, seconds])
    progress = Progress([open_lane], slots=Slots(2), clock=lambda: next(times))
    progress.began(open_lane, 1)
    open_lane.valid += 1
    progress.ended(Ended(open_lane, 1, result(Outcome.APPLIED)))

    assert [part for part in progress.line().split(", ") if part.endswith("left")] == [left][: bool(left)]


def test_lanes_that_are_too_long_are_no_part_of_the_quota() -> None:
    long = lane()
    long.set_aside("too long")

    assert Progress([lane(), long], slots=Slots(2)).line().startswith("0/10 valid, ")


def test_several_systems_have_a_line_each() -> None:
    progress = Progress([lane(), lane(3, "test/other")], slots=Slots(2))

    assert list(progress.lines())[1:] == ["  test/model: 0/10 valid", "  test/other: 3/10 valid"]


def test_without_a_terminal_there_is_one_line_each_30_seconds(capsys: pytest.CaptureFixture[str]) -> None:
    async def session() -> None:
        with Progress([lane(), lane()], Slots(2), limits=lambda: ["busy", "slow"], clock=now_s).display():
            await asyncio.sleep(95)

    virtually(session())

    lines = capsys.readouterr().err.splitlines()
    assert lines == ["0/20 valid, 0 of 2 slots busy, $0.0000; limited: busy; limited: slow"] * 3
