"""A text without its byte order mark and with LF for every line end, and how to put both back."""

from typing import NamedTuple

_BOM = "\ufeff"


class Normal(NamedTuple):
    """The text with LF; `ending` is the first line end of the file, LF if it has none."""

    text: str
    bom: str
    ending: str

    def restored(self, text: str) -> str:
        """Return a text with the mark and the line ends of the file."""
        return self.bom + (text.replace("\n", self.ending) if self.ending != "\n" else text)


def normal(text: str) -> Normal:
    """Return a text with LF only."""
    bom = _BOM if text.startswith(_BOM) else ""
    body = text.removeprefix(_BOM)
    at = body.find("\n")
    ending = "\r\n" if at > 0 and body[at - 1] == "\r" else "\n"
    return Normal(body.replace("\r\n", "\n").replace("\r", "\n"), bom, ending)
