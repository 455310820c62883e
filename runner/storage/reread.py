"""Stored answers read again from their raw bytes, and held against what was recorded live."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import zstandard

from parsers.blocks import Parser
from runner.inflating import DamagedError
from runner.records import Clocks, Completion
from runner.storage.rows import completion_of
from runner.storage.store import Row, Store
from runner.storage.streams import CODEC, Packed, read_again, unpack
from suts.sut import SutError, Wire


@dataclass(slots=True)
class Rereader:
    """Reads answers of one run again; counts those that agree, those that differ and in what, those pruned.

    `parser_of` a prompt is the one that watched its answers live: the edit clocks are its marks.
    """

    store: Store
    wires: Mapping[str, Wire]
    parser_of: Callable[[str], Parser]
    same: int = 0
    pruned: int = 0
    differing: Counter[str] = field(default_factory=Counter)
    different: list[int] = field(default_factory=list)
    _decompressor: zstandard.ZstdDecompressor = field(default_factory=zstandard.ZstdDecompressor)

    def read(self, answer_id: int) -> Completion:
        """Return the answer from its bytes, or as recorded where they were pruned or make no answer any more."""
        row = self.store.rows("SELECT * FROM answers WHERE answer_id = ?", answer_id)[0]
        recorded = completion_of(self.store, row)
        streams = self.store.rows("SELECT * FROM streams WHERE answer_id = ?", answer_id)
        if not streams or streams[0]["codec"] != CODEC:
            self.pruned += 1
            return recorded
        try:
            again = self._read(streams[0], row["lane_id"], timed=recorded.clocks != Clocks())
        except (SutError, DamagedError):
            self.differing["stream"] += 1
            self.different.append(answer_id)
            return recorded
        names = [name for name in _COMPARED if getattr(again, name) != getattr(recorded, name)]
        if names:
            self.differing.update(names)
            self.different.append(answer_id)
        else:
            self.same += 1
        return again

    def _read(self, row: Row, lane_id: int, *, timed: bool) -> Completion:
        prompt = self.store.rows("SELECT prompt FROM lanes WHERE lane_id = ?", lane_id)[0]["prompt"]
        pieces = unpack(Packed(row["pieces"], row["bytes"], row["data"]), self._decompressor)
        again = read_again(pieces, self.wires[row["wire"]].decoder(), self.parser_of(prompt).start())
        if timed:
            return again
        # Nobody was asked: the pieces carry no times to speak of.
        return Completion(again.text, again.reasoning, Clocks(), again.tokens, again.finish_reason)


_COMPARED = (
    "text",
    "reasoning",
    "clocks",
    "tokens",
    "finish_reason",
    "served_model",
    "upstream",
    "provider_cost_usd",
)
