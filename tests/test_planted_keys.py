"""Keys planted in the environment and in .env: servers that repeat them, and then a search of everything written."""

import json
import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import zstandard

from runner.storage.store import Store
from tests import in_process
from tests.main_job import CASES, EVALS, serving

OPENAI_KEY = "sk-planted-openai-4f1b9a7c2e5d8036"
ANTHROPIC_KEY = "sk-ant-planted-9c3e7b1f5a2d8046"
# Without the look of a key: only knowing it can take it out.
PLAIN_KEY = "Zx81qWm3Lk92hTpV07bNcE55"
CASE = min(file.stem for file in CASES.glob("*.json"))
KEYS = (OPENAI_KEY, ANTHROPIC_KEY, PLAIN_KEY)


class Parrot(BaseHTTPRequestHandler):
    """Repeats the key of each request: in a refusal, in the middle of an answer, and in an error object of a stream."""

    protocol_version = "HTTP/1.1"
    heard: list[str]

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        key = self.headers.get("x-api-key") or self.headers["Authorization"].removeprefix("Bearer ")
        self.heard.append(key)
        turn = len(self.heard) % 4
        if turn == 1:
            error = {"message": f"Incorrect API key provided: {key}", "type": "server_error"}
            self.answer(500, "application/json", [json.dumps({"error": error})])
        elif turn == 2:
            self.answer(200, "text/event-stream", [*said(key)[:1], event({"error": {"message": f"no room, {key}"}})])
        else:
            self.answer(200, "text/event-stream", [*said(key), "data: [DONE]\n\n"])

    def answer(self, status: int, kind: str, pieces: list[str]) -> None:
        body = "".join(pieces).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("x-echo", self.heard[-1])
        self.send_header("Retry-After", "0.05")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def said(key: str) -> list[str]:
    """An answer whose text and whose edit hold the key."""
    call = f"<replace_in_file>\n<path>{key}</path>\n<diff>\n{key}\n</diff>\n</replace_in_file>"
    texts = (f"Your key is {key}.", *key, call)
    choices = [{"index": 0, "delta": {"content": text}, "finish_reason": None} for text in texts]
    last = {"index": 0, "delta": {}, "finish_reason": "stop"}
    return [event({"model": f"parrot-{key}", "choices": [choice]}) for choice in (*choices, last)]


def event(values: dict[str, object]) -> str:
    return f"data: {json.dumps(values)}\n\n"


@contextmanager
def parrot() -> Iterator[tuple[str, list[str]]]:
    """Its address, and the keys that it hears."""
    heard: list[str] = []
    handler = type("Hearing", (Parrot,), {"heard": heard})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", heard
        finally:
            server.shutdown()
            thread.join()


class Home:
    """A folder to work in, with keys in its .env; `said` is all that commands printed there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.said = ""
        (folder / ".env").write_text(f"ANTHROPIC_API_KEY={ANTHROPIC_KEY}\nVLLM_API_KEY={PLAIN_KEY}\n")

    def evals(self, *words: object, **variables: str) -> int:
        kept = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
        environ = {**kept, "OPENAI_API_KEY": OPENAI_KEY, **variables}
        command = [str(EVALS), *map(str, words)]
        done = subprocess.run(
            command, capture_output=True, text=True, cwd=self.folder, env=environ, timeout=600, check=False
        )
        self.said += done.stdout + done.stderr
        return done.returncode

    def ask(self, model: str, *words: object, **variables: str) -> int:
        """A small run that says and writes all it can."""
        bounds = ("--cases", CASES, "--max-cases", 3, "--max-attempts-per-case", 2, "--parallel")
        told = ("--save-locally", f"local-{model.partition('/')[0]}", "--verbose")
        return self.evals("diff", "--model-ids", model, *bounds, *told, *words, **variables)

    def tell(self) -> None:
        """Every command that writes something about the latest run, in this process."""
        with pytest.MonkeyPatch.context() as patched:
            for name in [name for name in os.environ if name.endswith("_API_KEY")]:
                patched.delenv(name)
            self.tell_all(OPENAI_API_KEY=OPENAI_KEY)

    def tell_all(self, **variables: str) -> None:
        for words in (
            ("report", "--markdown"),
            ("report", "--json"),
            ("export", "--format", "jsonl"),
            ("export", "--format", "csv"),
            ("show", "latest", CASE),
            ("cost", "latest"),
            ("runs",),
            ("doctor",),
            ("diff", "--explain-config"),
        ):
            done = in_process.evals(*words, cwd=self.folder, **variables)
            self.said += done.stdout + done.stderr

    def written(self) -> Iterator[tuple[str, bytes]]:
        """Everything that was printed or written, compressed things also as they read."""
        yield "printed", self.said.encode()
        for file in self.folder.rglob("*"):
            if file.is_file() and file.name != ".env":
                yield str(file), file.read_bytes()
        unzip = zstandard.ZstdDecompressor()
        with closing(Store.open(self.folder / "evals.db", create=False)) as store:
            for row in store.rows("SELECT encoding, content FROM texts"):
                yield "a text", store.decode_text(row["encoding"], row["content"]).encode()
            for row in store.rows("SELECT data FROM streams"):
                yield "a stream", unzip.decompress(row["data"])


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def leaks(home: Home) -> list[tuple[str, str]]:
    return [(where, key) for where, data in home.written() for key in KEYS if key.encode() in data]


@pytest.mark.wide
def test_keys_that_servers_repeat_are_written_nowhere(home: Home) -> None:
    with parrot() as (url, heard):
        openai = home.ask("openai/any", OPENAI_BASE_URL=url)
        vllm = home.ask("vllm/any", VLLM_BASE_URL=url)
        home.tell()

    assert {openai, vllm} <= {0, 1, 3}
    assert set(heard) == {OPENAI_KEY, PLAIN_KEY}
    assert "[redacted]" in "".join(data.decode(errors="replace") for _, data in home.written())
    assert leaks(home) == []


@pytest.mark.slow
def test_keys_that_servers_repeat_to_the_libraries_of_providers_are_written_nowhere(home: Home) -> None:
    with parrot() as (url, heard):
        code = home.ask("openai-sdk/any,litellm/openai/any", "--yes", OPENAI_BASE_URL=url)
        home.tell()

    assert code in {0, 1, 3}
    assert set(heard) == {OPENAI_KEY}
    assert "[redacted]" in "".join(data.decode(errors="replace") for _, data in home.written())
    assert leaks(home) == []


@pytest.mark.wide
def test_keys_are_written_nowhere_when_they_are_refused_or_faults_strike(home: Home) -> None:
    faults = "500=0.2,reset=0.1,malformed=0.1,cut=0.1,error=0.1"

    with serving("--ttft-ms", "5", "--gap-ms", "1", "--fault", faults) as server:
        answered = home.ask("anthropic/any", ANTHROPIC_BASE_URL=server.url)
    with serving("--key-env", "SERVED_KEY", SERVED_KEY="another") as server:
        refused = home.ask("openai/any", OPENAI_BASE_URL=f"{server.url}/v1")
        home.tell()

    assert (answered, refused) == (0, 3)
    assert leaks(home) == []
