"""Systems of one's own: the lines of the page run as they stand, and what they answer is never a traceback."""

import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, ClassVar

import pytest
from typer.testing import CliRunner, Result

from runner.cli.nextedit import app
from runner.cli.nextedit_variables import NAMES
from runner.errors import InputError
from runner.suites.nextedit.editor import EditorSession, Place
from runner.suites.nextedit.systems.own_form import edits_of, lines_of, question_of
from tests.nextedit import cases_folder, commit_of

PAGE = (Path(__file__).parents[3] / "docs" / "nextedit.md").read_text(encoding="utf-8")
SECTION = PAGE.split("\n## A system of your own\n")[1].split("\n## ")[0]
CASE = cases_folder() / "purse-7bf65b5c1d.json"
BAD = {
    "a-list": ("[1]", "answer to next: it is a list; give an object"),
    "no-edits": ('{"edit": []}', "answer to next: edits is missing; give {"),
    "null": ('{"edits": null}', "answer to next: edits is null; give {"),
    "no-start": ('{"edits": [{"path": "a", "before": [], "after": []}]}', "answer to next: edits[0].start is missing"),
    "negative": (
        '{"edits": [{"path": "a", "start": -1, "before": [], "after": []}]}',
        "answer to next: edits[0].start is -1; give the first line, a whole number from 0",
    ),
    "text-for-lines": (
        '{"edits": [{"path": "a", "start": 0, "before": "x", "after": []}]}',
        "answer to next: edits[0].before is a string; give a list of lines, each with its line end",
    ),
    "report": ('{"edits": [], "report": {"price": 1}}', "the report of its answer is malformed: 'price'"),
}


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


def call(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=True)


def refused(*words: object) -> str:
    error = call(*words).exception
    assert isinstance(error, InputError)
    return str(error)


def answers(
    columns: str = "sut, step, mode, s.outcome, s.error_text, a.provider_cost_usd, a.input_tokens",
) -> list[Any]:
    with closing(sqlite3.connect("evals.db")) as connection:
        joined = "answers a JOIN lanes USING (lane_id) LEFT JOIN scorings s USING (answer_id)"
        return connection.execute(f"SELECT {columns} FROM {joined} ORDER BY answer_id").fetchall()  # noqa: S608 - ours


def figures(result: Result) -> dict[str, Any]:
    return {name: system["figures"] for name, system in json.loads(result.stdout)["systems"].items()}


class Replies(BaseHTTPRequestHandler):
    """Replies to each POST with what the test says."""

    reply: ClassVar[tuple[int, bytes]] = 200, b"{}"

    def do_POST(self) -> None:
        question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        status, body = self.reply if question["ask"] == "next" else (200, b'{"lines": null}')
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_args: object) -> None:
        """Nothing."""


