"""Parse chains: what each makes of one answer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.errors import InputError
from runner.suites.completion.answers import before_stops, from_closed_fence, from_fence
from runner.suites.completion.chains import CHAINS, Around, choose_chains, taken

CHAT = Around(prefix="def f(x):\n    ", suffix="\n\n\ndef g():\n    pass\n")
PROMPT = Around(CHAT.prefix, CHAT.suffix, stops=("<end>", "<file>"), fenced=False)
LONG = "return x\n\n\ndef g():\n    pass\n"


@pytest.mark.parametrize(
    "chain, answer, filling",
    [
        pytest.param("raw", f"So:\n```python\n{LONG}```\n", LONG.removesuffix("\n"), id="raw stays"),
        pytest.param("repaired", f"So:\n```python\n{LONG}```\n", "return x", id="repaired ends with the block"),
        pytest.param("trimmed", "```\nreturn x\n\n\ndef g():\n```", "return x", id="trimmed cuts what stands behind"),
        pytest.param("block", "```\nreturn x\ny = 1\n```", "return x", id="block ends with the block"),
        pytest.param("whole", "So:\n```\nx\n```", "So:\n```\nx\n```", id="whole is the text"),
        pytest.param("codev", "return x", "", id="without a fence codev takes nothing"),
        pytest.param("codev", "```\na\n```\n```\nb", "a", id="codev takes no open fence"),
    ],
)
def test_a_chain_takes_what_its_steps_say(chain: str, answer: str, filling: str) -> None:
    (one,) = choose_chains([chain], "--chains")

    assert taken(one, answer, CHAT) == filling


def test_repaired_looks_for_what_stands_behind_where_the_block_ends() -> None:
    middle = Around(prefix="def f(x):\n    ", suffix="\n    return x\n")
    (chain,) = choose_chains(["repaired"], "--chains")

    assert taken(chain, "```\nx += 1\n    return x\n\n\nprint(f(1))\n```", middle) == "x += 1"


@pytest.mark.parametrize("chain", ["raw", "codev"])
def test_an_answer_to_a_prompt_ends_at_its_first_stop_and_has_no_fence(chain: str) -> None:
    (one,) = choose_chains([chain], "--chains")

    assert taken(one, "```\nx\n```<file>y<end>", PROMPT) == "```\nx\n```"


@given(st.sampled_from(sorted(CHAINS)), st.text(), st.text(), st.text(), st.booleans())
def test_every_chain_is_total(name: str, text: str, prefix: str, suffix: str, fenced: bool) -> None:
    (chain,) = choose_chains([name], "--chains")

    assert taken(chain, text, Around(prefix, suffix, ("<e>",), fenced=fenced)) in text + "\n"


def test_equal_names_are_one_chain_and_digests_differ() -> None:
    raw, repaired = choose_chains(["raw", "repaired", "raw"], "--chains")

    assert raw.digest != repaired.digest


def test_an_unknown_chain_is_refused_with_the_nearest() -> None:
    with pytest.raises(InputError, match="'repaird' is no chain; did you mean repaired"):
        choose_chains(["repaird"], "--chains")


def test_without_stops_a_text_is_whole() -> None:
    assert before_stops("a<b", []) == "a<b"
    assert before_stops("a<b", [""]) == "a<b"


def test_a_closed_fence_is_asked_for() -> None:
    assert from_closed_fence("```\nx") == ""


def test_many_fences_that_nothing_closes_are_read_once() -> None:
    # A search for the end of each would take hours.
    text = "".join(f"{'`' * (3 + at % 40)}python\n" for at in range(100_000))

    assert from_fence(text) == text.removeprefix("```python\n")
    assert from_closed_fence(text) == ""
