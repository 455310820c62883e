"""An endpoint that nothing has answered ends its cases together and soon; one that has answered keeps its patience."""

import string
from collections.abc import Sequence
from dataclasses import replace

import pytest

from runner.records import Result
from runner.run.breaker import PreflightResult, place_of
from runner.run.engine import Lane
from runner.run.pace import Deadlines
from runner.run.protocols import Ask
from runner.run.session import SessionEnd
from runner.storage.store import Store
from suts.sut import ErrorKind, SutError
from tests.runner.contexts import Contexts
from tests.runner.made_runs import SUT, make_run, plan, variant
from tests.runner.run.test_session import ask_once, lanes_of, run, scripted
from tests.runner.scripted import ENDPOINT, Script, Scripted, chunk, whole
from tests.runner.virtual_time import now_s

CASES = string.ascii_letters[:29]
OTHER = "test/other"
YES = whole("yes", 10, 5)
REFUSED = SutError(ErrorKind.CONNECTION, "connection refused by here: start the server")
UNTRUSTED = SutError(ErrorKind.CONNECTION, "certificate of here not trusted", retryable=False)
PAGE = SutError(ErrorKind.MALFORMED, "text/html, not a stream")
MOVED = SutError(ErrorKind.BAD_REQUEST, "302: redirects to there", retryable=False, status=302)
LOADING = SutError(ErrorKind.OVERLOADED, "503 Loading model", status=503)
CUT = SutError(ErrorKind.CUT, "the connection broke")
OWN = replace(ENDPOINT, own_server=True)
ELSEWHERE = replace(ENDPOINT, base_url="https://elsewhere.example")
ONE_AFTER_ANOTHER, AT_ONCE = 1, 80
slots = pytest.mark.parametrize("slots", [ONE_AFTER_ANOTHER, AT_ONCE], ids=["sequential", "parallel"])


@pytest.fixture
def contexts(store: Store) -> Contexts:
    make_run(store, planned=plan(cases=CASES, variants=[variant(), variant(OTHER)]))
    return Contexts(store)


class Timed:
    """When a session's last call began, in virtual seconds."""

    last_s = 0.0

    def mark(self, _request: object) -> None:
        self.last_s = now_s()


def ended(contexts: Contexts, lanes: list[Lane], sut: Scripted, *others: Scripted) -> tuple[SessionEnd, float]:
    timed = Timed()
    sut.scripts = [[timed.mark, *script] for script in sut.scripts]
    return run(contexts, lanes, sut, *others), timed.last_s


def reasons(lanes: Sequence[Lane]) -> set[str | None]:
    return {lane.abandoned for lane in lanes}


@slots
@pytest.mark.parametrize("error", [REFUSED, CUT], ids=["refused", "empty"])
def test_an_endpoint_that_nothing_has_answered_ends_all_its_cases_within_seconds(
    contexts: Contexts, slots: int, error: SutError
) -> None:
    contexts.slots = slots
    lanes = lanes_of(CASES)

    end, last_s = ended(contexts, lanes, scripted([error]))

    assert (end.exit_code, reasons(lanes)) == (3, {str(error)})
    assert 5 < last_s < 15
    assert contexts.said == []


@slots
@pytest.mark.parametrize("error", [UNTRUSTED, PAGE, MOVED], ids=["certificate", "page", "redirect"])
def test_what_no_patience_helps_ends_all_cases_at_once(contexts: Contexts, slots: int, error: SutError) -> None:
    contexts.slots = slots
    lanes, sut = lanes_of(CASES), scripted([error])

    end, last_s = ended(contexts, lanes, sut)

    assert (end.exit_code, reasons(lanes), last_s) == (3, {str(error)}, 0.0)
    assert len(sut.asked) <= 4
    assert {row["error_kind"] for row in contexts.answers()} == {str(error.kind)}


def test_an_endpoint_that_has_answered_keeps_the_usual_patience(contexts: Contexts) -> None:
    lanes, sut = lanes_of("ab"), scripted(YES, *[[REFUSED]] * 7, YES)
    contexts.slots = ONE_AFTER_ANOTHER

    end, _ = ended(contexts, lanes, sut)

    assert (end.exit_code, end.valid) == (0, 2)


def test_an_endpoint_that_answered_an_earlier_session_keeps_the_usual_patience(contexts: Contexts) -> None:
    run(contexts, lanes_of("a"), scripted(YES))
    lanes = lanes_of("b")

    end, last_s = ended(contexts, lanes, scripted([REFUSED]))

    assert (end.exit_code, len(reasons(lanes))) == (3, 1)
    assert last_s > 15


def test_an_endpoint_that_responds_to_the_preflight_keeps_the_usual_patience(contexts: Contexts) -> None:
    contexts.preflight = PreflightResult(reached=frozenset({place_of(ENDPOINT)}))

    end, _ = ended(contexts, lanes_of("a"), scripted(*[[REFUSED]] * 7, YES))

    assert (end.exit_code, end.valid) == (0, 1)


def refused_until(end_s: float) -> Script:
    """Answers from a time on, in virtual seconds, and is refused before."""

    def refuse(_request: object) -> None:
        if now_s() < end_s:
            raise REFUSED

    return [refuse, *YES]


