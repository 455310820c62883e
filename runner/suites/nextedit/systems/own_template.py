"""own_template, a system for `evals nextedit`: it makes the last replacement again wherever the same lines stand.

To be asked as a file:   evals nextedit --sut own_template.py
To be asked over HTTP:   python own_template.py 8123
and then                 evals nextedit --sut http://127.0.0.1:8123

A commit is replayed edit by edit. Each question is one JSON object, and `main` returns the answer. Lines are counted
from 0, and each line keeps its line end.
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Literal, NotRequired, Protocol, TypedDict


class LineEdit(TypedDict):
    """The lines `before`, which stand at line `start` of a file, become `after`; an insertion has no `before`."""

    path: str
    start: int
    before: list[str]
    after: list[str]
    confidence: NotRequired[float]  # ranks predictions; without it they are taken in the order given


class EditPlace(TypedDict):
    """Where an edit is asked for."""

    path: str
    start: int
    before: list[str]


class SystemQuestion(TypedDict):
    """What is asked, and what is known of the commit."""

    ask: Literal["begin", "next", "content", "end"]
    commit: str
    step: int
    message: str | None  # what the commit is for; null where --leak does not permit it
    files: dict[str, str]  # the files of the commit as they are now: path to text
    edits: list[LineEdit]  # the edits made so far, the oldest first, at the lines where they are now
    tree: str | None  # a folder with the whole project as it is now
    place: EditPlace | None  # for `content` alone


class SystemAnswer(TypedDict, total=False):
    """`edits` answers `next`, `lines` answers `content`; `begin` and `end` need no more than {}."""

    edits: list[LineEdit]  # what may come next, the likeliest first; an empty list says that nothing is left to do
    lines: list[str] | None  # what takes the place of `place.before`; null for no answer
    report: dict[str, float]  # what it took, as far as you know: cost_usd, input_tokens, output_tokens, ...


class AnySystem(Protocol):
    """Anything that answers questions."""

    def __call__(self, question: SystemQuestion) -> SystemAnswer:
        """Answer one question."""
        ...


def repeat_last(question: SystemQuestion) -> SystemAnswer:
    """Replace what the last edit replaced, wherever it stands."""
    if question["ask"] == "next":
        return {"edits": next_edits(question)}
    if question["ask"] == "content":
        return {"lines": question["edits"][-1]["after"]}
    return {}


def next_edits(question: SystemQuestion) -> list[LineEdit]:
    """Find the lines that the last edit replaced."""
    last, edits = question["edits"][-1], list[LineEdit]()
    if not last["before"]:
        return []
    for path, text in question["files"].items():
        lines = text.splitlines(keepends=True)
        for start in range(len(lines) - len(last["before"]) + 1):
            if lines[start : start + len(last["before"])] == last["before"]:
                edits.append({"path": path, "start": start, "before": last["before"], "after": last["after"]})
    return edits


main: AnySystem = repeat_last


class PostHandler(BaseHTTPRequestHandler):
    """Answers each POST: its body is a question, the reply's body the answer."""

    def do_POST(self) -> None:
        """Answer one question."""
        question: SystemQuestion = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        body = json.dumps(main(question)).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), PostHandler).serve_forever()
