"""The simulated server in a thread, playing llama.cpp's or another's, for commands that run in this process."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from suts.simulated.config import ServerConfig
from suts.simulated.server import RunningServer, start


@contextmanager
def played(config: ServerConfig) -> Iterator[RunningServer]:
    """The server, for as long as the context lasts."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        server = asyncio.run_coroutine_threadsafe(start(config), loop).result()
        yield server
        asyncio.run_coroutine_threadsafe(server.aclose(), loop).result()
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
