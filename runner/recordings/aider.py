"""Chats of Aider: `.aider.chat.history.md` in the folder of its repository, which has the states of files.

The words of the user stand behind `#### `, those of the program behind `> `, answers as they are. An answer edits each
file that the program then calls applied, or whose blocks it calls unmatched. Calls have no ids, no times and no texts
of files: where a commit follows, its files before and after it are exact, from the repository; where the requests were
kept (`aider_requests`), they have times and derived texts. Tokens are rounded by the program; the last chat of a file
may be cut anywhere.
"""

import re
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from parsers.forms.aider_diff import read_blocks
from parsers.forms.answers import fence_of
from runner.errors import InputError
from runner.git import GitError, Repository
from runner.input_files import open_input
from runner.recordings.aider_requests import SentRequests, sent_requests
from runner.recordings.building import AgentWords, RecordingBuilder
from runner.recordings.known_files import replaced
from runner.recordings.vocabulary import (
    ABSENT,
    UNKNOWN,
    AgentCall,
    AgentSession,
    AgentUsage,
    CallCause,
    CallKind,
    CauseRule,
    Certainty,
    FileState,
    Replacement,
    TouchedFile,
)

CHAT = "aider.chat.history.md"
_CAUSES = (
    CauseRule("failed to exactly match lines", CallCause.NO_MATCH),
    CauseRule("does not match", CallCause.NO_MATCH),
    CauseRule("no filename", CallCause.INVALID_INPUT),
)
_WORDS = AgentWords("aider", _CAUSES)
_BEGAN = re.compile(r"# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)")
_VERSION = re.compile(r"> Aider v?(\S+)")
_MODEL = re.compile(r"> (?:Main model|Model): (\S+)(?: with (\S+) edit format)?")
_APPLIED = re.compile(r"> Applied edit to (.+)")
_UNMATCHED = re.compile(r"## SearchReplaceNoExactMatch: This SEARCH block failed to exactly match lines in (.+)")
_COMMIT = re.compile(r"> Commit ([0-9a-f]{7,40})\b")
_TOKENS = re.compile(
    r"> Tokens: ([\d.]+)(k|M)? sent(?:, .*?)?, ([\d.]+)(k|M)? received\.(?: Cost: \$([\d.]+) message)?"
)
_QUOTED_END = re.compile(
    r"The SEARCH section must exactly match|# The other \d+ SEARCH/REPLACE|Don't re-send them|Just reply with fixed"
)
_SCALES = {"": 1, "k": 1_000, "M": 1_000_000}


@dataclass(slots=True)
class _Answer:
    """An answer of the model and what the program made of it.

    `later` are the lines behind the program's words: a further answer, if more words of the program follow.
    """

    lines: list[str] = field(default_factory=list)
    later: list[str] = field(default_factory=list)
    applied: list[str] = field(default_factory=list)
    unmatched: list[str] = field(default_factory=list)
    commit: str = ""
    over: bool = False
    usage: AgentUsage | None = None


def read_aider(path: Path, *, turns: bool = False) -> AgentSession:
    """Read the chats of a file, with the repository that it lies in, if there is one."""
    session = RecordingBuilder(_WORDS, str(path), turns)
    session.files.folder = str(path.parent.absolute())
    with ExitStack() as opened:
        reader = _ChatReader(session, _repository(path, opened), sent_requests(path))
        for line in _lines(path):
            reader.take(line)
        reader.end_answer()
    return session.built()


def _repository(path: Path, opened: ExitStack) -> Repository | None:
    try:
        return opened.enter_context(Repository(path.parent))
    except (GitError, InputError):
        return None


def _lines(path: Path) -> Iterator[str]:
    try:
        with open_input(path) as file:
            for line in file:
                yield line.decode(errors="replace").rstrip("\r\n")
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); give a chat of Aider") from error


