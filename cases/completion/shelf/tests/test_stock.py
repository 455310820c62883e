"""Tests of the stock."""

import pytest
from shelf.quantities import Quantity, QuantityError
from shelf.stock import Stock, read_deliveries


@pytest.fixture
def stock() -> Stock:
    """Nails at two places."""
    made = Stock()
    made.put("a1", "nails", Quantity(30, "pcs"))
    made.put("b2", "nails", Quantity(12, "pcs"))
    return made


def test_what_is_put_adds_up(stock: Stock) -> None:
    """Two deliveries are one heap."""
    stock.put("a1", "nails", Quantity(5, "pcs"))

    assert stock.total("nails") == Quantity(47, "pcs")


def test_there_is_no_total_of_nothing(stock: Stock) -> None:
    """Goods that are not there have no unit either."""
    assert stock.total("rope") is None


def test_some_is_taken(stock: Stock) -> None:
    """What is not taken stays."""
    assert stock.take("a1", "nails", 10) == Quantity(10, "pcs")
    assert stock.total("nails") == Quantity(32, "pcs")


def test_all_is_taken_where_there_is_less(stock: Stock) -> None:
    """An empty place is no place."""
    assert stock.take("a1", "nails", 99) == Quantity(30, "pcs")
    assert stock.places("nails") == ["b2"]


def test_nothing_is_taken_from_nowhere(stock: Stock) -> None:
    """What is not there cannot be taken."""
    with pytest.raises(QuantityError, match="no rope at a1"):
        stock.take("a1", "rope", 1)


def test_deliveries_are_read() -> None:
    """Blank lines and comments do not count."""
    lines = ["a1; nails; 3 pcs  # a gift", "", "# none", "b2;flour;2 kg"]

    assert list(read_deliveries(lines)) == [
        ("a1", "nails", Quantity(3, "pcs")),
        ("b2", "flour", Quantity(2000, "g")),
    ]


@pytest.mark.parametrize("line", ["a1; nails", "a1; nails; many pcs"])
def test_a_bad_delivery_is_named(line: str) -> None:
    """The line's number is told."""
    with pytest.raises(QuantityError, match="line 2: "):
        list(read_deliveries(["", line]))
