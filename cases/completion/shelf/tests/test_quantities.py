"""Tests of quantities."""

import pytest
from shelf.quantities import Quantity, QuantityError, parse_quantity, show_quantity


@pytest.mark.parametrize(
    "text, amount, unit",
    [("3 pcs", 3, "pcs"), ("250 g", 250, "g"), (" 2 kg", 2000, "g"), ("1_000 g", 1000, "g")],
)
def test_quantities_are_read(text: str, amount: int, unit: str) -> None:
    """What is written is what is read."""
    assert parse_quantity(text) == Quantity(amount, unit)


def test_words_are_no_numbers() -> None:
    """A word is refused with its name."""
    with pytest.raises(QuantityError, match="'some' is no whole number"):
        parse_quantity("some pcs")


def test_unknown_units_are_refused() -> None:
    """A unit that nobody knows is refused."""
    with pytest.raises(QuantityError, match="unknown unit 'ells'"):
        parse_quantity("3 ells")


def test_quantities_of_one_unit_add_up() -> None:
    """Sums are sums."""
    assert Quantity(2, "g").plus(Quantity(3, "g")) == Quantity(5, "g")


def test_grams_and_pieces_do_not_add_up() -> None:
    """Units are kept apart."""
    with pytest.raises(QuantityError, match="g and pcs do not add up"):
        Quantity(2, "g").plus(Quantity(3, "pcs"))


@pytest.mark.parametrize("amount, parts", [(7, [3, 3, 1]), (6, [3, 3]), (2, [2]), (0, [])])
def test_amounts_are_cut_into_parts(amount: int, parts: list[int]) -> None:
    """The last part is what is left."""
    assert Quantity(amount, "pcs").parts(3) == parts


@pytest.mark.parametrize(
    "quantity, shown",
    [
        (Quantity(3, "pcs"), "3 pcs"),
        (Quantity(250, "g"), "250 g"),
        (Quantity(2000, "g"), "2 kg"),
        (Quantity(3_000_000, "g"), "3 t"),
        (Quantity(0, "g"), "0 g"),
    ],
)
def test_quantities_are_shown_in_whole_units(quantity: Quantity, shown: str) -> None:
    """The largest unit that fits is used."""
    assert show_quantity(quantity) == shown
