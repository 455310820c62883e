"""What Aider sent to its model, where it was kept beside the chat: `.aider.llm.history` (`--llm-history-file`).

A line `TO LLM <time>` begins a request, whose lines stand behind the role of their message, and `LLM RESPONSE <time>`
its answer. A message shows each file of the chat: its path, and its text in fences. Line ends are not kept: the texts
are derived. An answer of the chat is found again by its words.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from runner.input_files import open_input

NAME = ".aider.llm.history"
_HEAD = re.compile(r"(TO LLM|LLM RESPONSE) (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)$")
_DISPLAYED = "I have *added these files to the chat*"
_FENCE = re.compile(r"(`{3,}|<(?:source|code|pre|codeblock|sourcecode)>)\w*$")


@dataclass(frozen=True, slots=True)
class SentRequest:
    """A request that was answered: when, in seconds since 1970, and the files that it showed."""

    at: float
    files: Mapping[str, str]


@dataclass(slots=True)
class SentRequests:
    """The requests of a chat by the words of their answers; of equal answers, the first comes first."""

    _by_answer: defaultdict[str, list[SentRequest]] = field(default_factory=lambda: defaultdict(list))

    def add(self, answer: str, request: SentRequest) -> None:
        """Add an answered request."""
        self._by_answer[_plain(answer)].append(request)

    def of(self, answer: str) -> SentRequest | None:
        """Return the next request with an answer; None if there is none."""
        waiting = self._by_answer.get(_plain(answer))
        return waiting.pop(0) if waiting else None


def sent_requests(chat: Path) -> SentRequests:
    """Return the requests that were kept beside a chat; none where they were not."""
    requests, files = SentRequests(), dict[str, str]()
    for kind, at, lines in _parts(chat.with_name(NAME)):
        if kind == "TO LLM":
            files = dict(_files(_message(lines)))
        else:
            answer = "\n".join(line.removeprefix("ASSISTANT").removeprefix(" ") for line in lines)
            requests.add(answer, SentRequest(at, files))
    return requests


def _plain(answer: str) -> str:
    return "\n".join(line.rstrip() for line in answer.strip().split("\n"))


def _parts(path: Path) -> Iterator[tuple[str, float, list[str]]]:
    """Yield the requests and answers of a file: which it is, its time, and its lines."""
    kind, at, lines = "", 0.0, list[str]()
    for line in _lines(path):
        if match := _HEAD.match(line):
            if kind:
                yield kind, at, lines
            kind, lines = match[1], []
            at = datetime.fromisoformat(match[2]).replace(tzinfo=UTC).timestamp()
        else:
            lines.append(line)
    if kind:
        yield kind, at, lines


def _lines(path: Path) -> Iterator[str]:
    try:
        with open_input(path) as file:
            for line in file:
                yield line.decode(errors="replace").rstrip("\r\n")
    except OSError:
        return


def _message(lines: list[str]) -> list[str]:
    """Return the lines of the last message that shows files."""
    displayed, is_inside = list[str](), False
    for line in lines:
        if line == "-------":
            is_inside = False
        elif line.startswith(f"USER {_DISPLAYED}"):
            displayed, is_inside = [], True
        elif is_inside:
            displayed.append(line.removeprefix("USER").removeprefix(" "))
    return displayed


def _files(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Yield the path and the text of each file of a message."""
    path, fence, text = "", "", list[str]()
    for line in lines:
        if not fence:
            opening = _FENCE.match(line)
            fence, text = (_closing(opening[1]), []) if opening and path else ("", text)
            path = line.strip() if not fence else path
        elif line == fence or line.endswith(fence):
            # A file without a newline at its end has its last line before the fence.
            last = line.removesuffix(fence)
            yield path, "".join(f"{row}\n" for row in text) + last
            path, fence = "", ""
        else:
            text.append(line)


def _closing(fence: str) -> str:
    return fence if fence.startswith("`") else f"</{fence[1:]}"
