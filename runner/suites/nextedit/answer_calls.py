"""From the calls of an answer to predicted edits: of a file that is there, of a new one, and of one that goes.

Every call for an edit is a prediction. One that cannot be made is a wrong prediction, as an edit of a plug-in module
would be. So nothing here depends on which edits of the commit remain.
"""

import posixpath
import shlex
from collections.abc import Iterator, Mapping, Sequence

from diff_apply.result import DiffAlgorithm, DiffError, Reason
from parsers.blocks import ToolCall
from runner.records import Outcome
from runner.run.complexity import check_diff, check_repairs, check_result
from runner.run.diff_scoring import EDIT_TOOL
from runner.suites.nextedit.commits import split_lines
from runner.suites.nextedit.editor import Suggestion, suggestions_between

WRITE_TOOL = "write_to_file"
COMMAND_TOOL = "execute_command"
END_TOOL = "attempt_completion"
# Where the system prompts place the project; paths below it are the project's own.
FOLDER = "/project"
_REFUSED = {Reason.NO_MATCH: Outcome.NO_MATCH, Reason.AMBIGUOUS: Outcome.AMBIGUOUS}
_DELETE, _MOVE = "rm", "mv"
_OPERATORS = set(";|&<>()")

CallRead = tuple[Outcome, Sequence[Suggestion]]


def is_edit(call: ToolCall) -> bool:
    """Return whether a call is for an edit: of lines, of a whole file, or a command that deletes or moves files."""
    if call.name == COMMAND_TOOL:
        return bool(file_commands(call.params.get("command", "")))
    return call.name in {EDIT_TOOL, WRITE_TOOL}


def read_call(call: ToolCall, texts: Mapping[str, str], algorithm: DiffAlgorithm) -> CallRead:
    """Return what a call for an edit predicts on the files as they now are. Raises TooComplexError."""
    if call.name == COMMAND_TOOL:
        predicted = [
            suggestion for command in file_commands(call.params["command"]) for suggestion in _run(command, texts)
        ]
        return Outcome.APPLIED, predicted
    path = call.params.get("path", "")
    if not path:
        return Outcome.MISSING_PATH, ()
    content = call.params.get("content" if call.name == WRITE_TOOL else "diff", "")
    if not content or (call.partial and call.name == WRITE_TOOL):
        return Outcome.TRUNCATED if call.partial else Outcome.MISSING_DIFF, ()
    if call.name == WRITE_TOOL:
        return _changed(own_path(path), texts, _ended(content, texts.get(own_path(path), "")))
    return _replaced(own_path(path), content, texts, algorithm)


def own_path(path: str) -> str:
    """Return a path of a call as one in the project's tree."""
    normal = posixpath.normpath(path)
    return normal.removeprefix(f"{FOLDER}/").removeprefix("/")


def file_commands(command: str) -> list[tuple[str, ...]]:
    """Return the deletions (`rm`, path) and moves (`mv`, from, to) of a command line; [] where it does anything else.

    Options are ignored, and so is `mkdir`: folders are there when a file needs them.
    """
    # A line is a command like what `&&` joins.
    lexer = shlex.shlex(command.strip().replace("\n", " && "), posix=True, punctuation_chars=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        words = list(lexer)
    except ValueError:
        return []
    commands: list[tuple[str, ...]] = []
    for part in _parts(words):
        name, *paths = [word for word in part if not word.startswith("-")] or [""]
        if any(set(word) <= _OPERATORS for word in paths):
            return []
        if name == _DELETE and paths:
            commands += ((_DELETE, own_path(path)) for path in paths)
        elif name == _MOVE and len(paths) == 2:
            commands.append((_MOVE, own_path(paths[0]), own_path(paths[1])))
        elif name != "mkdir":
            return []
    return commands


def _parts(words: Sequence[str]) -> Iterator[list[str]]:
    """Yield the commands that `&&` joins, without a `git` before them."""
    part: list[str] = []
    for word in (*words, "&&"):
        if word == "&&":
            yield part
            part = []
        elif part or word != "git":
            part.append(word)


def _run(command: tuple[str, ...], texts: Mapping[str, str]) -> Iterator[Suggestion]:
    """Yield the edits of a deletion, or of a move: a deletion and a new file of the same text."""
    name, path, *rest = command
    lines = split_lines(texts.get(path, ""))
    yield Suggestion(path, 0, lines, ()) if lines else _impossible(path, f"{name} {path}\n")
    for new_path in rest:
        yield Suggestion(new_path, 0, (), lines or (f"{path}\n",))


def _replaced(path: str, diff: str, texts: Mapping[str, str], algorithm: DiffAlgorithm) -> CallRead:
    original = texts.get(path, "")
    check_diff(original, diff)
    check_repairs(algorithm, diff)
    try:
        edited = algorithm(original, diff).text
    except DiffError as error:
        # Of a file that the commit does not touch the text is unknown: the edit may well be possible.
        outcome = _REFUSED.get(error.reason, Outcome.MALFORMED_DIFF) if path in texts else Outcome.APPLIED
        return outcome, (_impossible(path, diff),)
    return _changed(path, texts, edited)


def _changed(path: str, texts: Mapping[str, str], edited: str) -> CallRead:
    original = texts.get(path, "")
    check_result(original, edited)
    suggestions = suggestions_between(path, original, edited)
    if suggestions:
        return Outcome.APPLIED, suggestions
    return Outcome.APPLIED_NOTHING, (Suggestion(path, 0, (), ()),)


def _impossible(path: str, text: str) -> Suggestion:
    """Return a prediction that fits no file: of lines that the text describes."""
    return Suggestion(path, 0, split_lines(text), ())


def _ended(content: str, like: str) -> str:
    """Return a file's content, of which parsers cut the last line end; a file that has none keeps none."""
    return f"{content}\n" if like.endswith("\n") or not like else content
