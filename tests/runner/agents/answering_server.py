"""A server of chat completions that gives known answers one after the other: a model that is no simulated one."""

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer


class _Chat(BaseHTTPRequestHandler):
    answers: Iterator[str]

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        chunk = {"model": "known-1", "choices": [{"delta": {"content": next(self.answers)}, "finish_reason": "stop"}]}
        self._send(200, f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n".encode())

    def do_GET(self) -> None:
        """An endpoint is tried before a run."""
        self._send(200 if self.path.endswith("/models") else 404, b'{"object": "list", "data": []}')

    def _send(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def answering(answers: Sequence[str]) -> Iterator[str]:
    """The address of the server, for as long as the context lasts."""
    server = HTTPServer(("127.0.0.1", 0), type("Chat", (_Chat,), {"answers": iter(answers)}))
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
