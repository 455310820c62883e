"""Who may read the pages: a reader with the token, on this machine, by an address of this server."""

from collections.abc import Mapping
from dataclasses import dataclass
from hmac import compare_digest

TOKEN = "token"  # noqa: S105 - the name of a parameter
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


@dataclass(frozen=True, slots=True)
class Guard:
    """What a request needs: the token, in a cookie or once in the address, and the name of this server."""

    token: str
    port: int

    @property
    def cookie(self) -> str:
        """The name of the cookie; cookies are the same for all ports of a host, so each port has its own."""
        return f"evals_{self.port}"

    @property
    def hosts(self) -> frozenset[str]:
        """The names under which the server may be asked; another name may be a stranger's that leads here."""
        return frozenset({f"127.0.0.1:{self.port}", f"localhost:{self.port}"})

    def address(self) -> str:
        """Return the address that lets a browser in."""
        return f"http://127.0.0.1:{self.port}/?{TOKEN}={self.token}"

    def refusal(self, method: str, host: str) -> tuple[int, str] | None:
        """Return the status and the reason for which a request is refused whatever its token; None if it is not."""
        if host not in self.hosts:
            return 421, "This server has another name."
        if method not in {"GET", "HEAD"}:
            return 405, "Pages are only read."
        return None

    def admits(self, offered: str | None) -> bool:
        """Return whether a token is the right one; in the same time for every wrong one."""
        return offered is not None and compare_digest(offered.encode("utf-8", "replace"), self.token.encode())