def test_a_slow_first_answer_is_awaited_while_others_are_refused(contexts: Contexts) -> None:
    end, _ = ended(contexts, lanes_of("ab"), scripted([200.0, *YES], refused_until(12.0)))

    assert (end.exit_code, end.valid) == (0, 2)


def test_calls_that_wait_for_a_retry_end_when_their_endpoint_is_closed(contexts: Contexts) -> None:
    later = SutError(ErrorKind.CONNECTION, "come back later", retry_after_s=300.0)
    ends: list[float] = []

    async def timed(lane: Lane, ask: Ask, number: int) -> Result:
        try:
            return await ask_once(lane, ask, number)
        finally:
            ends.append(now_s())

    end = run(contexts, lanes_of("abc"), scripted([20.0, REFUSED], [later]), attempt=timed)

    assert (end.exit_code, ends) == (3, [20.0] * 3)


def test_silence_after_silence_closes_an_endpoint(contexts: Contexts) -> None:
    contexts.deadlines = Deadlines(first_token_s=10, idle_s=5, total_s=60)
    contexts.slots = ONE_AFTER_ANOTHER
    lanes, sut = lanes_of(CASES), scripted([b": ping\n\n", 99.0])

    end, _ = ended(contexts, lanes, sut)

    assert (end.exit_code, len(sut.asked), len(reasons(lanes))) == (3, 5, 1)
    assert [row["outcome"] for row in contexts.answers()] == ["timeout"] * 5


def test_silence_between_answers_closes_nothing(contexts: Contexts) -> None:
    contexts.deadlines = Deadlines(first_token_s=10, idle_s=5, total_s=60)
    sut = scripted(YES, *[[99.0]] * 8, YES)

    end, _ = ended(contexts, lanes_of("abcdef"), sut)

    assert (end.exit_code, end.valid) == (0, 6)


@pytest.mark.parametrize("own", [True, False], ids=["of one's own", "a vendor's"])
def test_a_status_of_a_server_that_is_not_ready_is_a_vendors_answer(contexts: Contexts, own: bool) -> None:
    lanes, sut = lanes_of("ab"), scripted([LOADING])
    sut.endpoint = OWN if own else ENDPOINT

    end, ended_s = ended(contexts, lanes, sut)

    assert end.exit_code == 3
    assert (ended_s < 15) is own
    assert all(("--wait-for-server" in (reason or "")) is own for reason in reasons(lanes))


@slots
def test_a_server_that_loads_its_model_is_waited_for_as_long_as_the_user_says(contexts: Contexts, slots: int) -> None:
    contexts.preflight = PreflightResult(wait_s=600)
    contexts.slots = slots
    lanes, sut = lanes_of("abc"), scripted([])
    sut.endpoint = OWN

    def load(_request: object) -> None:
        if now_s() < 400:
            raise LOADING

    sut.scripts = [[load, *YES]]
    end = run(contexts, lanes, sut)

    assert (end.exit_code, end.valid) == (0, 3)
    assert contexts.said[0] == "waiting up to 600 s for https://scripted.example: 503 Loading model"
    assert len([line for line in contexts.said if "waiting" in line or "retrying" in line]) == 1


def test_waiting_ends_when_its_time_is_over(contexts: Contexts) -> None:
    contexts.preflight = PreflightResult(wait_s=60)
    lanes, sut = lanes_of("ab"), scripted([LOADING])
    sut.endpoint = OWN

    end, last_s = ended(contexts, lanes, sut)

    assert (end.exit_code, reasons(lanes)) == (3, {"503 Loading model; waited for 60 s"})
    assert last_s == pytest.approx(60, abs=5)


def test_an_endpoint_that_a_preflight_closed_is_not_asked_and_leaves_no_record(contexts: Contexts) -> None:
    contexts.preflight = PreflightResult(closed={place_of(ENDPOINT): REFUSED})
    lanes = lanes_of("abc", suts=(SUT, OTHER))
    dead, alive = scripted(YES), scripted(YES, name=OTHER)
    alive.endpoint = ELSEWHERE

    end, _ = ended(contexts, lanes, dead, alive)

    assert (end.exit_code, end.valid, len(dead.asked)) == (3, 3, 0)
    assert {row["outcome"] for row in contexts.answers()} == {"answered"}
    assert reasons([lane for lane in lanes if lane.key.sut == SUT]) == {str(REFUSED)}


def test_every_model_of_a_closed_endpoint_is_given_up(contexts: Contexts) -> None:
    lanes = lanes_of("abc", suts=(SUT, OTHER))

    end, last_s = ended(contexts, lanes, scripted([REFUSED]), scripted([REFUSED], name=OTHER))

    assert (end.exit_code, reasons(lanes)) == (3, {str(REFUSED)})
    assert last_s < 15


def test_a_broken_first_chunk_is_an_answer(contexts: Contexts) -> None:
    end, _ = ended(contexts, lanes_of("a"), scripted([chunk("y"), PAGE], [b"data: {\n\n"], YES))

    assert (end.exit_code, end.valid) == (0, 1)
