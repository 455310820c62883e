"""Questions are skipped beforehand only where they surely do not fit."""

from collections.abc import Sequence

import pytest

from runner.prices import Price, Prices, Rate
from runner.records import Outcome, Result, Scoring
from runner.run.engine import Lane
from runner.run.protocols import Ask
from runner.run.windows import ContextWindow, set_aside_too_long, windows_of
from runner.storage.ledger import LaneKey
from runner.tokens import fewest_tokens
from suts.registry import resolve
from suts.server_facts import ServerFacts
from suts.settings import Settings
from suts.sut import Message, Request, Sampling, Sut
from tests.runner.virtual_time import virtually

VALID = Result(valid=True, scorings=(Scoring(Outcome.APPLIED, valid=True),))


def system(name: str = "openai/m") -> Sut:
    return resolve(name, Settings(environment={"OPENAI_API_KEY": "k"}))


def question(text: str, max_tokens: int = 100) -> Request:
    return Request("", (Message("user", text),), Sampling(max_tokens=max_tokens))


def excess(window: ContextWindow, request: Request) -> str:
    return virtually(window.excess(request))


@pytest.mark.parametrize(
    "text, fewest",
    [
        ("", 0),
        ("one", 1),
        ("two words", 2),
        ("a.b(c)", 3),
        ("snake_case_name", 3),
        ("12 34 ---", 0),
        ("naïve 日本語", 2),
        ("    \n\n\t", 0),
    ],
)
def test_the_fewest_tokens_of_a_text_are_its_runs_of_letters(text: str, fewest: int) -> None:
    assert fewest_tokens(text) == fewest


@pytest.mark.parametrize(
    "text, counts_answer, skipped",
    [
        pytest.param("x " * 1000, False, False, id="as many words as the window"),
        pytest.param("x " * 1001, False, True, id="one word more"),
        pytest.param("x" * 5000, False, False, id="many bytes, but perhaps one token"),
        pytest.param("x " * 901, True, True, id="no room for the answer beside it"),
        pytest.param("x " * 900, True, False, id="just room for the answer"),
    ],
)
def test_without_a_tokenizer_only_too_many_words_are_too_long(text: str, counts_answer: bool, skipped: bool) -> None:
    window = ContextWindow(1000, ServerFacts(window=1000, counts_answer=counts_answer), None)

    assert bool(excess(window, question(text))) is skipped


def test_a_prompt_with_a_suffix_is_cut_by_a_server_that_fills_in() -> None:
    sut = resolve("llamacpp/m", Settings())
    (window,) = windows_of([sut], {"llamacpp/m": ServerFacts("llamacpp", window=10)}, Prices("2026-01-01")).values()
    request = Request("", (), prompt="x " * 5000, suffix="")

    assert window.is_cut(request)
    assert not window.is_cut(question("x"))


def test_a_window_is_the_server_s_before_the_price_table_s_and_simulated_models_have_none() -> None:
    prices = Prices("2026-01-01", dict.fromkeys(["openai/m", "sim/careful"], Price(Rate(1, 1), window=8000)))
    suts = [system(), system("openai/m@temperature=1"), system("openai/other"), system("sim/careful")]

    windows = windows_of(suts, {"openai/m": ServerFacts(window=2000)}, prices)

    assert {name: window.size for name, window in windows.items()} == {
        "openai/m": 2000,
        "openai/m@temperature=1": 8000,
    }


def lanes(*texts: str, sut: str = "openai/m") -> list[Lane]:
    return [Lane(LaneKey(sut, "basic", text), quota=1, cap=1) for text in texts]


def set_aside(lanes: Sequence[Lane], suts: Sequence[Sut], window: int) -> list[str]:
    """Set lanes aside whose case id, as the question, is too long; what is said."""
    said: list[str] = []

    async def attempt(lane: Lane, ask: Ask, number: int) -> Result:
        if lane.key.case_id == "a bug":
            raise ZeroDivisionError
        if lane.key.case_id != "asks nothing":
            await ask(question(lane.key.case_id), number=number)
        return VALID

    facts = ServerFacts(window=window, counts_answer=True)
    windows = {sut.name: ContextWindow(window, facts, None) for sut in suts}
    virtually(set_aside_too_long(lanes, attempt, suts, windows, said.append))
    return said


def test_lanes_that_do_not_fit_are_set_aside_and_counted_and_the_others_are_as_before() -> None:
    some = lanes("short", "w " * 900, "w " * 901, "w " * 950, "asks nothing", "a bug")

    said = set_aside(some, [system()], 1000)

    assert [lane.too_long for lane in some] == [False, False, True, True, False, False]
    assert [lane.launchable for lane in some] == [True, True, False, False, True, True]
    assert [lane.next_number for lane in some] == [1] * 6
    reason = "too long for the context window of 1,000 tokens beside an answer of 100, by the number of its words"
    assert said == [f"openai/m: 2 of 6 questions are skipped: {reason}"]


def test_the_longest_answer_is_that_of_the_system_that_is_asked() -> None:
    changed = system("openai/m@max_tokens=5")
    some = lanes("w " * 950, sut=changed.name)

    assert set_aside(some, [changed], 1000) == []


def test_lanes_that_are_full_or_of_other_systems_are_not_looked_at() -> None:
    full, other = lanes("w " * 2000), lanes("w " * 2000, sut="openai/other")
    full[0].resume([(1, True)])

    assert set_aside([*full, *other], [system()], 1000) == []
