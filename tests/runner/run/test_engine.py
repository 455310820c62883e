"""Slots roll, quotas fill without a batch and without bias, and nothing that a plug-in does ends a run."""

import asyncio
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.records import Outcome, Result, Scoring
from runner.run.budget import BudgetReachedError
from runner.run.engine import PATIENCE, Ended, Engine, Lane
from runner.storage.ledger import LaneKey
from suts.sut import ErrorKind, SutError
from tests.runner.virtual_time import now_s, virtually

VALID = Result(valid=True, scorings=(Scoring(Outcome.APPLIED, valid=True),))
INVALID = Result(valid=False, scorings=(Scoring(Outcome.NO_CALL, valid=False),))


@dataclass(frozen=True)
class Shape:
    """A run: so many lanes with a quota, a cap of quota + spare, and what becomes of attempts."""

    lanes: int
    quota: int
    spare: int
    slots: int
    valid: float
    faults: float
    seed: int

    def made(self) -> list[Lane]:
        return [lane(str(index), self.quota, self.quota + self.spare) for index in range(self.lanes)]

    def world(self, *, faults: bool = True) -> "World":
        return World(self.seed, self.valid, self.faults if faults else 0.0)


shapes = st.builds(
    Shape,
    lanes=st.integers(min_value=1, max_value=4),
    quota=st.integers(min_value=1, max_value=5),
    spare=st.integers(min_value=0, max_value=6),
    slots=st.integers(min_value=1, max_value=8),
    valid=st.sampled_from([0.0, 0.3, 0.7, 1.0]),
    faults=st.sampled_from([0.0, 0.2]),
    seed=st.integers(min_value=0, max_value=10**6),
)


@dataclass
class World:
    """What becomes of an attempt depends on its lane and number alone; faults come and go."""

    seed: int = 0
    valid: float = 1.0
    faults: float = 0.0
    began_: list[tuple[LaneKey, int]] = field(default_factory=list)
    ended_: list[Ended] = field(default_factory=list)
    peak: int = 0
    broken: list[str] = field(default_factory=list)

    async def attempt(self, lane: Lane, number: int) -> Result:
        fate = Random(f"{self.seed} {lane.key} {number}")
        passing = Random(f"{self.seed} {lane.key} {number} {len(self.ended_)}")
        await asyncio.sleep(fate.choice([0.0, 1.0, fate.expovariate(1)]))
        if passing.random() < self.faults:
            raise SutError(ErrorKind.SERVER, "500")
        return VALID if fate.random() < self.valid else INVALID

    def began(self, lane: Lane, number: int) -> None:
        self.began_.append((lane.key, number))
        self.peak = max(self.peak, len(self.began_) - len(self.ended_))
        if lane.valid + lane.in_flight > lane.quota or lane.valid + lane.in_flight + lane.invalid > lane.cap:
            self.broken.append(f"{lane} launched number {number}")

    def ended(self, ended: Ended) -> None:
        self.ended_.append(ended)

    def accepted(self, key: LaneKey) -> dict[int, bool]:
        """The numbers that gave a result, and whether it was valid."""
        return {one.number: one.result.valid for one in self.ended_ if one.result and one.lane.key == key}


def lane(case_id: str = "a", quota: int = 1, cap: int = 10, sut: str = "test/one") -> Lane:
    return Lane(LaneKey(sut, "basic", case_id), quota, cap)


def run(lanes: Iterable[Lane], world: World, slots: int = 4) -> Engine:
    engine = Engine(lanes, world.attempt, world, slots)
    virtually(engine.run())
    return engine


@given(shape=shapes)
def test_no_more_is_launched_than_quota_cap_and_slots_allow(shape: Shape) -> None:
    world = shape.world()

    run(shape.made(), world, shape.slots)

    assert world.broken == []
    assert world.peak <= shape.slots


@given(shape=shapes)
def test_what_counts_is_the_shortest_run_of_first_attempts_that_fills_the_quota(shape: Shape) -> None:
    world, lanes = shape.world(), shape.made()

    run(lanes, world, shape.slots)

    for one in lanes:
        counted = world.accepted(one.key)
        if one.state == "abandoned":
            continue
        assert sorted(counted) == list(range(1, len(counted) + 1))
        assert one.state == ("full" if sum(counted.values()) == shape.quota else "capped")
        assert sum(valid for number, valid in counted.items() if number < len(counted)) < shape.quota
        assert len(counted) == one.cap or one.state == "full"


