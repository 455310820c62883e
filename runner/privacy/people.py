"""The names of people in texts: of their home folders, and in addresses of mail."""

import re
from collections.abc import Iterator

_HOME = re.compile(r"(?:/home/|/Users/|[A-Za-z]:\\+Users\\+|[A-Za-z]:/Users/)([A-Za-z0-9._-]*[A-Za-z0-9_-])")
_MAIL = re.compile(r"(?<![A-Za-z0-9._%+-])([A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,})")
_NOBODY = re.compile(r"(?i)(?:git|no-?reply|support|info)@|.*@(?:.*\.)?example\.(?:com|org|net)$|.*noreply")
# Names of accounts that are words of programs too: replaced in paths alone.
_GENERIC = re.compile(
    r"(?i)admin|app|build|ci|dev|docker|git|home|main|me|node|public|root|runner|shared|tests?|ubuntu|users?|vscode|"
    r"work(?:space)?"
)


def account_names(text: str) -> Iterator[str]:
    """Yield the names of the home folders in a text."""
    for match in _HOME.finditer(text):
        yield match[1]


def mail_addresses(text: str) -> Iterator[str]:
    """Yield the addresses of people in a text."""
    for match in _MAIL.finditer(text):
        if not _NOBODY.match(match[1]):
            yield match[1]


def named_in_paths(name: str) -> re.Pattern[str]:
    """Return a pattern of the places in which a name is that of an account: group 1 is what stands before it.

    A generic name counts in paths of home folders, and in names of folders that are made of such a path.
    """
    written = re.escape(name)
    homes = r"/home/|/Users/|[A-Za-z]:\\+Users\\+|[A-Za-z]:/Users/|-home-|-Users-"
    word = "" if _GENERIC.fullmatch(name) or len(name) < 3 else r"|(?<![A-Za-z0-9])"
    return re.compile(rf"({homes}{word}){written}(?![A-Za-z0-9])")
