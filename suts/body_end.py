"""How the body of a response ends: as its headers declare, or only because the connection was closed."""

from collections.abc import Mapping

from suts.sut import ErrorKind, SutError


def check_end(headers: Mapping[str, str]) -> None:
    """Raise SutError(CUT) for a body that has ended and may be cut: no header declares where, and it was closed.

    `headers` ignores the case of names.
    """
    if "content-length" not in headers and "chunked" not in headers.get("transfer-encoding", "").lower():
        raise SutError(ErrorKind.CUT, "the connection was closed, and no header declared where the answer ends")
