"""How the server of the pages lives: alone until it is interrupted, or beside a run in a process of its own."""

import asyncio
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from runner.view.server import served

_COMMAND = "from runner.cli import main; main()"
_END_S = 5.0


async def serve_until(db: Path, port: int, ready: Callable[[str], None], source: TextIO | None) -> None:
    """Serve until cancelled, or until a source of input ends; `ready` gets the address."""
    async with served(db, port) as address:
        ready(address)
        if source is None:
            await asyncio.Event().wait()
        else:
            await asyncio.to_thread(source.read)


def open_browser(address: str, environment: Mapping[str, str], platform: str) -> bool:
    """Open an address where there is a window for it; a browser of the terminal would take the terminal."""
    if platform.startswith("linux") and not (environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY")):
        return False
    import webbrowser

    return webbrowser.open(address)


@contextmanager
def viewed(db: Path) -> Iterator[Callable[[], None]]:
    """Serve the pages of a database in another process while the block runs, so that drawing them stops no clock.

    Yields what waits until the user interrupts. The process ends with this one, however that ends.
    """
    words = [sys.executable, "-P", "-c", _COMMAND, "view", "--until-input-ends", "--db", str(db.resolve())]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=sys.stderr, start_new_session=True) as server:  # noqa: S603 - our own program
        try:
            yield lambda: _wait(server)
        finally:
            assert server.stdin is not None
            server.stdin.close()
            try:
                server.wait(_END_S)
            except subprocess.TimeoutExpired:
                server.kill()


def _wait(server: "subprocess.Popen[bytes]") -> None:
    with suppress(KeyboardInterrupt):
        server.wait()
