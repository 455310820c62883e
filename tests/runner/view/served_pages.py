"""Pages of a database as the server draws them, and the addresses that they lead to."""

from collections.abc import Iterator
from urllib.parse import parse_qsl, unquote, urlsplit

from runner.storage.store import Store
from runner.view.site import Drawn, draw
from tests.runner.pages.html_reading import Node, read


def drawn(store: Store, address: str) -> Drawn:
    parts = urlsplit(address)
    return draw(store, [unquote(part) for part in parts.path.split("/") if part], parse_qsl(parts.query))


def page(store: Store, address: str) -> Node:
    """The page of an address, which there is."""
    answer = drawn(store, address)
    assert answer.status == 200, answer.html
    return read(answer.html)


def links(root: Node) -> list[str]:
    return [node.attributes["href"] for node in root.all("a")]


def pages_from(store: Store, start: str, most: int = 400) -> Iterator[tuple[str, Drawn]]:
    """Every page to which links lead from one, each once, up to so many."""
    waiting, seen = [start], {start}
    for _ in range(most):
        if not waiting:
            return
        address = waiting.pop(0)
        answer = drawn(store, address)
        yield address, answer
        for link in links(read(answer.html)):
            clean = link.partition("#")[0]
            if clean.startswith("/") and clean not in seen:
                seen.add(clean)
                waiting.append(clean)
