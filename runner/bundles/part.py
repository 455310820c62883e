"""One run of a database as the rows of a part: ids numbered from 1, texts by their digests, in one order."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import zstandard

from runner.bundles.form import TABLES, Redaction
from runner.bundles.redaction import BundleRow, bundled_row, holds_streams
from runner.errors import InputError
from runner.inflating import DamagedError
from runner.storage.store import Row, Store
from runner.storage.streams import CODEC, Packed, unpack
from suts.sut import Received

# The columns that name a text by its id, by the name that they have in a bundle.
TEXT_COLUMNS: Mapping[str, Mapping[str, str]] = {
    "cases": {"content_id": "content"},
    "lanes": {"system_id": "system"},
    "answers": {"text_id": "text", "reasoning_id": "reasoning", "request_id": "request"},
    "scorings": {"edited_id": "edited"},
}
# The columns that are ids of the database: rows of a bundle are counted instead.
_IDS = {"run_id", "lane_id", "answer_id", "call_id", "scoring_id", "session_id"}
_ROWS = {
    "variants": "SELECT * FROM variants WHERE run_id = ? ORDER BY position, sut, prompt, parser, diff_algorithm",
    "cases": "SELECT * FROM cases WHERE run_id = ? ORDER BY position, case_id",
    "lanes": "SELECT * FROM lanes WHERE run_id = ? ORDER BY lane_id",
    "answers": "SELECT a.* FROM answers a JOIN lanes USING (lane_id) WHERE run_id = ? ORDER BY answer_id",
    "calls": """
        SELECT c.* FROM calls c JOIN answers USING (answer_id) JOIN lanes USING (lane_id)
        WHERE run_id = ? ORDER BY answer_id, retry""",
    "scorings": "SELECT * FROM scorings WHERE run_id = ? ORDER BY scoring_id",
    "sessions": "SELECT * FROM sessions WHERE run_id = ? ORDER BY session_id",
    "overflows": "SELECT * FROM overflows WHERE run_id = ? ORDER BY sut, prompt, case_id",
}
_STREAMS = """
SELECT s.* FROM streams s JOIN answers USING (answer_id) JOIN lanes USING (lane_id)
WHERE run_id = ? ORDER BY answer_id"""
_SCORES = "SELECT metric, value FROM scores WHERE scoring_id = ? ORDER BY metric"


@dataclass(frozen=True, slots=True)
class StreamRow:
    """The stream of an answer: its number in the part, its wire and its pieces, in nanoseconds since the sending."""

    answer: int
    wire: str
    pieces: tuple[Received, ...]


@dataclass(slots=True)
class RunPart:
    """The rows of one run; `answers_of` is the run that asked, which is another where this one replays it.

    `digests` are those of the texts that the rows yielded so far refer to.
    """

    store: Store
    run_id: str
    answers_of: str
    redacted: tuple[Redaction, ...] = ()
    digests: set[str] = field(default_factory=set)
    _lanes: dict[int, int] = field(default_factory=dict)
    _answers: dict[int, int] = field(default_factory=dict)

    def run_row(self, as_run_id: str) -> BundleRow:
        """Return the row of the run, under this id."""
        (row,) = self.store.rows("SELECT * FROM runs WHERE run_id = ?", self.run_id)
        return bundled_row("runs", {**dict(row), "run_id": as_run_id, "replay_of": None}, self.redacted)

    def rows(self, table: str) -> Iterator[BundleRow]:
        """Yield the rows of one of the `TABLES`, which have to be asked for in their order."""
        assert table in TABLES
        if not self._answers and table in {"answers", "calls", "scorings"}:
            self._number()
        for row in self.store.stream(_ROWS[table], self.run_id):
            bundled = bundled_row(table, self._bundled(table, row), self.redacted)
            self.digests.update(
                str(bundled[name]) for name in TEXT_COLUMNS.get(table, {}).values() if bundled[name] is not None
            )
            yield bundled

    def streams(self) -> Iterator[StreamRow]:
        """Yield the stream of each answer that has one. Raises InputError for a damaged one."""
        if not holds_streams(self.redacted):
            return
        decompressor = zstandard.ZstdDecompressor()
        for row in self.store.stream(_STREAMS, self.run_id):
            if row["codec"] == CODEC:
                pieces = self._unpacked(row, decompressor)
                yield StreamRow(self._answers[row["answer_id"]], row["wire"], pieces)

    def texts(self) -> Iterator[tuple[str, str]]:
        """Yield digest and content of the texts that the rows refer to, by digest; rows have to come before."""
        for digest in sorted(self.digests):
            (row,) = self.store.rows("SELECT encoding, content FROM texts WHERE digest = ?", digest)
            yield digest, self.store.decode_text(row["encoding"], row["content"])

    def _number(self) -> None:
        """Count lanes and answers as a bundle does: from 1, in the order in which they were made."""
        lanes = self.store.stream("SELECT lane_id FROM lanes WHERE run_id = ? ORDER BY lane_id", self.answers_of)
        self._lanes = {row["lane_id"]: number for number, row in enumerate(lanes, 1)}
        sql = "SELECT answer_id FROM answers JOIN lanes USING (lane_id) WHERE run_id = ? ORDER BY answer_id"
        answers = self.store.stream(sql, self.answers_of)
        self._answers = {row["answer_id"]: number for number, row in enumerate(answers, 1)}

    def _bundled(self, table: str, row: Row) -> BundleRow:
        texts = TEXT_COLUMNS.get(table, {})
        numbers: dict[str, object] = {}
        if table == "answers":
            numbers = {"answer": self._answers[row["answer_id"]], "lane": self._lanes[row["lane_id"]]}
        elif table in {"calls", "scorings"}:
            numbers = {"answer": self._answers[row["answer_id"]]}
        values = {name: row[name] for name in row.keys() if name not in _IDS and name not in texts}  # noqa: SIM118 - rows
        names = {texts[name]: self._digest(row[name]) for name in texts}
        scores = {"scores": self._scores(row["scoring_id"])} if table == "scorings" else {}
        return {**numbers, **values, **names, **scores}

    def _digest(self, text_id: int | None) -> str | None:
        if text_id is None:
            return None
        rows = self.store.rows("SELECT digest FROM texts WHERE text_id = ?", text_id)
        if not rows:
            raise InputError(f"{self.store.path}: text {text_id} is missing; restore the file from a copy")
        return str(rows[0]["digest"])

    def _scores(self, scoring_id: int) -> dict[str, float]:
        return {row["metric"]: row["value"] for row in self.store.rows(_SCORES, scoring_id)}

    def _unpacked(self, row: Row, decompressor: zstandard.ZstdDecompressor) -> tuple[Received, ...]:
        try:
            return unpack(Packed(row["pieces"], row["bytes"], row["data"]), decompressor)
        except DamagedError as error:
            why = f"the stream of answer {row['answer_id']} is damaged: {error}"
            raise InputError(f"{self.store.path}: {why}; leave it out with --redact streams") from None
