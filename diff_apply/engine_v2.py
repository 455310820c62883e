"""Cline's state-machine engine: every block in order and closed, with repairs for markers of a wrong length."""

from dataclasses import dataclass
from enum import Enum

from diff_apply.lines import Source, trim
from diff_apply.markers import EXACT, Grammar, Mark, without_unfinished
from diff_apply.result import Applied, DiffError, Method, Placed, Reason
from diff_apply.stages import Place, Stage


@dataclass(frozen=True, slots=True)
class EngineV2:
    """One published version of the state machine. An empty SEARCH replaces the whole file in all of them.

    Source: the class `NewFileContentConstructor` of Cline's `diff-06-06-25` to `diff-06-26-25` and of its core.
    """

    grammar: Grammar
    unfinished: str  # the characters a half-written marker may begin with
    repairable: Grammar  # what the repairs take for a marker of a wrong length
    stages: tuple[Stage, ...]

    def __call__(self, original: str, diff: str, *, final: bool = True) -> Applied:
        """Apply the diff. Raises DiffError NO_MATCH, OVERLAP, UNCLOSED, MALFORMED, EXTRA_ or MISSING_MARKER."""
        machine = _Machine(self, original)
        for mark, body in self.grammar.sections(without_unfinished(diff, self.unfinished, EXACT)):
            if mark:
                machine.obey(mark, len(machine.pending), top=True)
            machine.take(body)
        return machine.result(final=final)


class _Mode(Enum):
    IDLE = 0
    SEARCH = 1
    REPLACE = 2


class _Machine:
    """The state between two lines; `pending` holds the lines read outside a block."""

    __slots__ = (
        "begin", "block", "blocks", "cursor", "match", "mode", "out", "pending", "rules", "search", "source",
    )  # fmt: skip

    def __init__(self, rules: EngineV2, original: str) -> None:
        self.rules, self.source = rules, Source(original)
        self.mode = _Mode.IDLE
        self.search = ""
        self.match = Place(-1, -1, Method.EXACT)
        self.cursor, self.block, self.begin = 0, 0, 0
        self.out: list[str] = []
        self.pending: list[str] = []
        self.blocks: list[Placed] = []

    def take(self, body: str, *, top: bool = True) -> None:
        """Process lines that are not markers; inside a repair (not `top`), lines outside a block are lost."""
        if self.mode is _Mode.REPLACE:
            self.out.append(body)
        elif self.mode is _Mode.SEARCH:
            self.search += body
        elif top and body:
            self.pending += body[:-1].split("\n")

    def obey(self, mark: Mark, limit: int, *, top: bool) -> int:
        """Process a marker after repairing the pending lines below `limit`; return how many blanks were removed."""
        removed = 0
        if mark is Mark.START:
            removed = self._drop_blanks(limit)
            if limit > removed:
                self._repair_whole(limit - removed)
                self._settle(top=top)
            self._start()
        elif mark is Mark.SEPARATOR:
            if self.mode is _Mode.IDLE:
                removed = self._repair(Mark.START, limit)
                self._settle(top=top)
            self._separate()
        else:
            if self.mode is not _Mode.REPLACE:
                removed = self._repair(Mark.SEPARATOR, limit)
                self._settle(top=top)
            self._close()
        return removed

    def result(self, *, final: bool) -> Applied:
        """Return the output so far; when final, with the rest of the file. Raises DiffError if a block is then open."""
        if final and self.cursor < len(self.source.text):
            self.out.append(self.source.text[self.cursor :])
        if final and self.mode is not _Mode.IDLE:
            raise self._error(Reason.UNCLOSED, "the last block has no end")
        return Applied("".join(self.out), tuple(self.blocks))

    def _start(self) -> None:
        self.block += 1
        if self.mode is not _Mode.IDLE:
            raise self._error(Reason.MALFORMED, "a start marker inside a block")
        self.mode, self.search = _Mode.SEARCH, ""

    def _separate(self) -> None:
        if self.mode is not _Mode.SEARCH:
            raise self._error(Reason.MALFORMED, "a separator outside a SEARCH")
        self.mode, self.match = _Mode.REPLACE, self._locate()
        if self.match.start < self.cursor:
            raise self._error(Reason.OVERLAP, "the SEARCH matches before the end of the block before it")
        self.out.append(self.source.text[self.cursor : self.match.start])
        self.begin = len(self.out)

    def _locate(self) -> Place:
        text = self.source.text
        if not self.search:
            return Place(0, len(text), Method.WHOLE_FILE if text else Method.EMPTY_FILE)
        for stage in self.rules.stages:
            place = stage(self.source, self.search, self.cursor)
            if place:
                return place
        raise self._error(Reason.NO_MATCH, "the SEARCH matches nothing after the block before it")

    def _close(self) -> None:
        start, end, method, similarity = self.match
        length = len(self.source.text)
        replacement = "".join(self.out[self.begin :])
        placed = Placed(min(start, length), min(end, length), replacement, method, similarity, self.block)
        self.blocks.append(placed)
        self.cursor, self.mode = end, _Mode.IDLE

    def _drop_blanks(self, limit: int) -> int:
        """Remove as many *last* pending lines as there are blank ones just below `limit`."""
        removed, row = 0, min(limit, len(self.pending)) - 1
        while row >= 0 and not trim(self.pending[row]):
            self.pending.pop()
            removed, row = removed + 1, row - 1
        return removed

    def _repair(self, mark: Mark, limit: int) -> int:
        """Treat the last pending line that resembles `mark` as that marker, then process the lines after it."""
        if not limit:
            reason = Reason.EXTRA_MARKER if mark is Mark.SEPARATOR else Reason.MISSING_MARKER
            raise self._error(reason, "a marker with nothing before it")
        row = self._last(mark, limit)
        if row < 0:
            raise self._error(Reason.MISSING_MARKER, f"no {mark.name} marker before the one that needs it")
        lines = self.pending[row + 1 : limit]
        removed = self.obey(mark, row, top=False)
        self.take("".join(line + "\n" for line in lines), top=False)
        return removed

    def _repair_whole(self, limit: int) -> None:
        if self._last(Mark.END, limit) != limit - 1:
            raise self._error(Reason.MALFORMED, "lines before a block that no end marker closes")
        self.obey(Mark.END, limit - 1, top=False)

    def _last(self, mark: Mark, limit: int) -> int:
        """Return the last row below `limit` that is such a marker of any length, or -1."""
        for row in range(min(limit, len(self.pending)) - 1, -1, -1):
            match = self.rules.repairable.line.fullmatch(self.pending[row])
            if match and match.lastindex == mark.value:
                return row
        return -1

    def _settle(self, *, top: bool) -> None:
        if top:
            self.pending.clear()

    def _error(self, reason: Reason, message: str) -> DiffError:
        return DiffError(reason, message, block=self.block or None)
