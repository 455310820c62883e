"""What lies where, and how that changes."""

from collections.abc import Iterable, Iterator

from shelf.quantities import Quantity, QuantityError, parse_quantity


class Stock:
    """The shelves: a quantity of each kind of goods at each place."""

    def __init__(self) -> None:
        """Begin with empty shelves."""
        self._held: dict[tuple[str, str], Quantity] = {}

    def put(self, place: str, goods: str, quantity: Quantity) -> None:
        """Lay something down beside what is there."""
        key = (place, goods)
        held = self._held.get(key)
        # The first delivery decides the unit.
        self._held[key] = quantity if held is None else held.plus(quantity)

    def take(self, place: str, goods: str, amount: int) -> Quantity:
        """Take something away; all of it, if there is less."""
        key = (place, goods)
        try:
            held = self._held[key]
        except KeyError:
            message = f"no {goods} at {place}"
            raise QuantityError(message) from None
        taken = min(amount, held.amount)
        if taken == held.amount:
            del self._held[key]
        else:
            self._held[key] = Quantity(held.amount - taken, held.unit)
        return Quantity(taken, held.unit)

    def total(self, goods: str) -> Quantity | None:
        """How much there is of some goods, wherever it lies; None for none."""
        whole = None
        for (_, held_goods), quantity in self._held.items():
            if held_goods == goods:
                whole = quantity if whole is None else whole.plus(quantity)
        return whole

    def places(self, goods: str) -> list[str]:
        """Where some goods lie, sorted."""
        return sorted(place for place, held_goods in self._held if held_goods == goods)


def read_deliveries(lines: Iterable[str]) -> Iterator[tuple[str, str, Quantity]]:
    """Read lines `place; goods; quantity`; blank lines and comments are passed over."""
    for number, line in enumerate(lines, 1):
        text = line.partition("#")[0].strip()
        if not text:
            continue
        fields = [field.strip() for field in text.split(";")]
        try:
            place, goods, quantity = fields
            yield place, goods, parse_quantity(quantity)
        except ValueError as error:
            message = f"line {number}: {error}"
            raise QuantityError(message) from error
