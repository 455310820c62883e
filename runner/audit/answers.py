"""What our algorithms make of recorded editing calls, and why those that failed did not match."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from diff_apply import DIFF_ALGORITHMS
from diff_apply.fences import looks_like_marker
from diff_apply.result import DiffError
from parsers.forms.patch import read_patch
from runner.audit.plain_edits import applied_plainly, plain_edit, refused_plainly
from runner.diagnosis.counts import cause_name
from runner.diagnosis.failure import FailedDiff, diagnose_diff
from runner.recordings.vocabulary import AgentCall, CallKind, CallStatus, Certainty, TouchedFile

ALGORITHMS = ("v1", "v2", "v3", "v4")
_KNOWN = frozenset({Certainty.EXACT, Certainty.DERIVED})


class Reapplied(StrEnum):
    """What an algorithm makes of a call: the file that was recorded, another one, or none."""

    SAME = "same"
    OTHER = "other"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class KnownEdit:
    """An editing call as SEARCH/REPLACE blocks, with the file as it stood at that moment."""

    call: AgentCall
    file: TouchedFile
    original: str
    diff: str


def known_edits(call: AgentCall) -> Iterator[KnownEdit]:
    """Yield a call that replaces texts in a file whose text at that moment is known."""
    for file in call.touched[:1]:
        if file.before.text is not None and file.before.certainty in _KNOWN and (diff := blocks_of(call)):
            yield KnownEdit(call, file, file.before.text, diff)


def blocks_of(call: AgentCall) -> str:
    """Return what a call asks for as SEARCH/REPLACE blocks; "" for whole files, and for places without a text."""
    if call.diff and ("SEARCH" in call.diff or "<<<<<<<" in call.diff):
        return call.diff
    if call.kind is CallKind.PATCH:
        return _blocks_of_patch(call.diff)
    if not call.replacements or any(edit.everywhere or not edit.old for edit in call.replacements):
        return ""
    return "".join(
        f"------- SEARCH\n{edit.old.removesuffix(chr(10))}\n=======\n{_lines(edit.new)}+++++++ REPLACE\n"
        for edit in call.replacements
    )


def _blocks_of_patch(diff: str) -> str:
    """Return the chunks of a patch as blocks; "" if it does more than to update one file, or has lines like markers."""
    changes = read_patch(diff).changes
    if [(change.operation, change.move_to) for change in changes] != [("update", None)] or looks_like_marker(diff):
        return ""
    blocks = []
    for chunk in changes[0].chunks:
        search = "".join(f"{line}\n" for sign, line in chunk.lines if sign != "+")
        replacement = "".join(f"{line}\n" for sign, line in chunk.lines if sign != "-")
        if not search:
            return ""
        blocks.append(f"------- SEARCH\n{search}=======\n{replacement}+++++++ REPLACE\n")
    return "".join(blocks)


def _lines(text: str) -> str:
    return text if not text or text.endswith("\n") else f"{text}\n"


def reapplied(edit: KnownEdit) -> dict[str, Reapplied]:
    """Return what each algorithm makes of an edit. A failed call has no recorded file: any result is another one."""
    texts = texts_made(edit.original, edit.diff)
    recorded = edit.file.after.text if edit.call.status is CallStatus.OK else None
    return {
        name: Reapplied.REFUSED if text is None else Reapplied.SAME if text == recorded else Reapplied.OTHER
        for name, text in texts.items()
    }


def texts_made(original: str, diff: str) -> dict[str, str | None]:
    """Return the text that each algorithm makes; None from those that refuse."""
    plain = plain_edit(diff)
    if plain is None:
        return {name: _applied(name, original, diff) for name in ALGORITHMS}
    text = applied_plainly(original, plain)
    if text is not None or refused_plainly(original, plain):
        return dict.fromkeys(ALGORITHMS, text)
    # Of one plain block these three differ in nothing: they look for it in the same ways.
    return {**dict.fromkeys(("v1", "v2", "v3"), _applied("v1", original, diff)), "v4": _applied("v4", original, diff)}


def _applied(name: str, original: str, diff: str) -> str | None:
    try:
        return DIFF_ALGORITHMS[name](original, diff).text
    except DiffError:
        return None


def diagnosed(edit: KnownEdit) -> str:
    """Return the name of the cause for which a failed edit does not match the file as it stood."""
    return cause_name(diagnose_diff(FailedDiff(edit.original, edit.diff, (), "v1")).cause)
