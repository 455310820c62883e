"""From a server's answers to edges: which edits hold a symbol's definition, its imports and its uses."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from runner.suites.nextedit.order.graph import Edge, Reason
from runner.suites.nextedit.order.servers.client import SymbolLocation
from runner.suites.nextedit.order.servers.places import IdentifierPlace

# The share of recorded edges of this kind that people call related (EditFlow's labels).
_STRENGTH = 0.98
_ORIGIN = "(server)"
_MANY_DEFINITIONS = 3

Answers = Sequence[tuple[IdentifierPlace, tuple[SymbolLocation, ...]]]


def defined(places: Iterable[IdentifierPlace], answers: Answers) -> Iterator[Edge]:
    """The edges that follow from where each place's symbol is defined."""
    index = _Index(places)
    alike: dict[SymbolLocation, list[IdentifierPlace]] = defaultdict(list)
    for place, locations in answers:
        few = locations if len(locations) <= _MANY_DEFINITIONS else ()
        for source in index.at(few, place.text):
            yield from _related(source, place)
        for location in few:
            alike[location].append(place)
    for those in alike.values():
        for source in (name for name in those if name.imported):
            for target in those:
                yield from _related(source, target)


def used(places: Iterable[IdentifierPlace], answers: Answers) -> Iterator[Edge]:
    """The edges that follow from where each declared or imported place's symbol is used."""
    index = _Index(places)
    for source, locations in answers:
        for target in index.at(locations, source.text):
            yield from _related(source, target)


class _Index:
    """Finds the identifiers inside edited lines by what a server says of places."""

    def __init__(self, places: Iterable[IdentifierPlace]) -> None:
        self._rows: dict[tuple[str, int], list[IdentifierPlace]] = defaultdict(list)
        for place in places:
            self._rows[place.path, place.row].append(place)

    def at(self, locations: Sequence[SymbolLocation], text: str) -> Iterator[IdentifierPlace]:
        """The identifiers at locations: where one begins, else one of the same name within it.

        The first character of a file stands for the whole file, not for the name that may be there.
        """
        for location in locations:
            exact = [
                place
                for place in self._rows[location.path, location.row]
                if place.start == location.column and (place.text == text or location.row or location.column)
            ]
            yield from exact or self._within(location, text)

    def _within(self, location: SymbolLocation, text: str) -> list[IdentifierPlace]:
        first, last = (location.row, location.column), (location.end_row, location.end_column)
        rows = range(location.row, location.end_row + 1)
        named = (place for row in rows for place in self._rows.get((location.path, row), ()) if place.text == text)
        return [place for place in named if first <= (place.row, place.start) < last and place.declared][:1]


def _related(source: IdentifierPlace, target: IdentifierPlace) -> Iterator[Edge]:
    """The edges between what defines or imports a symbol and what uses it, as the rules have them."""
    if source.edit == target.edit or (source.imported and (target.imported or source.path != target.path)):
        return
    forth = Reason.IMPORTS if source.imported else Reason.DEFINES
    detail = f"{source.text} {_ORIGIN}"
    yield Edge(source.edit, target.edit, forth, _STRENGTH, detail)
    yield Edge(target.edit, source.edit, Reason.USES, _STRENGTH, detail)