class _ChatReader:
    def __init__(self, session: RecordingBuilder, repository: Repository | None, requests: SentRequests) -> None:
        self._session = session
        self._repository = repository
        self._requests = requests
        self._model, self._tool = "", "diff"
        self._answers = self._ended = 0
        self._answer = _Answer()
        self._request: list[str] = []

    def take(self, line: str) -> None:
        if line.startswith("#### "):
            self.end_answer()
            self._request.append(line.removeprefix("#### ").rstrip())
            return
        if self._request:
            self._session.say("user", "\n".join(self._request))
            self._request = []
        if match := _BEGAN.match(line):
            self.end_answer()
            began = datetime.fromisoformat(match[1]).replace(tzinfo=UTC).timestamp()
            self._session.began = self._session.began or began
        elif match := _UNMATCHED.match(line):
            # What follows quotes its block, up to the sentence that ends all of them.
            self._answer.later.clear()
            self._answer.unmatched.append(match[1].strip())
        elif line.startswith("> "):
            self._take_program(line)
        elif _QUOTED_END.match(line):
            # The program has quoted the blocks that it could not match.
            self._answer.later.clear()
        else:
            (self._answer.later if self._answer.over else self._answer.lines).append(line)

    def _take_program(self, line: str) -> None:
        self._next_answer()
        answer = self._answer
        answer.over = answer.over or any(row.strip() for row in answer.lines)
        if match := _APPLIED.match(line):
            answer.applied.append(match[1].strip())
        elif match := _COMMIT.match(line):
            answer.commit = match[1]
        elif match := _VERSION.match(line):
            self._session.version = match[1]
        elif match := _MODEL.match(line):
            self._model, self._tool = match[1], match[2] or self._tool
        elif match := _TOKENS.match(line):
            self._take_usage(match)

    def _next_answer(self) -> None:
        """Begin the answer that stands behind words of the program, if there is one."""
        if any(line.strip() for line in self._answer.later):
            later = self._answer.later
            self.end_answer()
            self._answer = _Answer(later, over=True)

    def _take_usage(self, match: re.Match[str]) -> None:
        self._answers += 1
        sent, received = (
            round(float(count.rstrip(".") or 0) * _SCALES[scale or ""])
            for count, scale in ((match[1], match[2]), (match[3], match[4]))
        )
        cost = float(match[5].rstrip(".")) if match[5] else None
        self._answer.usage = AgentUsage(self._model, sent, received, cost_usd=cost)
        self._session.use(str(self._answers), self._answer.usage)

    def end_answer(self) -> None:
        """Make calls of an answer that has ended: one for each file, those that failed last."""
        answer, self._answer = self._answer, _Answer()
        text = "\n".join(answer.lines).strip()
        if not text:
            return
        self._session.say("assistant", text)
        blocks = read_blocks(f"{text}\n", (), fence_of(text)).edits
        self._ended += 1
        self._take_request(text, answer)
        unmatched = dict.fromkeys(answer.unmatched)
        for path in dict.fromkeys((*answer.applied, *unmatched)):
            edits = tuple(Replacement(block.search, block.replace) for block in blocks if block.path == path)
            call_id, version = f"{self._ended}:{path}", self._session.version
            call = AgentCall(
                call_id,
                self._tool,
                CallKind.EDIT,
                self._model,
                began=self._session.at,
                paths=(path,),
                replacements=edits,
                version=version,
            )
            self._end_call(call, path, answer)

    def _end_call(self, call: AgentCall, path: str, answer: _Answer) -> None:
        self._session.open(call)
        if path in answer.unmatched:
            self._session.fail(call, "failed to exactly match lines")
            return
        before, after = self._states(answer.commit, call)
        self._session.succeed(call, f"Applied edit to {path}", (TouchedFile(path, before, after),))

    def _take_request(self, words: str, answer: _Answer) -> None:
        """Note the time of an answer, and the files that its request showed."""
        request = self._requests.of(words)
        self._session.at = request.at if request else None
        for path, text in request.files.items() if request else ():
            if self._session.files.state(path).text != text:
                self._session.files.put(path, FileState(text, Certainty.DERIVED))
        if request and answer.usage:
            self._session.use(str(self._answers), replace(answer.usage, at=request.at))

    def _states(self, commit: str, call: AgentCall) -> tuple[FileState, FileState]:
        """Return a file before and after an edit: as its commit has it, else as far as requests show it."""
        path = call.paths[0]
        if commit and self._repository is not None:
            before = self._blob(f"{commit}^", path)
            if before is not UNKNOWN:
                return before, self._blob(commit, path)
        before = self._session.files.state(path)
        return before, replaced(before, call.replacements) if before.text is not None else UNKNOWN

    def _blob(self, revision: str, path: str) -> FileState:
        assert self._repository is not None
        try:
            self._repository.run("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
        except GitError:
            return UNKNOWN
        try:
            return FileState(self._repository.run("cat-file", "blob", f"{revision}:./{path}").decode())
        except GitError:
            return ABSENT
        except UnicodeDecodeError:
            return UNKNOWN
