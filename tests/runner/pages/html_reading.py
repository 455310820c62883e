"""Reads a page as a browser without scripts does: elements with attributes and texts, all of them balanced."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

_VOID = {"meta", "link", "input"}


@dataclass
class Node:
    """An element; `children` are elements and texts in their order."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: "list[Node | str]" = field(default_factory=list)

    def all(self, tag: str = "") -> "Iterator[Node]":
        """Every element inside, of one tag if it is named."""
        for child in self.children:
            if isinstance(child, Node):
                if not tag or child.tag == tag:
                    yield child
                yield from child.all(tag)

    @property
    def text(self) -> str:
        return "".join(child if isinstance(child, str) else child.text for child in self.children)

    def by_id(self, name: str) -> "Node":
        (node,) = [node for node in self.all() if node.attributes.get("id") == name]
        return node


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Node("")
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len({name for name, _ in attrs}) == len(attrs), f"{tag}: an attribute stands twice"
        node = Node(tag, {name: value or "" for name, value in attrs})
        self.open[-1].children.append(node)
        if tag not in _VOID:
            self.open.append(node)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open[-1].children.append(Node(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop().tag == tag, f"</{tag}> closes another element"

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")


def read(html: str) -> Node:
    """The whole document. Raises AssertionError where elements are not balanced."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    assert reader.open == [reader.root], f"not closed: {[node.tag for node in reader.open]}"
    return reader.root
