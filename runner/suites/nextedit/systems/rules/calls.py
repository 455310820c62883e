"""Parameters and arguments that follow each other: a definition that got one, and calls that hand one over."""

import re
from collections.abc import Iterator

from runner.suites.nextedit.editor import EditorSession, Made, Suggestion
from runner.suites.nextedit.systems.rules.analogy import paired_lines
from runner.suites.nextedit.systems.rules.places import texts_of

_DEFINITION = re.compile(
    r"""
    \b(?:def|function|func)\s+(?:\([^()]*\)\s*)?(\w+)\s*\(([^()]*)\)
    |^\s+(?:\w[\w<>\[\],\ ]*\s)?(\w+)\s*\(([^()]*)\)\s*(?:throws\s[\w,\ ]+)?\{
    """,
    re.VERBOSE,
)
_CALL = re.compile(r"(\w+)\(([^()]*(?:\([^()]*\)[^()]*)*)\)")
_PARAMETER = re.compile(r"^\W*(?:\w[\w<>\[\]. ]*\s)?(\w+)\s*(?::[^=]*)?(=.*)?$")
_SURENESS = 0.65


def _signature(line: str) -> tuple[str, list[str]] | None:
    """The name and the parameters of a function that a line defines."""
    match = _DEFINITION.search(line)
    if match is None:
        return None
    name, parameters = (match.group(1), match.group(2)) if match.group(1) else (match.group(3), match.group(4))
    return name, [part.strip() for part in parameters.split(",") if part.strip()]


def new_arguments(past_edit: Made, session: EditorSession) -> Iterator[Suggestion]:
    """Calls of a function that got one more parameter, handing over something of the parameter's name."""
    for old, new in paired_lines(past_edit.edit.before, past_edit.edit.after):
        before, after = _signature(old), _signature(new)
        if before is None or after is None or before[0] != after[0]:
            continue
        added = [part for part in after[1] if part not in before[1]]
        if len(added) != 1 or len(after[1]) != len(before[1]) + 1:
            continue
        parameter = _PARAMETER.match(added[0])
        if parameter is not None:
            argument = parameter.group(1)
            text = f"{argument}={argument}" if parameter.group(2) and past_edit.edit.path.endswith(".py") else argument
            yield from _calls(after[0], text, session)


def _calls(name: str, argument: str, session: EditorSession) -> Iterator[Suggestion]:
    for text in texts_of(session):
        for at, line in enumerate(text.lines):
            if at in text.edited_lines or _signature(line) is not None:
                continue
            for call in _CALL.finditer(line):
                if call.group(1) == name:
                    inside = f"{call.group(2)}, {argument}" if call.group(2).strip() else argument
                    changed = f"{line[: call.start(2)]}{inside}{line[call.end(2) :]}"
                    yield Suggestion(text.path, at, (line,), (changed,), _SURENESS)


def new_parameters(past_edit: Made, session: EditorSession) -> Iterator[Suggestion]:
    """The definition of a function that is now called with one more argument."""
    for old, new in paired_lines(past_edit.edit.before, past_edit.edit.after):
        before = {call.group(1): call.group(2) for call in _CALL.finditer(old)}
        for call in _CALL.finditer(new):
            name = call.group(1)
            if name not in before or len(_parts(call.group(2))) != len(_parts(before[name])) + 1:
                continue
            added = [part for part in _parts(call.group(2)) if part not in _parts(before[name])]
            word = re.match(r"\w+", added[0]) if added else None
            if word is not None:
                yield from _definitions(name, word.group(), session)


def _parts(arguments: str) -> list[str]:
    return [part.strip() for part in arguments.split(",") if part.strip()]


def _definitions(name: str, parameter: str, session: EditorSession) -> Iterator[Suggestion]:
    for text in texts_of(session):
        for at, line in enumerate(text.lines):
            signature = _signature(line)
            if (
                at in text.edited_lines
                or signature is None
                or signature[0] != name
                or parameter in " ".join(signature[1])
            ):
                continue
            end = line.find(")", line.find(f"{name}(") if f"{name}(" in line else 0)
            inside = f", {parameter}" if signature[1] else parameter
            yield Suggestion(text.path, at, (line,), (f"{line[:end]}{inside}{line[end:]}",), _SURENESS)