@pytest.fixture
def server() -> Iterator[str]:
    """The address of a server with `Replies`."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Replies) as listening:
        thread = Thread(target=listening.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{listening.server_address[1]}"
        listening.shutdown()
        thread.join()


@pytest.mark.slow
def test_the_lines_of_the_page_run_as_they_stand(tmp_path: Path) -> None:
    lines = "\n".join(re.findall(r"```sh system\n(.*?)```", SECTION, re.DOTALL))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    waiting = f"until (exec 3<>/dev/tcp/127.0.0.1/{port}) 2>/dev/null; do sleep 0.05; done"
    script = lines.replace("8123", port).replace("&\n", f"&\n{waiting}\n")
    env = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}

    process = subprocess.Popen(["bash", "-e", "-c", script], cwd=tmp_path, env=env, start_new_session=True)
    code = process.wait(timeout=100)
    os.killpg(process.pid, signal.SIGTERM)

    assert code == 0
    assert lines.count("evals nextedit") == 3
    rows = answers("sut, step, mode, s.outcome, a.provider_cost_usd")
    systems = {name: [row[1:] for row in rows if row[0] == name] for name in {row[0] for row in rows}}
    assert systems.keys() == {"mine.py", "repeat-last", f"http://127.0.0.1:{port}"}
    assert sorted(systems["mine.py"]) == sorted(systems[f"http://127.0.0.1:{port}"]) != []
    assert {row[-1] for row in systems["mine.py"]} == {None}


def test_the_question_on_the_page_has_the_fields_that_are_sent() -> None:
    question, _ = (json.loads(text) for text in re.findall(r"```json\n(.*?)```", SECTION, re.DOTALL))

    sent = question_of(
        "content", commit_of({"a": ("1\n", "2\n")}), EditorSession("", 1, (), {}), Place("a", 0, ("1\n",))
    )
    assert (list(question), question["format"]) == (list(sent), sent["format"])
    assert [name for name in sent if f"`{name}`" not in SECTION.split("| field |")[1]] == ["format"]
    assert isinstance(sent["place"], dict)
    assert list(sent["place"]) == ["path", "start", "before"]


def test_the_answer_on_the_page_is_one() -> None:
    _, answer = (json.loads(text) for text in re.findall(r"```json\n(.*?)```", SECTION, re.DOTALL))

    (edit,) = edits_of(answer)
    assert (edit.path, edit.before, edit.after, edit.confidence) == (
        "purse.py",
        ("total = 0.0\n",),
        ("total = 0\n",),
        0.8,
    )
    assert lines_of({"lines": ["a\nb", "c\n"]}) == ("a\n", "bc\n")


class TestAnswers:
    """Whatever is answered is an outcome with a line that says what is wrong."""

    @pytest.mark.parametrize("body, problem", BAD.values(), ids=BAD.keys())
    def test_of_a_server_in_another_form_cost_the_question(self, server: str, body: str, problem: str) -> None:
        Replies.reply = 200, body.encode()

        result = call("--sut", server, "--cases", CASE)

        assert result.exit_code == 0
        rows = [row for row in answers() if row[2] == "recommend"]
        assert {row[3] for row in rows} == {"no_answer"}
        assert all(row[4].startswith(f"nonsense: {problem}") and "\n" not in row[4] for row in rows)
        assert {row[5:] for row in rows} == {(None, None)}

    @pytest.mark.parametrize(
        "reply, problem",
        [
            pytest.param((500, b"Oh\nno"), "crashed: it replied with status 500: Oh no", id="status"),
            pytest.param((302, b""), "crashed: it replied with status 302: no text", id="redirect"),
            pytest.param((200, b"<html>"), "nonsense: its answer is no JSON: ", id="page"),
        ],
    )
    def test_of_a_server_that_fails_cost_the_question(
        self, server: str, reply: tuple[int, bytes], problem: str
    ) -> None:
        Replies.reply = reply

        call("--sut", server, "--cases", CASE)

        texts = {row[4] for row in answers() if row[2] == "recommend"}
        assert [text for text in texts if not text.startswith(problem) or "\n" in text] == []

    def test_in_order_have_figures_and_a_report(self, server: str) -> None:
        Replies.reply = 200, b'{"edits": [], "report": {"cost_usd": 0.25, "input_tokens": 7}}'

        result = call("--sut", server, "--cases", CASE, "--json")

        assert figures(result)[server]["nothing more"]["micro"][0] == 1.0
        rows = [row for row in answers() if row[2] == "recommend"]
        assert {(row[3], *row[5:]) for row in rows} == {("nothing_more", 0.25, 7)}

    def test_that_a_file_raises_are_one_line(self, tmp_path: Path) -> None:
        (tmp_path / "mine.py").write_text("def main(question):\n    return {}[question['ask']]\n")

        result = call("--sut", "mine.py", "--cases", CASE)

        assert result.exit_code == 1
        assert {row[4] for row in answers() if row[2] == "recommend"} == {
            "crashed: line 2 of mine.py: KeyError: 'next'"
        }
        assert "Traceback" not in result.output

    def test_of_a_file_and_of_our_own_system_that_say_the_same_have_the_same_figures(self, tmp_path: Path) -> None:
        call("new-system", "mine")
        source = (tmp_path / "mine.py").read_text().replace('if not last["before"]:', 'if not last["before"] or True:')
        (tmp_path / "quiet.py").write_text(source.replace('question["edits"][-1]["after"]}', "None}"))

        both = figures(call("--sut", "quiet.py,silent", "--cases", CASE, "--json"))

        # A file has the whole tree: what it looked at is not known.
        rates = [
            {name: value for name, value in both[sut].items() if "_" not in name and "in view" not in name}
            for sut in ("quiet.py", "silent")
        ]
        assert rates[0] == rates[1]


class TestNames:
    """A name that no system has is one clear line, before anything is asked."""

    def test_a_template_is_written_once(self, tmp_path: Path) -> None:
        written = call("new-system", "mine")

        assert (written.stdout, (tmp_path / "mine.py").read_text()[:8]) == ("mine.py\n", '"""mine,')
        assert refused("new-system", "mine.py") == "NAME: there is a file mine.py already; give another name"

    @pytest.mark.parametrize(
        "words, problem",
        [
            pytest.param(("new-system", "a-b"), "NAME: 'a-b' is no name of a Python file", id="name"),
            pytest.param(("new-system", "nowhere/mine"), "NAME: nowhere/mine.py cannot be written", id="folder"),
            pytest.param(("--sut", "none.py"), "--model-ids none.py: no such file", id="file"),
            pytest.param(("--sut", "http://example.org"), "--model-ids: http://example.org is plain http", id="http"),
            pytest.param(("--sut", "http://u:p@127.0.0.1"), "--model-ids: the base URL holds credentials", id="secret"),
            pytest.param(
                ("--sut", "http://127.0.0.1:9"), "--model-ids http://127.0.0.1:9: cannot be reached", id="dead"
            ),
        ],
    )
    def test_what_cannot_be_asked_is_refused(self, words: tuple[str, ...], problem: str) -> None:
        assert refused(*words).startswith(problem)
        assert not Path("evals.db").exists()
