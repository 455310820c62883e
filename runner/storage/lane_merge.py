"""Copies lanes from one database to another, with answers, streams and scorings; a lane at a time is in memory."""

from dataclasses import dataclass, field

from runner.errors import InputError
from runner.storage.store import Row, Store, Value

# Columns that name a text by its id.
TEXT_COLUMNS = {
    "cases": ("content_id",),
    "lanes": ("system_id",),
    "answers": ("request_id", "text_id", "reasoning_id"),
    "scorings": ("edited_id",),
}
# The tables that go with a lane.
LANE_TABLES = ("lanes", "answers", "calls", "streams", "scorings", "scores")
# How a request ended of which one database may know more than the other.
_OPEN = frozenset({"in_flight", "lost"})
_MOST_TEXTS = 20_000
_LANE = "SELECT lane_id, state FROM lanes WHERE run_id = ? AND sut = ? AND prompt = ? AND case_id = ?"
_KNOWN = "SELECT answer_id, step, mode, number, try, sent_at, outcome FROM answers WHERE lane_id = ?"
_SAME_SCORING = """
SELECT scoring_id, outcome FROM scorings WHERE answer_id = ? AND run_id = ? AND parser = ? AND diff_algorithm = ?"""


@dataclass(slots=True)
class LaneMerge:
    """Copies lanes from `source` to `out`, inside a transaction; counts the answers and scorings that were new."""

    out: Store
    source: Store
    answers: int = 0
    scorings: int = 0
    _texts: dict[int, int | None] = field(default_factory=dict)

    def put(self, lane: Row) -> None:
        """Copy a lane. Raises InputError where both databases asked the same question."""
        known = self.out.rows(_LANE, *(lane[name] for name in ("run_id", "sut", "prompt", "case_id")))
        if not known:
            lane_id = self.out.insert("lanes", _without(self.with_texts("lanes", lane), "lane_id"))
        else:
            lane_id = known[0]["lane_id"]
            if known[0]["state"] == "open":
                self.out.update("lanes", {"lane_id": lane_id}, {name: lane[name] for name in ("state", "settled_at")})
        on_record = {_question(row): row for row in self.out.rows(_KNOWN, lane_id)}
        for row in self.source.stream("SELECT * FROM answers WHERE lane_id = ? ORDER BY answer_id", lane["lane_id"]):
            self._put_answer(lane, lane_id, row, on_record.get(_question(row)))

    def with_texts(self, table: str, row: Row) -> dict[str, Value]:
        """Return the values of a row with the ids of its texts in the other database."""
        values: dict[str, Value] = dict(row)
        for column in TEXT_COLUMNS.get(table, ()):
            values[column] = self._text(row[column])
        return values

    def _text(self, text_id: int | None) -> int | None:
        """Return the id of a text; its digest is computed again, as one database is no proof for another."""
        if text_id is None:
            return None
        if text_id not in self._texts:
            if len(self._texts) >= _MOST_TEXTS:
                self._texts.clear()
            self._texts[text_id] = self.out.put_text(self.source.text(text_id))
        return self._texts[text_id]

    def _put_answer(self, lane: Row, lane_id: int, row: Row, known: Row | None) -> None:
        values = {**_without(self.with_texts("answers", row), "answer_id"), "lane_id": lane_id}
        if known is None:
            answer_id = self.out.insert("answers", values)
            self.answers += 1
        else:
            answer_id = known["answer_id"]
            _refuse_another(lane, row, known, self.source)
            if known["outcome"] in _OPEN and row["outcome"] != known["outcome"]:
                self.out.update("answers", {"answer_id": answer_id}, values)
        self._put_calls(row["answer_id"], answer_id)
        for stream in self.source.rows("SELECT * FROM streams WHERE answer_id = ?", row["answer_id"]):
            columns = tuple(stream.keys())
            self.out.insert_many("streams", columns, [tuple({**dict(stream), "answer_id": answer_id}.values())])
        for scoring in self.source.rows("SELECT * FROM scorings WHERE answer_id = ?", row["answer_id"]):
            self._put_scoring(scoring, answer_id)

    def _put_calls(self, source_id: int, answer_id: int) -> None:
        on_record = self.out.rows("SELECT retry, call_id, outcome FROM calls WHERE answer_id = ?", answer_id)
        known = {row["retry"]: row for row in on_record}
        for call in self.source.rows("SELECT * FROM calls WHERE answer_id = ? ORDER BY retry", source_id):
            values = {**_without(dict(call), "call_id"), "answer_id": answer_id}
            before = known.get(call["retry"])
            if before is None:
                self.out.insert("calls", values)
            elif before["outcome"] in _OPEN and before["outcome"] != call["outcome"]:
                self.out.update("calls", {"call_id": before["call_id"]}, values)

    def _put_scoring(self, scoring: Row, answer_id: int) -> None:
        names = (scoring["run_id"], scoring["parser"], scoring["diff_algorithm"])
        known = self.out.rows(_SAME_SCORING, answer_id, *names)
        if known and known[0]["outcome"] == "infra" != scoring["outcome"]:
            # What could not be judged then has been judged since.
            self.out.execute("DELETE FROM scores WHERE scoring_id = ?", known[0]["scoring_id"])
            self.out.execute("DELETE FROM scorings WHERE scoring_id = ?", known[0]["scoring_id"])
            known = []
        if known:
            scoring_id = known[0]["scoring_id"]
        else:
            values = {**_without(self.with_texts("scorings", scoring), "scoring_id"), "answer_id": answer_id}
            scoring_id = self.out.insert("scorings", values)
            self.scorings += 1
        scores = self.source.rows("SELECT metric, value FROM scores WHERE scoring_id = ?", scoring["scoring_id"])
        rows = [(scoring_id, row["metric"], row["value"]) for row in scores]
        self.out.insert_many("scores", ("scoring_id", "metric", "value"), rows)


def _without(values: dict[str, Value], name: str) -> dict[str, Value]:
    return {column: value for column, value in values.items() if column != name}


def _question(row: Row) -> tuple[int, str, int, int]:
    return row["step"], row["mode"], row["number"], row["try"]


def _refuse_another(lane: Row, row: Row, known: Row, source: Store) -> None:
    """Raise InputError for another request with the same question: to drop either would drop what was paid for."""
    if row["sent_at"] != known["sent_at"]:
        raise InputError(
            f"{source.path}: run {lane['run_id']}: attempt {row['number']} at {lane['case_id']} by {lane['sut']} was "
            "made in another database as well; merge one of them"
        )
