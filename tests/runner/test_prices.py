"""Costs by class of token, never more than the bound that was set aside, and unknown where they are."""

import json
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.errors import InputError
from runner.prices import Price, Prices, Rate, load_prices, request_bytes
from runner.records import Tokens
from suts.sut import Message, Request, Sampling
from suts.variants import without_changes

FULL = Price(Rate(input=1, output=10, cache_read=0.1, cache_write=1.25, reasoning=20))
TIERED = Price(Rate(1, 10), tiers=((1_000, Rate(2, 20)), (10_000, Rate(4, 40))))
TABLE = Prices("2026-01-01", {"a/full": FULL, "a/plain": Price(Rate(2, 8)), "a/tiered": TIERED})
MILLION = 1_000_000

rates = st.builds(
    Rate,
    input=st.floats(0, 100),
    output=st.floats(0, 100),
    cache_read=st.none() | st.floats(0, 100),
    cache_write=st.none() | st.floats(0, 100),
    reasoning=st.none() | st.floats(0, 100),
)
prices = st.builds(
    Price,
    rate=rates,
    tiers=st.lists(st.tuples(st.integers(0, 3_000), rates), max_size=2).map(
        lambda t: tuple(sorted(t, key=lambda one: one[0]))
    ),
)


@pytest.mark.parametrize(
    "sut, tokens, cost",
    [
        pytest.param("a/full", Tokens(input=MILLION, output=0), 1.0, id="input"),
        pytest.param("a/full", Tokens(input=0, output=MILLION), 10.0, id="output"),
        pytest.param("a/full", Tokens(input=0, cache_read=MILLION, output=0), 0.1, id="read from the cache"),
        pytest.param("a/full", Tokens(input=0, cache_write=MILLION, output=0), 1.25, id="written to the cache"),
        pytest.param(
            "a/full", Tokens(input=0, output=MILLION, reasoning=MILLION // 2), 15.0, id="reasoning is in output"
        ),
        pytest.param(
            "a/full", Tokens(input=0, output=MILLION, reasoning=2 * MILLION), 20.0, id="and never more than it"
        ),
        pytest.param(
            "a/plain", Tokens(0, MILLION, MILLION, 0), 4.0, id="a class without a price costs what input does"
        ),
        pytest.param(
            "a/plain", Tokens(input=0, output=MILLION, reasoning=MILLION), 8.0, id="reasoning what output does"
        ),
        pytest.param("a/tiered", Tokens(input=1_000, output=0), 1_000 / MILLION, id="up to a tier"),
        pytest.param("a/tiered", Tokens(input=1_001, output=0), 2_002 / MILLION, id="above a tier"),
        pytest.param("a/tiered", Tokens(1, 10_000, 0, 1), (4 * 10_001 + 40) / MILLION, id="the whole prompt counts"),
        pytest.param(
            "a/tiered", Tokens(1, 0, 10_000, 1), (4 * 10_001 + 40) / MILLION, id="and what was put into a cache"
        ),
    ],
)
def test_an_answer_costs_what_its_tokens_do(sut: str, tokens: Tokens, cost: float) -> None:
    assert TABLE.cost(sut, tokens) == pytest.approx(cost)


@pytest.mark.parametrize(
    "sut, tokens",
    [
        pytest.param("a/unknown", Tokens(input=1, output=1), id="no price"),
        pytest.param("a/full", Tokens(output=1), id="no count of input"),
        pytest.param("a/full", Tokens(input=1), id="no count of output"),
    ],
)
def test_what_is_not_known_costs_something_unknown(sut: str, tokens: Tokens) -> None:
    assert TABLE.cost(sut, tokens) is None


@pytest.mark.parametrize(
    "sut, name",
    [
        pytest.param("a/full@effort=high", "a/full", id="asked in another way"),
        pytest.param("openrouter/a/full", "a/full", id="through the gateway"),
        pytest.param("sim/any?applied=0.7&valid=0.8", "sim/any", id="with planted rates"),
        pytest.param("openrouter/own", "openrouter/own", id="a price of the gateway's own"),
    ],
)
def test_a_system_is_priced_by_its_model(sut: str, name: str) -> None:
    table = Prices("2026-01-01", {name: FULL})

    assert table.of(sut) is FULL


@given(
    price=prices,
    system=st.text(max_size=200),
    texts=st.lists(st.text(max_size=400), max_size=3),
    shares=st.tuples(*[st.floats(0, 1)] * 5),
)
def test_no_answer_costs_more_than_was_set_aside(
    price: Price, system: str, texts: list[str], shares: tuple[float, ...]
) -> None:
    request = Request(system, tuple(Message("user", text) for text in texts), Sampling(max_tokens=500))
    table = Prices("2026-01-01", {"a/x": price})
    size = request_bytes(request)
    parts = [int(share * size / 3) for share in shares[:3]]
    output = int(shares[3] * 500)
    tokens = Tokens(parts[0], parts[1], parts[2], output, int(shares[4] * output))

    bound, cost = table.bound("a/x", request), table.cost("a/x", tokens)

    assert bound is not None
    assert cost is not None
    assert cost <= bound * (1 + 1e-12)


@pytest.mark.parametrize("dear", ["input", "output", "cache_read", "cache_write", "reasoning"])
def test_the_dearest_class_is_set_aside(dear: str) -> None:
    rate = {"input": 1.0, "output": 1.0, dear: 50.0}
    request = Request("", (Message("user", "x" * 1_000),), Sampling(max_tokens=1_000))

    bound = Prices("2026-01-01", {"m": Price(Rate(**rate))}).bound("m", request)

    assert bound is not None
    assert bound >= 50 * 1_000 / MILLION


@pytest.mark.parametrize("letters, rate", [(800, 1), (1_000, 2), (12_000, 4)])
def test_the_tier_that_a_request_may_reach_is_set_aside(letters: int, rate: int) -> None:
    request = Request("", (Message("user", "x" * letters),), Sampling(max_tokens=100))

    bound = TABLE.bound("a/tiered", request)

    assert bound == pytest.approx((rate * request_bytes(request) + 10 * rate * 100) / MILLION)


def test_a_call_without_a_price_has_no_bound() -> None:
    assert TABLE.bound("a/unknown", Request("", ())) is None


def test_every_byte_of_a_request_counts() -> None:
    request = Request(
        "sys", (Message("user", "é", ("data:image/png;base64,AAAA",)), Message("assistant", "half \ud83d"))
    )

    assert request_bytes(request) == 3 + 2 + 26 + 8 + 3 * 64


def test_the_table_that_comes_along_is_dated_and_sound() -> None:
    table = load_prices()

    assert date.fromisoformat(table.date).year >= 2025
    assert len(table.models) > 50
    assert all("/" in name and 0 <= price.rate.input <= price.rate.output * 10 for name, price in table.models.items())
    assert all(
        [above for above, _ in one.tiers] == sorted(above for above, _ in one.tiers) for one in table.models.values()
    )


def test_a_table_of_ones_own_and_extra_prices_are_read(tmp_path: Path) -> None:
    file = tmp_path / "prices.json"
    tiers = [{"above": 200, "input": 3, "output": 9}, {"above": 100, "input": 2, "output": 8, "cache_read": 0.5}]
    row = {
        "model": "mine/m",
        "input": 1,
        "output": 4,
        "cache_write": 2,
        "reasoning": 6,
        "window": 8_000,
        "tiers": tiers,
    }
    file.write_text(json.dumps({"date": "2026-02-03", "models": [row]}), encoding="utf-8")

    table = load_prices(file, {"sim/x": FULL})

    assert table.date == "2026-02-03"
    assert table.models["sim/x"] is FULL
    assert table.models["mine/m"] == Price(
        Rate(1, 4, cache_write=2, reasoning=6), ((100, Rate(2, 8, cache_read=0.5)), (200, Rate(3, 9))), 8_000
    )


def table_of(**row: object) -> str:
    return json.dumps({"date": "2026-01-01", "models": [{"model": "m", "input": 1, "output": 1, **row}]})


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("{", id="no JSON"),
        pytest.param("[]", id="no object"),
        pytest.param('{"models": []}', id="no date"),
        pytest.param('{"date": "2026-01-01"}', id="no models"),
        pytest.param('{"date": "2026-01-01", "models": [7]}', id="no rows"),
        pytest.param('{"date": "2026-01-01", "models": [{"model": "m", "input": 1}]}', id="no price of output"),
        pytest.param(table_of(input=-1), id="below zero"),
        pytest.param(table_of(input=True), id="no number"),
        pytest.param(table_of(output=float("nan")), id="not a number"),
        pytest.param(table_of(cache_read=float("inf")), id="infinite"),
        pytest.param(table_of(tiers=[{"above": None, "input": 1, "output": 1}]), id="a tier above nothing"),
        pytest.param(table_of(tiers=7), id="no tiers"),
        pytest.param(table_of(window="wide"), id="a window that is no number"),
        pytest.param(table_of(**{"\ud800": 1}), id="half a character in a name"),
    ],
)
def test_a_table_that_is_none_is_refused_in_one_line(tmp_path: Path, text: str) -> None:
    file = tmp_path / "prices.json"
    file.write_text(text, encoding="utf-8")

    with pytest.raises(InputError) as refused:
        load_prices(file)

    assert str(refused.value).startswith(f"{file}: not a price table")
    assert "\n" not in str(refused.value)


