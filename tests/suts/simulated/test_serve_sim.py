"""`evals serve-sim` as a process of its own: one line on stdout, then it serves until it is interrupted."""

import json
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from runner.cli.serve_sim import ServeSimOptions, book_of, serve_sim
from runner.errors import InputError
from runner.suites.diff_edit.cases import load_cases
from suts.simulated.models import plan
from suts.simulated.question import conversation_digest
from suts.simulated.spec import parse_spec

COMMAND = "import sys; from runner.cli import main; sys.argv.insert(1, 'serve-sim'); main()"
CASE = {
    "test_id": "polite",
    "messages": [{"role": "user", "text": "Make greet() polite."}],
    "file_contents": "def greet(n):\n    return 'hi ' + n\n",
    "expected_contents": "def greet(n):\n    return 'good day, ' + n\n",
    "file_path": "app/greet.py",
    "system_prompt_details": {"cwd_value": "/w", "os_value": "Linux", "shell_value": "bash", "home_value": "/h"},
}


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    (tmp_path / "polite.json").write_text(json.dumps(CASE))
    return tmp_path


@contextmanager
def process(*arguments: str) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    with subprocess.Popen([sys.executable, "-c", COMMAND, *arguments], stdout=subprocess.PIPE, text=True) as running:
        try:
            assert running.stdout is not None
            yield running, running.stdout.readline()
        finally:
            running.kill()


def test_the_server_says_where_it_listens_and_answers_its_cases(cases: Path) -> None:
    body = {"model": "any", "messages": [{"role": "user", "content": "Make greet() polite."}]}

    with process("--cases", str(cases), "--ttft-ms", "1", "--gap-ms", "0") as (running, line):
        url = line.removeprefix("listening on ").strip()
        request = urllib.request.Request(f"{url}/v1/chat/completions", json.dumps(body).encode())  # noqa: S310  # loopback
        with urllib.request.urlopen(request) as response:  # noqa: S310  # loopback
            text = json.load(response)["choices"][0]["message"]["content"]
        running.send_signal(signal.SIGINT)
        code = running.wait(600)

    truth = book_of(load_cases(cases).cases).by_case["polite"]
    assert line.startswith("listening on http://127.0.0.1:")
    assert text == plan(parse_spec("any"), truth).text
    assert "good day" in text
    assert code == 0


def test_a_case_without_an_expected_file_has_a_small_edit(tmp_path: Path) -> None:
    case = {name: value for name, value in CASE.items() if name != "expected_contents"}
    (tmp_path / "polite.json").write_text(json.dumps(case))

    book = book_of(load_cases(tmp_path).cases)

    truth = book.find(conversation_digest(["Make greet() polite."]), "", 3)
    edit = ("    return 'hi ' + n\n", "    return 'hi ' + n (edited)\n")
    assert (truth.case_id, truth.seed, truth.path, truth.blocks) == ("polite", 3, "app/greet.py", (edit,))
    assert truth.before == CASE["file_contents"]


@pytest.mark.parametrize(
    "options, words",
    [
        pytest.param({"fault": "404=1"}, "no fault '404'", id="an unknown fault"),
        pytest.param({"parameters": "ttft=1"}, "has no parameter 'ttft'", id="an unknown parameter"),
        pytest.param({"cases": Path("/nowhere")}, "/nowhere", id="a folder that is not there"),
        pytest.param({"host": "203.0.113.1"}, "cannot listen on 203.0.113.1:0", id="an address of others"),
    ],
)
def test_bad_options_are_an_input_error(options: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        serve_sim(ServeSimOptions(**options))

    assert "\n" not in str(caught.value)
