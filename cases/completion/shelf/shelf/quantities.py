"""Quantities of goods: reading, adding and splitting them."""

from dataclasses import dataclass

_GRAMS = {"g": 1, "kg": 1000, "t": 1_000_000}


class QuantityError(ValueError):
    """A quantity that cannot be read, or that does not fit another."""


@dataclass(frozen=True)
class Quantity:
    """So many grams, or so many pieces."""

    amount: int
    unit: str

    def plus(self, other: "Quantity") -> "Quantity":
        """The sum; both must be of one unit."""
        if self.unit != other.unit:
            message = f"{self.unit} and {other.unit} do not add up"
            raise QuantityError(message)
        return Quantity(self.amount + other.amount, self.unit)

    def parts(self, size: int) -> list[int]:
        """Cut the amount into parts of a size; the last one is what is left."""
        left = self.amount
        cut = []
        while left > size:
            cut.append(size)
            left -= size
        if left:
            cut.append(left)
        return cut


def parse_quantity(text: str) -> Quantity:
    """Read `3 pcs`, `250 g` or `2 kg`; weights become grams."""
    number, _, unit = text.strip().partition(" ")
    try:
        amount = int(number.replace("_", ""))
    except ValueError as error:
        message = f"{number!r} is no whole number"
        raise QuantityError(message) from error
    if unit in _GRAMS:
        return Quantity(amount * _GRAMS[unit], "g")
    if unit != "pcs":
        message = f"unknown unit {unit!r}"
        raise QuantityError(message)
    return Quantity(amount, unit)


def show_quantity(quantity: Quantity) -> str:
    """Write a quantity with the largest unit that leaves it whole."""
    if quantity.unit != "g":
        return f"{quantity.amount} {quantity.unit}"
    for unit, grams in sorted(_GRAMS.items(), key=lambda item: -item[1]):
        if quantity.amount and quantity.amount % grams == 0:
            return f"{quantity.amount // grams} {unit}"
    return "0 g"
