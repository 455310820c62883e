"""A server on this machine that answers every question with one token, and notes which keys it was sent."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer

CHUNK = {"model": "real-1", "choices": [{"delta": {"content": "ok"}, "finish_reason": "length"}]}
ANSWER = b"data: " + json.dumps(CHUNK).encode() + b"\n\ndata: [DONE]\n\n"


@dataclass(frozen=True)
class Listener:
    """`heard` are the keys of all questions, in order; a connection without a request is the empty key.

    `tried` are the keys of requests for pages: an endpoint is tried, and asked what it is, before a run.
    """

    url: str
    heard: list[str] = field(default_factory=list)
    tried: list[str] = field(default_factory=list)


class _Chat(BaseHTTPRequestHandler):
    heard: list[str]
    tried: list[str]

    def handle(self) -> None:
        self.heard.append("")
        super().handle()

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.heard[-1] = self.headers["Authorization"].removeprefix("Bearer ")
        self.send_response(200)
        self.end_headers()
        self.wfile.write(ANSWER)

    def do_GET(self) -> None:
        self.heard.pop()
        self.tried.append(self.headers["Authorization"].removeprefix("Bearer "))
        if not self.path.endswith("/models"):
            self.send_error(404)
            return
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'{"object": "list", "data": []}')

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def listening() -> Iterator[Listener]:
    """A listener for as long as the context lasts."""
    heard: list[str] = []
    tried: list[str] = []
    server = HTTPServer(("127.0.0.1", 0), type("Chat", (_Chat,), {"heard": heard, "tried": tried}))
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield Listener(f"http://127.0.0.1:{server.server_port}/v1", heard, tried)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
