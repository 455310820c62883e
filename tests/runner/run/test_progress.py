"""What is told while a session runs: how far each system is, how attempts ended, what is known of the cost."""

from runner.records import Outcome, Result, Scoring
from runner.run.engine import Ended, Lane
from runner.run.progress import Progress
from runner.run.slots import Slots
from runner.storage.ledger import LaneKey


def lane(valid: int = 0) -> Lane:
    return Lane(LaneKey("test/model", "basic", "a"), quota=4, cap=9, valid=valid)


def result(outcome: Outcome, cost_usd: float | None = 0.25) -> Result:
    return Result(outcome.valid, (Scoring(outcome, valid=outcome.valid),), cost_usd)


def told(*ended: Ended) -> str:
    progress = Progress([lane(valid=1)], slots=Slots(2), clock=lambda: 7.0)
    for one in ended:
        progress.began(one.lane, one.number)
        progress.ended(one)
    return next(progress.lines())


def test_a_system_of_which_nothing_ended_shows_what_was_there() -> None:
    assert told() == "test/model: 1/4 valid; nothing yet; $0.0000"


def test_outcomes_are_counted_the_commonest_first() -> None:
    ended = [Ended(lane(), 1, result(Outcome.NO_CALL)), *[Ended(lane(), 2, result(Outcome.APPLIED))] * 2]

    assert told(*ended) == "test/model: 3/4 valid; applied 2, no_call 1; $0.7500"


def test_a_cost_that_is_known_in_part_says_so() -> None:
    ended = [Ended(lane(), 1, result(Outcome.APPLIED)), Ended(lane(), 2, result(Outcome.APPLIED, None))]

    assert told(*ended) == "test/model: 3/4 valid; applied 2; $0.2500 and 1 of unknown cost"


def test_infrastructure_is_counted_and_costs_nothing_and_what_was_never_sent_is_not() -> None:
    ended = [Ended(lane(), 1, outcome=Outcome.TIMEOUT), Ended(lane(), 2, outcome=Outcome.LOST, unsent=True)]

    assert told(*ended) == "test/model: 1/4 valid; timeout 1; $0.0000"
