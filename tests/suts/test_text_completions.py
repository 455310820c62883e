"""Prompts that a model goes on with: what is sent, what comes back, and who takes none."""

from collections.abc import Sequence
from functools import partial

import pytest

from suts.openai_text import infill_body, text_body
from suts.registry import resolve
from suts.settings import Settings
from suts.simulated.book import truth_book
from suts.simulated.config import ServerConfig
from suts.simulated.holes import filling, in_fence
from suts.simulated.llamacpp import LlamaCpp
from suts.simulated.models import plan
from suts.simulated.server import serving
from suts.simulated.spec import parse_spec
from suts.sut import ErrorKind, Hole, Message, Received, Request, Sampling, Sut, SutError, Truth, takes_prompts
from tests.suts.reading import read

HOLE = Hole("return 1", {"wrong": "pass", "empty": ""})
TRUTH = Truth("case", number=1, hole=HOLE)
FAST = "ttft_ms=1&gap_ms=0"
KEYS = {"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k", "OPENROUTER_API_KEY": "k"}


def prompted(prompt: str, suffix: str | None = None, **sampling: object) -> Request:
    return Request("", (), Sampling(**sampling), prompt=prompt, suffix=suffix)  # type: ignore[arg-type] # a table of fields


async def answer(sut: Sut, request: Request) -> str:
    pieces: Sequence[Received] = [piece async for piece in sut.stream(request)]
    await sut.aclose()
    return read(sut.wire, [piece.data for piece in pieces if piece.data]).text


def test_a_prompt_is_sent_as_it_stands_with_its_stops() -> None:
    body = text_body("m", prompted("a\n", "b", stop=("<end>",), max_tokens=5), stream_options={})

    assert body == {
        "model": "m",
        "prompt": "a\n",
        "suffix": "b",
        "max_tokens": 5,
        "temperature": 0.0,
        "seed": 0,
        "stop": ["<end>"],
        "stream": True,
        "stream_options": {"include_usage": True},
    }


def test_without_suffix_and_stops_none_are_sent() -> None:
    assert {"suffix", "stop"}.isdisjoint(text_body("m", prompted("a"), stream_options={}))


def test_a_prefix_and_a_suffix_are_sent_to_infill_as_they_stand() -> None:
    body = infill_body("m", prompted("a\n", "", stop=("<end>",), max_tokens=5))

    assert body == {
        "model": "m",
        "input_prefix": "a\n",
        "input_suffix": "",
        "n_predict": 5,
        "temperature": 0.0,
        "seed": 0,
        "stop": ["<end>"],
        "stream": True,
    }


@pytest.mark.parametrize(
    "provider, suffix, wire, text",
    [
        pytest.param("llamacpp", "behind", "llamacpp-infill", "return 1", id="llama.cpp, with a suffix"),
        pytest.param("llamacpp", None, "openai-text", None, id="llama.cpp, without one"),
        pytest.param("vllm", "behind", "openai-text", None, id="llama.cpp taken for another: the suffix is lost"),
    ],
)
async def test_only_infill_shows_a_suffix_to_a_server_of_llama_cpp(
    provider: str, suffix: str | None, wire: str, text: str | None
) -> None:
    book = truth_book([([Message("user", "before"), Message("user", "behind")], TRUTH)])

    async with serving(ServerConfig(book=book, parameters=FAST, llamacpp=LlamaCpp(4096))) as server:
        said = await answer(
            resolve(f"{provider}/truth", Settings(base_url=f"{server.url}/v1")), prompted("before", suffix)
        )

    assert (said == "return 1") is (text == "return 1")
    assert [entry.wire for entry in server.log] == [wire]


@pytest.mark.parametrize("sampling", [{"thinking_budget": 9}, {"effort": "high"}])
def test_a_prompt_is_not_thought_about(sampling: dict[str, object]) -> None:
    for body in (partial(text_body, stream_options={}), infill_body):
        with pytest.raises(SutError) as caught:
            body("m", prompted("a", "b", **sampling))

        assert caught.value.kind is ErrorKind.BAD_REQUEST


@pytest.mark.parametrize(
    "model, taken",
    [
        ("openai/gpt-x", True),
        ("openrouter/some/model", True),
        ("vllm/m", True),
        ("vllm/m@temperature=1", True),
        ("sim/careful", True),
        ("anthropic/claude-x", False),
    ],
)
def test_it_is_known_who_takes_prompts(model: str, taken: bool) -> None:
    assert takes_prompts(resolve(model, Settings(environment=KEYS))) is taken


def test_who_takes_no_prompts_refuses_one_before_it_is_sent() -> None:
    sut = resolve("anthropic/claude-x", Settings(environment=KEYS))

    with pytest.raises(SutError, match="takes no prompts"):
        sut.stream(prompted("a"))


@pytest.mark.parametrize("suffix", [None, "behind"])
async def test_a_prompt_is_answered_over_http(suffix: str | None) -> None:
    texts = ["before", *([suffix] if suffix else [])]
    book = truth_book([([Message("user", text) for text in texts], TRUTH)])

    async with serving(ServerConfig(book=book, parameters=FAST)) as server:
        sut = resolve("vllm/truth", Settings(base_url=f"{server.url}/v1"))
        said = await answer(sut, prompted("before", suffix))

    assert said == "return 1"
    assert [entry.wire for entry in server.log] == ["openai-text"]


async def test_an_empty_answer_is_an_answer() -> None:
    truth = Truth("case", number=1, hole=Hole("", {"wrong": "pass"}))
    book = truth_book([([Message("user", "before")], truth)])

    async with serving(ServerConfig(book=book, parameters=FAST)) as server:
        said = await answer(resolve("vllm/truth", Settings(base_url=f"{server.url}/v1")), prompted("before"))

    assert said == ""


@pytest.mark.parametrize(
    "model, outcome, text",
    [
        ("sim/truth", "solved", "return 1"),
        ("sim/empty", "empty", ""),
        ("sim/wrong", "wrong", "pass"),
        pytest.param("sim/over-run", "wrong", "pass", id="no text that goes on surely fails"),
    ],
)
def test_each_simulated_model_fills_a_hole_in_its_own_way(model: str, outcome: str, text: str) -> None:
    planned = plan(parse_spec(model), TRUTH)

    assert (planned.outcome, planned.text) == (outcome, text)


def test_an_empty_answer_is_right_where_nothing_is_missing() -> None:
    assert filling(Hole("", {"wrong": "pass"}), "empty") == ("solved", "")


def test_planted_rates_are_met_by_many_holes() -> None:
    spec = parse_spec("sim/any?applied=0.7&over_run=0&empty=1&wrong=3")
    outcomes = [plan(spec, Truth(str(at), number=1, hole=HOLE)).outcome for at in range(4000)]

    assert outcomes.count("solved") / 4000 == pytest.approx(0.7, abs=0.03)
    assert outcomes.count("empty") / 4000 == pytest.approx(0.3 / 4, abs=0.02)


def test_other_weights_of_holes_are_another_model() -> None:
    assert parse_spec("sim/any?empty=2").identity != parse_spec("sim/any").identity


def test_a_filling_that_holds_a_fence_gets_a_longer_one() -> None:
    assert in_fence("x") == "```python\nx\n```"
    assert in_fence('"""\n```\n"""') == '````python\n"""\n```\n"""\n````'
