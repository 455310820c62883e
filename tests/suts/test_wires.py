import re
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suts.sut import Finish, Timings, Usage, Wire
from suts.wires import WIRES
from tests.suts.reading import RECORDED, Reading, read, recorded

CHAT = "openai-chat"
MESSAGES = "anthropic-messages"
STREAMS = {
    "openai_text": (
        CHAT,
        Reading(
            text='I will edit "main.py":\n\tx = 1\\2 naïve \U0001f600 日本',
            usage=Usage(0, input_tokens=86, cache_read_tokens=1920, output_tokens=300, reasoning_tokens=0),
            finishes=[Finish(0, "stop", "gpt-4.1-mini-2025-04-14")],
        ),
    ),
    "openrouter_claude": (
        CHAT,
        Reading(
            text="<replace_in_file>\n<path>a.py</path>",
            reasoning="The user wants\nan edit.",
            usage=Usage(
                0,
                input_tokens=39,
                cache_read_tokens=300,
                cache_write_tokens=10_000,
                output_tokens=60,
                reasoning_tokens=12,
                cost_usd=0.0321,
            ),
            finishes=[Finish(0, "stop", "anthropic/claude-sonnet-4.5", "Google")],
        ),
    ),
    "deepseek_reasoner": (
        CHAT,
        Reading(
            text="Done.",
            reasoning="First, look",
            usage=Usage(0, input_tokens=18, cache_read_tokens=32, output_tokens=20, reasoning_tokens=9),
            finishes=[Finish(0, "length", "deepseek-reasoner")],
        ),
    ),
    "vllm_tools": (
        CHAT,
        Reading(
            calls={0: ("replace_in_file", '{"path": "a.py"}')},
            usage=Usage(0, input_tokens=40, output_tokens=11),
            finishes=[Finish(0, "tool_calls", "Qwen/Qwen3-Coder-30B-A3B-Instruct")],
        ),
    ),
    "xai_grok": (
        CHAT,
        Reading(
            text="Yes, it is",
            reasoning="Hm",
            usage=Usage(0, input_tokens=25, cache_read_tokens=5, output_tokens=103, reasoning_tokens=100),
            finishes=[Finish(0, "stop", "grok-4")],
        ),
    ),
    "mistral_magistral": (
        CHAT,
        Reading(
            text="42.",
            reasoning="Let me see",
            usage=Usage(0, input_tokens=10, output_tokens=12),
            finishes=[Finish(0, "stop", "magistral-medium-2509")],
        ),
    ),
    "llamacpp_chat": (
        CHAT,
        Reading(
            text="\n" * 5,
            usage=Usage(0, input_tokens=1, cache_read_tokens=30, output_tokens=5),
            finishes=[Finish(0, "length", "fim.gguf")],
            timings=Timings(0, 2.741, 9.543),
        ),
    ),
    "llamacpp_infill": (
        CHAT,
        Reading(
            text="-   ",
            usage=Usage(0, input_tokens=7, cache_read_tokens=5, output_tokens=4),
            finishes=[Finish(0, "length", "fim.gguf")],
            timings=Timings(0, 4.393, 7.854),
        ),
    ),
    "claude_thinking": (
        MESSAGES,
        Reading(
            text="Ça va: <replace_in_file>\n\t\u2028\U0001f600 done",
            reasoning='The function is\n"wrong".',
            usage=Usage(
                0,
                input_tokens=21,
                cache_read_tokens=3,
                cache_write_tokens=188_086,
                output_tokens=393,
                reasoning_tokens=120,
            ),
            finishes=[Finish(0, "end_turn", "claude-sonnet-4-5-20250929")],
        ),
    ),
    "claude_tools": (
        MESSAGES,
        Reading(
            text="Okay, let me edit.",
            calls={1: ("replace_in_file", '{"path": "a.py"}')},
            usage=Usage(0, input_tokens=472, cache_read_tokens=0, output_tokens=89),
            finishes=[Finish(0, "tool_use", "claude-opus-5")],
        ),
    ),
    "gemini_tools": (
        "google-generate",
        Reading(
            text="I edit a.py — naïve \U0001f600.",
            reasoning="**Reading**\n\nThe file first.",
            calls={0: ("replace_in_file", '{"path":"a.py"}')},
            usage=Usage(0, input_tokens=186, cache_read_tokens=1024, output_tokens=63, reasoning_tokens=42),
            finishes=[Finish(0, "stop", "gemini-3-flash-preview")],
        ),
    ),
    "claude_short": (
        MESSAGES,
        Reading(
            usage=Usage(0, input_tokens=10, output_tokens=5),
            finishes=[Finish(0, None, "claude-haiku-4-5")],
        ),
    ),
}
every_stream = pytest.mark.parametrize(
    "name,wire,expected",
    [pytest.param(name, WIRES[wire], expected, id=name) for name, (wire, expected) in STREAMS.items()],
)


def test_every_recorded_stream_is_in_the_table() -> None:
    assert {path.stem for path in RECORDED.glob("*.sse")} == set(STREAMS)


@every_stream
def test_a_recorded_stream_is_read(name: str, wire: Wire, expected: Reading) -> None:
    assert read(wire, [recorded(name)]) == expected


@every_stream
def test_a_stream_cut_at_any_byte_says_the_same(name: str, wire: Wire, expected: Reading) -> None:
    stream = recorded(name)

    for cut in range(len(stream) + 1):
        assert read(wire, [stream[:cut], stream[cut:]]) == expected, cut


@every_stream
def test_a_stream_that_comes_byte_by_byte_says_the_same(name: str, wire: Wire, expected: Reading) -> None:
    assert read(wire, (bytes([byte]) for byte in recorded(name))) == expected


@every_stream
def test_a_stream_that_comes_event_by_event_says_the_same(name: str, wire: Wire, expected: Reading) -> None:
    assert read(wire, re.findall(rb".+?\n\n", recorded(name), re.DOTALL)) == expected


@pytest.mark.parametrize("line_end", [b"\r\n", b"\r"], ids=["crlf", "cr"])
@every_stream
def test_every_line_end_is_a_line_end(name: str, wire: Wire, expected: Reading, line_end: bytes) -> None:
    stream = b"\xef\xbb\xbf" + recorded(name).replace(b"\n", line_end)

    assert read(wire, [stream]) == expected
    for cut in range(len(stream) + 1):
        assert read(wire, [stream[:cut], stream[cut:]]) == expected, cut


@every_stream
def test_a_stream_whose_last_event_is_not_closed_is_whole(name: str, wire: Wire, expected: Reading) -> None:
    assert read(wire, [recorded(name).rstrip(b"\n")]).text == expected.text


@settings(max_examples=60)
@given(cuts=st.lists(st.floats(0, 1), max_size=40), name=st.sampled_from(sorted(STREAMS)))
def test_a_stream_cut_anyhow_says_the_same(cuts: list[float], name: str) -> None:
    wire, expected = STREAMS[name]
    stream = recorded(name)
    places = sorted({0, len(stream), *(round(cut * len(stream)) for cut in cuts)})

    pieces = [stream[a:b] for a, b in pairwise(places)]

    assert read(WIRES[wire], pieces) == expected