@given(shape=shapes, stop_s=st.floats(min_value=0, max_value=8))
def test_a_run_that_was_interrupted_ends_as_one_that_was_not(shape: Shape, stop_s: float) -> None:
    whole, first, second = shape.world(faults=False), shape.world(), shape.world(faults=False)
    run(shape.made(), whole, shape.slots)

    virtually(cancelled(Engine(shape.made(), first.attempt, first, shape.slots), stop_s))
    resumed = shape.made()
    for one in resumed:
        one.resume(first.accepted(one.key).items())
    run(resumed, second, shape.slots)

    for one in resumed:
        assert first.accepted(one.key) | second.accepted(one.key) == whole.accepted(one.key)
        assert not first.accepted(one.key).keys() & second.accepted(one.key).keys()


async def cancelled(engine: Engine, stop_s: float) -> None:
    running = asyncio.create_task(engine.run())
    await asyncio.sleep(stop_s)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


def test_lanes_take_turns() -> None:
    world = World()

    run([lane(name, quota=2) for name in "abc"], world, slots=1)

    assert [f"{key.case_id}{number}" for key, number in world.began_] == ["a1", "b1", "c1", "a2", "b2", "c2"]


@given(stop_s=st.floats(min_value=0.1, max_value=20), seed=st.integers(0, 10**6))
def test_an_early_stop_leaves_the_lanes_balanced(stop_s: float, seed: int) -> None:
    world = World(seed, valid=1.0)
    lanes = [lane(str(index), quota=20) for index in range(5)]

    virtually(cancelled(Engine(lanes, world.attempt, world, 5), stop_s))

    launched = Counter(key for key, _ in world.began_)
    assert max(launched.values()) - min(launched.get(one.key, 0) for one in lanes) <= 1


def test_a_lane_at_its_cap_is_given_up_as_capped_and_says_so() -> None:
    one = lane(quota=2, cap=5)
    world = World(valid=0.0)

    run([one], world)

    assert (one.state, one.valid, one.invalid) == ("capped", 0, 5)


def test_five_infrastructure_outcomes_in_a_row_abandon_a_case() -> None:
    one, other = lane("a"), lane("b")
    world = World()

    async def attempt(at: Lane, number: int) -> Result:
        if at is one:
            raise SutError(ErrorKind.SERVER, f"500 at {number}")
        return VALID

    virtually(Engine([one, other], attempt, world, 2).run())

    assert (one.state, other.state) == ("abandoned", "full")
    assert one.abandoned == "5 times in a row: 500 at 1"
    assert sum(key == one.key for key, _ in world.began_) == PATIENCE


def test_an_answer_in_between_starts_the_count_anew() -> None:
    one = lane(quota=3)
    fates: list[Result | SutError] = []
    for result in (INVALID, VALID, VALID, VALID):
        fates += [*[SutError(ErrorKind.CUT, "cut")] * (PATIENCE - 1), result]

    async def attempt(_lane: Lane, _number: int) -> Result:
        fate = fates.pop(0)
        if isinstance(fate, SutError):
            raise fate
        return fate

    virtually(Engine([one], attempt, World(), 1).run())

    assert (one.state, one.valid, one.invalid) == ("full", 3, 1)


def test_an_attempt_without_an_answer_keeps_its_number_and_counts_nowhere() -> None:
    one = lane(quota=2, cap=2)
    world = World()
    failures = [SutError(ErrorKind.TIMEOUT, "late"), SutError(ErrorKind.CUT, "cut")]

    async def attempt(_lane: Lane, _number: int) -> Result:
        if failures:
            raise failures.pop(0)
        return INVALID

    virtually(Engine([one], attempt, world, 1).run())

    assert [number for _, number in world.began_] == [1, 1, 1, 2]
    assert [ended.outcome for ended in world.ended_[:2]] == [Outcome.TIMEOUT, Outcome.SUT_ERROR]
    assert (one.state, one.invalid) == ("capped", 2)


@pytest.mark.parametrize(
    "kind, states",
    [
        pytest.param(ErrorKind.AUTH, ["abandoned", "abandoned", "full"], id="a refused key"),
        pytest.param(ErrorKind.NOT_FOUND, ["abandoned", "abandoned", "full"], id="a model that is not there"),
        pytest.param(ErrorKind.RATE_LIMIT, ["abandoned", "abandoned", "full"], id="a quota that is used up"),
        pytest.param(ErrorKind.BAD_REQUEST, ["abandoned", "full", "full"], id="a refused request"),
        pytest.param(ErrorKind.CONTEXT, ["abandoned", "full", "full"], id="a question that does not fit"),
    ],
)
def test_what_no_retry_can_mend_gives_up_the_system_or_the_case(kind: ErrorKind, states: list[str]) -> None:
    lanes = [lane("a", sut="test/one"), lane("b", sut="test/one"), lane("a", sut="test/two")]
    world = World()

    async def attempt(at: Lane, _number: int) -> Result:
        if at is lanes[0]:
            raise SutError(kind, "no", retryable=False)
        await asyncio.sleep(1)
        return VALID

    virtually(Engine(lanes, attempt, world, 1).run())

    assert [one.state for one in lanes] == states
    assert len(world.began_) == states.count("full") + 1


