"""A commit's message as the request that led to it, or why it is none."""

import re

from runner.mine.case import CaseRefusedError, MiningRefusal

# Lines that name people and other systems, not what is to be done.
_TRAILER = re.compile(
    r"\s*(?:[\w-]+-by|cc|change-id|differential revision|git-svn-id|pr-url|reviewed-on)\s*:", re.IGNORECASE
)
_NUMBER = re.compile(r"\bv?\d+(?:\.\d+)+[\w.+-]*|\bv\d+\b")
_BUMP = re.compile(r"\b(?:bump(?:s|ed|ing)?|releas(?:e[sd]?|ing)|version)\b", re.IGNORECASE)
_AROUND_BUMPS = frozenset(
    """a and begin build chore ci cut dev development final for from increment is it iteration main master new next now
    number of package post pre prepare project rc set snapshot start tag the this to up update updated version's
    """.split()  # noqa: SIM905 - words read better than a list of them
)
_DEPENDENCY = re.compile(r"^\W*(?:[\w()-]+:\s*)?bumps? \S+ (?:from|to) v?\d", re.IGNORECASE)


def request_of(message: str) -> str:
    """Return what the message asks for, without trailers. Raises RefusedError where it asks for nothing usable.

    An empty message, that of a merge, a change of the version's number, a revert, or a note to squash commits says
    nothing of the edit to make.
    """
    lines = [line.rstrip() for line in message.split("\n") if not _TRAILER.match(line)]
    request = "\n".join(lines).strip()
    subject = request.partition("\n")[0].strip()
    if not any(letter.isalnum() for letter in request):
        raise CaseRefusedError(MiningRefusal.NO_MESSAGE)
    for begins, reason in _BEGINNINGS:
        if subject.lower().startswith(begins):
            raise CaseRefusedError(reason)
    if is_version_bump(subject):
        raise CaseRefusedError(MiningRefusal.VERSION_BUMP)
    return request


_BEGINNINGS = (
    (("merge branch", "merge pull request", "merge remote-tracking", "merge tag", "merge commit"), MiningRefusal.MERGE),
    (("revert ", "reverts ", "revert:", "this reverts commit"), MiningRefusal.REVERT),
    (("fixup!", "squash!", "amend!"), MiningRefusal.FIXUP),
)


def is_version_bump(subject: str) -> bool:
    """Return whether a subject speaks of nothing but a new version, of the project or of what it depends on."""
    if _DEPENDENCY.match(subject):
        return True
    without_number = _NUMBER.sub(" ", subject)
    without_bump = _BUMP.sub(" ", without_number)
    rest = re.findall(r"\w[\w']*", without_bump.lower())
    return without_bump != subject and all(word in _AROUND_BUMPS for word in rest)
