"""What the server knows beforehand: which case a conversation belongs to, and which answers are given already."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush

from suts.simulated.draws import Key
from suts.simulated.question import conversation_digest, prefix_digests
from suts.sut import Message, Truth


@dataclass(frozen=True, slots=True)
class TruthBook:
    """Truths by the digest of their conversation and by their case; their `number` and `seed` do not count.

    `of_tool` gives those of edit tools, by the system prompt and the digest of the conversation.
    """

    by_conversation: Mapping[str, Truth] = field(default_factory=dict)
    by_case: Mapping[str, Truth] = field(default_factory=dict)
    of_tool: Callable[[str, str], Truth | None] | None = None

    def find(self, conversation: str, case_id: str, seed: int, system: str = "") -> Truth:
        """Return the truth of a request; an unknown conversation is a case of its own of which nothing is known."""
        truth = self.by_case.get(case_id) or self._known(conversation, system)
        return replace(truth or Truth(f"unknown-{conversation}", number=1), seed=seed)

    def _known(self, conversation: str, system: str) -> Truth | None:
        written = self.of_tool(system, conversation) if self.of_tool else None
        return written or self.by_conversation.get(conversation)

    def find_followed(self, texts: Iterable[str], case_id: str, seed: int, system: str = "") -> Truth:
        """Return the truth of a conversation, or of the one that it goes on: each refused edit adds two texts."""
        prefixes = list(prefix_digests(texts))
        for length in range(len(prefixes) - 1, 0, -1):
            if self._known(prefixes[length], system) is not None:
                truth = self.find(prefixes[length], case_id, seed, system)
                return replace(truth, repairs=(len(prefixes) - length) // 2)
        return self.find(prefixes[-1], case_id, seed, system)

    def find_among(self, texts: Iterable[str], case_id: str, seed: int) -> Truth:
        """Return the truth of a coding agent's request, in which a case's question is one text among others."""
        digests = [conversation_digest([text]) for text in texts]
        known = next((digest for digest in digests if digest in self.by_conversation), "")
        return self.find(known or next(iter(digests), ""), case_id, seed)


def truth_book(entries: Iterable[tuple[Iterable[Message], Truth]]) -> TruthBook:
    """Return the book of these conversations; of two equal conversations the first counts."""
    by_conversation: dict[str, Truth] = {}
    by_case: dict[str, Truth] = {}
    for messages, truth in entries:
        by_conversation.setdefault(conversation_digest(text for message in messages for text in message.texts), truth)
        by_case.setdefault(truth.case_id, truth)
    return TruthBook(by_conversation, by_case)


class Numbers:
    """Hands out the numbers of attempts, per key, from 1: always the smallest that is free.

    A number that was given back (its answer did not arrive whole) goes to the next request. So the answers that
    a client ends with are those of the numbers 1, 2, 3, ... without a gap, in whatever order it asked.
    """

    def __init__(self) -> None:
        """Nothing is taken."""
        self._next: dict[Key, int] = {}
        self._free: dict[Key, list[int]] = {}

    def next(self, key: Key) -> int:
        """Return the smallest free number of this key, which stays free."""
        free = self._free.get(key)
        return free[0] if free else self._next.get(key, 1)

    def take(self, key: Key) -> int:
        """Return the smallest free number of this key."""
        number = self.next(key)
        free = self._free.get(key)
        if free:
            heappop(free)
        else:
            self._next[key] = number + 1
        return number

    def give_back(self, key: Key, number: int) -> None:
        """The number is free again."""
        heappush(self._free.setdefault(key, []), number)