def test_a_wrong_price_is_named_with_its_path_and_fix(tmp_path: Path) -> None:
    file = tmp_path / "prices.json"
    file.write_text(table_of(tiers=[{"above": 1000, "input": 1, "output": "2"}]), encoding="utf-8")

    with pytest.raises(InputError, match=r"field models\[0\].tiers\[0\].output is a string; give a price, a number"):
        load_prices(file)


def test_a_table_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--prices"):
        load_prices(tmp_path / "nowhere.json")


PRICED = {"vendor/good": 1.0, "vendor/good@2024-05-13": 2.0, "@cf/meta/llama": 3.0, "vendor/ask?": 4.0, "sim/any": 5.0}


@pytest.mark.parametrize(
    "sut, usd",
    [
        pytest.param("vendor/good", 1.0, id="exact"),
        pytest.param("vendor/good@2024-05-13", 2.0, id="exact, with a date"),
        pytest.param("vendor/good@2024-11-20", None, id="another date is another model"),
        pytest.param("vendor/good@effort=high", 1.0, id="a change"),
        pytest.param("vendor/good@temperature=0.2,max_tokens=10", 1.0, id="changes"),
        pytest.param("vendor/good@2024-05-13@seed=1", 2.0, id="a date and a change"),
        pytest.param("vendor/good@colour=red", None, id="no change that there is"),
        pytest.param("vendor/good@effort=high,new", None, id="changes and something else"),
        pytest.param("openrouter/vendor/good@effort=low", 1.0, id="by the gateway"),
        pytest.param("@cf/meta/llama", 3.0, id="an @ in front"),
        pytest.param("@cf/meta/llama@thinking=5", 3.0, id="an @ in front, and a change"),
        pytest.param("@cf/meta/other", None, id="an @ in front of nothing known"),
        pytest.param("vendor/ask?", 4.0, id="a question mark in the id"),
        pytest.param("vendor/good?valid=1", None, id="rates of no simulated model"),
        pytest.param("sim/any?valid=0.5", 5.0, id="rates of a simulated model"),
        pytest.param("sim/any?valid=0.5@seed=3", 5.0, id="rates and a change"),
        pytest.param("", None, id="nothing"),
    ],
)
def test_a_price_is_that_of_the_exact_id_or_of_the_id_without_changes(sut: str, usd: float | None) -> None:
    table = Prices("2026-01-01", {name: Price(Rate(price, price)) for name, price in PRICED.items()})

    price = table.of(sut)

    assert (price.rate.input if price else None) == usd


@given(name=st.text(max_size=20), suffix=st.text(max_size=20))
def test_a_price_is_borrowed_by_changes_of_the_sampling_alone(name: str, suffix: str) -> None:
    table = Prices("2026-01-01", {f"vendor/{name}": Price(Rate(1.0, 1.0))})

    assert table.of(f"vendor/{name}@seed=7") is not None
    assert (table.of(f"vendor/{name}@{suffix}") is not None) == (not without_changes(f"@{suffix}"))