@pytest.mark.parametrize(
    "kind, outcome, done",
    [(ErrorKind.CONTEXT, Outcome.TOO_LONG, True), (ErrorKind.BAD_REQUEST, Outcome.SUT_ERROR, False)],
)
def test_only_a_question_that_does_not_fit_leaves_nothing_for_later(
    kind: ErrorKind, outcome: Outcome, done: bool
) -> None:
    only, world = lane("a", quota=3), World()

    async def attempt(_at: Lane, _number: int) -> Result:
        raise SutError(kind, "4031 tokens", retryable=False)

    virtually(Engine([only], attempt, world, 1).run())

    assert [(ended.outcome, ended.outcome.infrastructure) for ended in world.ended_] == [(outcome, True)]
    assert (only.done, only.too_long, only.abandoned) == (done, done, "4031 tokens")


def test_what_was_under_way_when_a_system_was_given_up_still_counts() -> None:
    lanes = [lane("a"), lane("b")]

    async def attempt(at: Lane, _number: int) -> Result:
        if at is lanes[0]:
            raise SutError(ErrorKind.AUTH, "no", retryable=False)
        await asyncio.sleep(1)
        return VALID

    virtually(Engine(lanes, attempt, World(), 2).run())

    assert [one.state for one in lanes] == ["abandoned", "full"]


def test_a_plug_ins_bug_is_an_outcome_with_its_traceback_and_the_run_goes_on() -> None:
    broken, sound = lane("broken"), lane("sound", quota=3)
    world = World()

    async def attempt(at: Lane, _number: int) -> Result:
        if at is broken:
            raise ZeroDivisionError("a plug-in's own")
        return VALID

    virtually(Engine([broken, sound], attempt, world, 2).run())

    crashed = [ended for ended in world.ended_ if ended.crashed]
    assert (broken.state, sound.state) == ("abandoned", "full")
    assert len(crashed) == PATIENCE
    assert 'raise ZeroDivisionError("a plug-in\'s own")' in crashed[0].reason


def test_draining_lets_what_is_under_way_end_and_launches_nothing() -> None:
    world = World(valid=1.0)
    lanes = [lane(str(index), quota=9) for index in range(4)]

    async def slow(_lane: Lane, _number: int) -> Result:
        await asyncio.sleep(10)
        return VALID

    async def drained() -> float:
        engine = Engine(lanes, slow, world, 3)
        asyncio.get_running_loop().call_later(15, engine.drain)
        await engine.run()
        return now_s()

    assert virtually(drained()) == 20
    assert len(world.ended_) == len(world.began_) == 6
    assert {one.state for one in lanes} == {"open"}


def test_a_reached_budget_drains_and_the_attempt_was_never_sent() -> None:
    world = World()
    lanes = [lane(str(index)) for index in range(6)]

    async def attempt(_lane: Lane, _number: int) -> Result:
        await asyncio.sleep(1)
        if now_s() > 1.5:
            raise BudgetReachedError("$0.00 left")
        return VALID

    engine = Engine(lanes, attempt, world, 2)
    virtually(engine.run())

    assert engine.draining
    assert [ended.unsent for ended in world.ended_] == [False, False, True, True]
    assert [one.state for one in lanes] == ["full", "full", "open", "open", "open", "open"]
    assert {one.failures_in_a_row for one in lanes} == {0}


@pytest.mark.parametrize("slots", [1, 3, 50])
def test_every_slot_is_used_while_there_is_work(slots: int) -> None:
    world = World()

    async def second(_lane: Lane, _number: int) -> Result:
        await asyncio.sleep(1)
        return VALID

    async def took() -> float:
        await Engine([lane(str(index)) for index in range(100)], second, world, slots).run()
        return now_s()

    assert virtually(took()) == -(-100 // slots)
    assert world.peak == slots


def test_nothing_to_do_is_done_at_once() -> None:
    full = lane()
    full.resume([(1, True)])
    world = World()

    run([full], world)

    assert (world.began_, full.state) == ([], "full")


@pytest.mark.parametrize(
    "finished, following",
    [
        pytest.param([], [1, 2, 3], id="nothing"),
        pytest.param([(1, True), (2, False)], [3, 4, 5], id="the first ones"),
        pytest.param([(2, True), (4, False)], [1, 3, 5], id="with gaps, which come first"),
    ],
)
def test_a_resumed_lane_goes_on_with_the_numbers_that_are_missing(
    finished: list[tuple[int, bool]], following: list[int]
) -> None:
    one = lane(quota=9)

    one.resume(finished)

    assert [one.launch() for _ in range(3)] == following


def test_a_larger_quota_opens_a_full_lane_again() -> None:
    one = lane(quota=3)

    one.resume([(1, True), (2, True)])

    assert (one.state, one.launchable) == ("open", True)
