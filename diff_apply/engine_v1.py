"""Cline's default engine: reads a diff line by line, searches from a cursor, and accepts what it can.

Its handling of damaged diffs is reproduced exactly, including lost and duplicated text: these versions are baselines.
"""

from dataclasses import dataclass
from typing import NamedTuple

from diff_apply.lines import Source
from diff_apply.markers import Grammar, Mark, without_unfinished
from diff_apply.result import Applied, DiffError, Method, Placed, Reason
from diff_apply.stages import Place, Stage


class Replacement(NamedTuple):
    """A place, not clamped to the text (None = an end marker without a match), its replacement text and its block."""

    place: Place | None
    text: str
    block: int


@dataclass(frozen=True, slots=True)
class EngineV1:
    """One published version of the default engine, as a choice of grammar, stages and rules.

    Source: `constructNewFileContent` of Cline's `diff-06-06-25` to `diff-06-26-25` and of its live core.
    """

    grammar: Grammar
    unfinished: str  # the characters a half-written marker may begin with
    stages: tuple[Stage, ...]
    rebuilds: bool  # blocks in any order; the file is rebuilt from a sorted list at the end
    refuses_unmatched_end: bool = False

    def __call__(self, original: str, diff: str, *, final: bool = True) -> Applied:
        """Apply the diff. Raises DiffError NO_MATCH, EMPTY_SEARCH or EXTRA_MARKER as the original threw."""
        text, replacements = self.replay(original, diff, final=final)
        length = len(original)
        blocks = tuple(
            Placed(min(place.start, length), min(place.end, length), content, place.method, place.similarity, block)
            for place, content, block in replacements
            if place
        )
        return Applied(text, blocks)

    def replay(self, original: str, diff: str, *, final: bool) -> tuple[str, list[Replacement]]:
        """Return the text and the replacements in the original's order: sorted by start when final."""
        run = _Run(self, original)
        for mark, body in self.grammar.sections(without_unfinished(diff, self.unfinished, self.grammar)):
            run.take(mark, body)
        return run.finish() if final else ("".join(run.out), run.replacements)


class _Run:
    """The state between two lines. A start marker resets only the texts, as in the original."""

    __slots__ = (
        "ahead", "block", "cursor", "in_replace", "in_search", "match", "out",
        "replacement", "replacements", "rules", "search", "source",
    )  # fmt: skip

    def __init__(self, rules: EngineV1, original: str) -> None:
        self.rules, self.source = rules, Source(original)
        self.in_search = self.in_replace = False
        self.search = self.replacement = ""
        self.match: Place | None = None
        self.cursor, self.block = 0, 0
        self.ahead = False  # the match lies before the cursor: nothing is streamed, the cursor stays
        self.out: list[str] = []
        self.replacements: list[Replacement] = []

    def take(self, mark: Mark | None, body: str) -> None:
        """Process a marker, then the lines that follow it."""
        if mark is Mark.START:
            self.in_search = True
            self.search = self.replacement = ""
            self.block += 1
        elif mark is Mark.SEPARATOR:
            self._separate()
        elif mark is Mark.END:
            self._close()
        if self.in_search:
            self.search += body
        elif self.in_replace:
            self.replacement += body
            if self.match and not self.ahead:
                self.out.append(body)

    def _separate(self) -> None:
        self.in_search, self.in_replace = False, True
        self.match = self._locate()
        if self.rules.rebuilds and self.match.start < self.cursor:
            self.ahead = True
        if not self.ahead:
            self.out.append(self.source.text[self.cursor : self.match.start])

    def _locate(self) -> Place:
        text = self.source.text
        if not self.search:
            if not text:
                return Place(0, 0, Method.EMPTY_FILE)
            if self.rules.rebuilds:
                message = "the SEARCH is empty but the file is not: its start marker is probably malformed"
                raise DiffError(Reason.EMPTY_SEARCH, message, block=self.block or None)
            return Place(0, len(text), Method.WHOLE_FILE)
        for stage in self.rules.stages:
            place = stage(self.source, self.search, self.cursor)
            if place:
                return place
        raise DiffError(Reason.NO_MATCH, "the SEARCH matches nothing in the file", block=self.block or None)

    def _close(self) -> None:
        if self.rules.refuses_unmatched_end and not self.match:
            raise DiffError(Reason.EXTRA_MARKER, "an end marker without a matched SEARCH", block=self.block or None)
        self.replacements.append(Replacement(self.match, self.replacement, self.block))
        if not self.ahead:
            self.cursor = self.match.end if self.match else -1
        self.in_search = self.in_replace = self.ahead = False
        self.search = self.replacement = ""
        self.match = None

    def finish(self) -> tuple[str, list[Replacement]]:
        """Return the whole file; an open last block counts as closed if the file is rebuilt, else the rest follows."""
        if self.in_replace and self.match:
            self.replacements.append(Replacement(self.match, self.replacement, self.block))
        text = self.source.text
        if not self.rules.rebuilds:
            rest = text[self.cursor :] if self.cursor < len(text) else ""
            return "".join([*self.out, rest]), self.replacements
        self.replacements.sort(key=lambda item: item.place.start if item.place else -1)
        pieces, position = list[str](), 0
        for place, content, _ in self.replacements:
            # JavaScript's slice and Python's agree on a negative index: all but the last character, then that one.
            pieces += text[position : place.start if place else -1], content
            position = place.end if place else -1
        return "".join([*pieces, text[position:]]), self.replacements
