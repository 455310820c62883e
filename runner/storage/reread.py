"""Stored answers read again from their raw bytes, and held against what was recorded live."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

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

    `different` holds the ids of those that differ, with the names of what does.
    `parser_of` a prompt is the one that watched its answers live: the edit clocks are its marks.
    """

    store: Store
    wires: Mapping[str, Wire]
    parser_of: Callable[[str], Parser]
    same: int = 0
    pruned: int = 0
    differing: Counter[str] = field(default_factory=Counter)
    different: dict[int, tuple[str, ...]] = field(default_factory=dict)
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
            self.different[answer_id] = ("stream",)
            return recorded
        names = tuple(_differing(again, recorded))
        if names:
            self.differing.update(names)
            self.different[answer_id] = names
        else:
            self.same += 1
        return again

    def _read(self, row: Row, lane_id: int, *, timed: bool) -> Completion:
        prompt = self.store.rows("SELECT prompt FROM lanes WHERE lane_id = ?", lane_id)[0]["prompt"]
        pieces = unpack(Packed(row["pieces"], row["bytes"], row["data"]), self._decompressor)
        again = read_again(pieces, self.wires[row["wire"]].decoder(), self.parser_of(prompt).start())
        if timed:
            return again
        # Nobody was asked, or in a batch: the pieces carry no times to speak of.
        return replace(again, clocks=Clocks())


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
# What earlier versions did not record: NULL says nothing.
_RECORDED_LATER = ("note", "server_prompt_ms", "server_output_ms")


def _differing(again: Completion, recorded: Completion) -> Iterator[str]:
    """Yield the names of what differs."""
    yield from (name for name in _COMPARED if getattr(again, name) != getattr(recorded, name))
    for name in _RECORDED_LATER:
        value = getattr(recorded, name)
        if value is not None and value != getattr(again, name):
            yield name
