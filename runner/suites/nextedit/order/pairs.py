"""A pair of edits as a question to a model, and what its answer says of their order."""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from importlib.resources import files
from itertools import combinations

from runner.suites.nextedit.commits import Commit, Edit
from runner.suites.nextedit.order.changes import change_of
from runner.suites.nextedit.order.graph import Edge, Graph, Pair, Reason

PROMPT = "order/basic"
# Lines of one side of an edit that are shown: its beginning says what it is about, and a new file may be long.
_SHOWN_LINES = 60
_SHOWN_MESSAGE = 1000
_ANSWER = re.compile(r"<relation>\s*(both|first|second|none)\s*</relation>", re.IGNORECASE)
# No share of right answers is claimed for a model that nobody has measured.
_STRENGTH = 0.5


class Relation(StrEnum):
    """Which edit of a pair calls for the other."""

    BOTH = "both"
    FIRST = "first"
    SECOND = "second"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class PairQuestion:
    """Two edits of a commit, lower number first, and the text by which a model is asked about them.

    `right` is what people say of them, None where nobody was asked; `likely` is what simulated models take for the
    truth then: that edits belong together which change a common name.
    """

    name: str
    pair: Pair
    text: str
    likely: Relation
    right: Relation | None = None

    @property
    def case_id(self) -> str:
        """The commit's name and the numbers of the edits."""
        return f"{self.name}:{self.pair[0]}-{self.pair[1]}"

    def digest(self, wording: str) -> str:
        """32 hexadecimal digits of all that is asked: two questions are one if they agree."""
        return question_digest(wording, self.text)


def question_digest(wording: str, text: str) -> str:
    """32 hexadecimal digits of a system prompt and a message."""
    return sha256(f"{wording}\0{text}".encode("utf-8", "surrogatepass")).hexdigest()[:32]


def wording() -> str:
    """The system prompt."""
    return (files("prompts") / f"{PROMPT}.md").read_text(encoding="utf-8")


def open_pairs(commit: Commit, graph: Graph) -> list[Pair]:
    """The pairs that no edge of the graph joins."""
    joined = graph.pairs()
    return [pair for pair in combinations(range(len(commit.edits)), 2) if pair not in joined]


def pair_questions(
    commit: Commit, name: str, pairs: Iterable[Pair], related: Collection[Pair] | None = None
) -> Iterator[PairQuestion]:
    """What is asked about pairs of a commit; `name` is the commit's, `related` are the pairs that people relate."""
    message = commit.message.strip()[:_SHOWN_MESSAGE]
    heading = f"The commit's message:\n\n{message}\n\n" if message else ""
    edit_texts = [_edit_text(edit) for edit in commit.edits]
    names = [change_of(edit).names for edit in commit.edits]
    for first, second in pairs:
        text = f"{heading}The first edit, {edit_texts[first]}\n\nThe second edit, {edit_texts[second]}\n"
        likely = _whether(bool(names[first] & names[second]))
        right = None if related is None else _whether((first, second) in related)
        yield PairQuestion(name, (first, second), text, likely, right)


def _whether(related: bool) -> Relation:
    return Relation.BOTH if related else Relation.NONE


def _edit_text(edit: Edit) -> str:
    return "\n".join((f"in {edit.path} at line {edit.parent.start + 1}:", "", "<edit>", *_lines(edit), "</edit>"))


def _lines(edit: Edit) -> Iterator[str]:
    for mark, lines in ((" ", edit.prefix), ("-", edit.before), ("+", edit.after), (" ", edit.suffix)):
        yield from (mark + line.rstrip("\r\n") for line in lines[:_SHOWN_LINES])
        if len(lines) > _SHOWN_LINES:
            yield f"{mark}... ({len(lines) - _SHOWN_LINES} more lines)"


def parse_relation(text: str) -> Relation | None:
    """The relation that an answer ends with, None where it names none."""
    matches = _ANSWER.findall(text)
    return Relation(matches[-1].lower()) if matches else None


def answer_text(relation: Relation) -> str:
    """The shortest answer that names a relation."""
    return f"<relation>{relation}</relation>"


def relation_edges(pair: Pair, relation: Relation, model: str) -> Iterator[Edge]:
    """The edges that a model's answer adds."""
    first, second = pair
    if relation in {Relation.BOTH, Relation.FIRST}:
        yield Edge(first, second, Reason.JUDGED, _STRENGTH, model)
    if relation in {Relation.BOTH, Relation.SECOND}:
        yield Edge(second, first, Reason.JUDGED, _STRENGTH, model)
