"""Puts the rows of one run of a bundle into a database, inside a transaction."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import zstandard

from runner.bundles.container import Container, damaged, exactly
from runner.bundles.form import REPLAY, RUN, STREAM_BYTES, STREAMS, TABLES, TEXTS
from runner.bundles.lines import row_of
from runner.bundles.part import TEXT_COLUMNS
from runner.bundles.row_forms import RowForm, row_form
from runner.errors import InputError
from runner.inflating import LARGEST_STORED
from runner.storage.foreign import refused_rows
from runner.storage.rows import config_of
from runner.storage.store import Store, Value, text_digest
from runner.storage.streams import CODEC, pack
from suts.sut import Received

# In microseconds: 35 years after the request.
_LATEST = 1 << 50


@dataclass(slots=True)
class PartImport:
    """One run being put in; `answers_of` is the run in the database whose answers it scores."""

    store: Store
    bundle: Container
    part: str
    run_id: str
    answers_of: str
    _lanes: dict[int, int] = field(default_factory=dict)
    _answers: dict[int, int] = field(default_factory=dict)
    _texts: dict[str, int] = field(default_factory=dict)

    def put(self) -> None:
        """Insert all rows. Raises InputError, which names member and line."""
        for where, row in self._rows(TEXTS):
            self._put_text(where, row)
        self._put_run()
        if self.part == REPLAY:
            self._number_answers()
        for table in TABLES:
            self._put_table(table)
        self._put_streams()

    def _rows(self, name: str) -> Iterator[tuple[str, dict[str, Any]]]:
        member = f"{self.part}/{name}"
        for number, line in enumerate(self.bundle.lines(member), 1):
            where = f"{self.bundle.path}: {member}:{number}"
            yield where, row_of(line, where)

    def _put_text(self, where: str, row: Mapping[str, Any]) -> None:
        digest, text = row.get("digest"), row.get("text")
        if not isinstance(text, str) or text_digest(text) != digest:
            raise InputError(f"{where}: the text does not have the digest that stands beside it; make the bundle again")
        self._texts[digest] = self.store.put_text(text) or 0

    def _put_run(self) -> None:
        rows = list(self._rows(RUN))
        if len(rows) != 1:
            raise damaged(self.bundle.path, f"{self.part}/{RUN} holds {len(rows)} runs")
        where, row = rows[0]
        values = row_form(self.store, "runs", ()).values(row, where)
        if values["suite"] != self.bundle.manifest.suite:
            raise InputError(f"{where}: field 'suite' is not that of the manifest; make the bundle again")
        replay_of = self.answers_of if self.part == REPLAY else None
        values |= {"run_id": self.run_id, "replay_of": replay_of}
        config_of(values)  # type: ignore[arg-type]  # looked into by name, as a row is
        with refused_rows(where):
            self.store.insert("runs", values)

    def _number_answers(self) -> None:
        """Number the answers of the run that asked, which is in the database by now."""
        sql = "SELECT answer_id FROM answers JOIN lanes USING (lane_id) WHERE run_id = ? ORDER BY answer_id"
        answers = self.store.stream(sql, self.answers_of)
        self._answers = {number: row["answer_id"] for number, row in enumerate(answers, 1)}

    def _put_table(self, table: str) -> None:
        form = row_form(self.store, table, TEXT_COLUMNS.get(table, {}).items())
        for where, row in self._rows(f"{table}.jsonl"):
            scores = row.pop("scores", None) if table == "scorings" else None
            numbers = self._ids(form, row, where)
            values = {**form.values(row, where), **numbers, **self._text_ids(table, row, where)}
            with refused_rows(where):
                row_id = self.store.insert(table, values)
                if scores is not None:
                    self._put_scores(row_id, scores, where)
            if table == "lanes":
                self._lanes[len(self._lanes) + 1] = row_id
            elif table == "answers":
                self._answers[len(self._answers) + 1] = row_id

    def _ids(self, form: RowForm, row: dict[str, Any], where: str) -> dict[str, Value]:
        """Return the ids in the database of what a row refers to; the numbers are taken out of the row."""
        ids: dict[str, Value] = {"run_id": self.run_id} if "run_id" in form.columns else {}
        if "lane_id" in form.columns and form.table == "answers":
            ids["lane_id"] = _known(self._lanes, row.pop("lane", None), "lane", where)
            if row.pop("answer", None) != len(self._answers) + 1:
                raise InputError(f"{where}: field 'answer' is not the number of the line; make the bundle again")
        elif form.table in {"calls", "scorings"}:
            ids["answer_id"] = _known(self._answers, row.pop("answer", None), "answer", where)
        return ids

    def _text_ids(self, table: str, row: Mapping[str, Any], where: str) -> dict[str, Value]:
        ids: dict[str, Value] = {}
        for column, name in TEXT_COLUMNS.get(table, {}).items():
            digest = row.get(name)
            ids[column] = None if digest is None else _known(self._texts, digest, name, where)
        return ids

    def _put_scores(self, scoring_id: int, scores: object, where: str) -> None:
        numbers = isinstance(scores, dict) and all(type(value) in {int, float} for value in scores.values())
        if not isinstance(scores, dict) or not numbers:
            raise InputError(f"{where}: field 'scores' holds no numbers by name; make the bundle again")
        rows = [(scoring_id, metric, float(value)) for metric, value in scores.items()]
        self.store.insert_many("scores", ("scoring_id", "metric", "value"), rows)

    def _put_streams(self) -> None:
        compressor = zstandard.ZstdCompressor(level=3)
        member = f"{self.part}/{STREAM_BYTES}"
        with self.bundle.reading(member) as data:
            for where, row in self._rows(STREAMS):
                answer_id = _known(self._answers, row.get("answer"), "answer", where)
                pieces, wire = _heads(row.get("pieces"), where), row.get("wire")
                if not isinstance(wire, str):
                    raise InputError(f"{where}: field 'wire' is no text; make the bundle again")
                stream = [Received(at * 1000, exactly(data, size)) for at, size in pieces]
                packed = pack(stream, 0, compressor)
                values: dict[str, Value] = {"answer_id": answer_id, "wire": wire, "codec": CODEC}
                values |= {"pieces": packed.pieces, "bytes": packed.size, "data": packed.data}
                with refused_rows(where):
                    self.store.insert("streams", values)
            if data.read(1):
                raise damaged(self.bundle.path, f"{member} holds more than the streams that it should")


def _known(ids: Mapping[Any, int], key: object, name: str, where: str) -> int:
    """Return the id of what a row names by number or digest. Raises InputError where the bundle does not have it."""
    if type(key) not in {int, str} or key not in ids:
        raise InputError(f"{where}: field {name!r} names nothing in the bundle; make it again")
    return ids[key]


def _heads(pieces: object, where: str) -> list[tuple[int, int]]:
    """Return arrival in microseconds and length of the pieces of a stream; times never fall."""
    before, total = 0, 0
    heads: list[tuple[int, int]] = []
    for piece in pieces if isinstance(pieces, list) else (None,):
        at, size = piece if isinstance(piece, list) and len(piece) == 2 else (None, None)
        if type(at) is not int or type(size) is not int or not before <= at < _LATEST or not size >= 0:
            raise InputError(f"{where}: field 'pieces' holds no arrivals with lengths; make the bundle again")
        before, total = at, total + size
        heads.append((at, size))
    if total > LARGEST_STORED:
        raise InputError(f"{where}: field 'pieces' has more bytes than a bundle can hold; make it again")
    return heads
