"""The judge of edits: one verdict for whatever an answer does, and nothing left behind."""

import os
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from runner.execution.isolation import Isolation, strongest
from runner.execution.script_judge import LIMITS, Script, ScriptJudge
from runner.execution.verdicts import VerdictKind

RIGHT = "def double(x):\n    return x + x\n"
TEST = "assert double(2) == 4"
UNITTEST = """
import unittest


class Doubling(unittest.TestCase):
    def test_double(self):
        self.assertEqual(double(2), {})


unittest.main()
"""
NODE = {"javascript": ("node", "{test}")}


@pytest.fixture(scope="module")
def isolation() -> Isolation:
    return strongest()


def script(program: str, test: str = TEST, language: str | None = "python") -> Script:
    return Script(language, program, test, RIGHT)


@pytest.mark.parametrize(
    "program, outcome",
    [
        pytest.param(RIGHT, VerdictKind.PASS, id="right"),
        pytest.param(RIGHT.removesuffix("\n"), VerdictKind.PASS, id="right, without a newline"),
        pytest.param(
            "from __future__ import annotations\n" + RIGHT, VerdictKind.PASS, id="a statement that must be first"
        ),
        pytest.param("def double(x):\n    return x\n", VerdictKind.FAIL, id="wrong"),
        pytest.param("", VerdictKind.FAIL, id="nothing"),
        pytest.param("def double(x:\n", VerdictKind.SYNTAX, id="an open bracket"),
        pytest.param("def double(x):\n\treturn 1\n        return 2\n", VerdictKind.SYNTAX, id="tabs and blanks"),
        pytest.param("x = '\0'\n" + RIGHT, VerdictKind.SYNTAX, id="a null"),
        pytest.param("x = '\ud800'\n" + RIGHT, VerdictKind.PASS, id="half a surrogate pair"),
        pytest.param("\ufeff" + RIGHT, VerdictKind.PASS, id="a byte order mark"),
        pytest.param(RIGHT + "raise SystemExit(0)\n", VerdictKind.FAIL, id="ends before its test"),
        pytest.param(
            "import sys\n" + RIGHT.replace("return", "sys.exit() or"), VerdictKind.FAIL, id="ends while it is tested"
        ),
        pytest.param(
            "import argparse\ndef double(x):\n    argparse.ArgumentParser().parse_args(['-h'])\n",
            VerdictKind.FAIL,
            id="ends by way of a library",
        ),
        pytest.param("import os\nos._exit(0)\n", VerdictKind.FAIL, id="ends the process as if all were well"),
        pytest.param("import os\nos._exit(127)\n", VerdictKind.FAIL, id="ends it as if it had not begun"),
        pytest.param("raise SystemExit(3)\n", VerdictKind.FAIL, id="gives up"),
        pytest.param("import os\nos.abort()\n", VerdictKind.FAIL, id="aborts"),
        pytest.param(
            RIGHT + "import atexit, os\natexit.register(os.abort)\n", VerdictKind.FAIL, id="aborts at its end"
        ),
        pytest.param(RIGHT + "input()\n", VerdictKind.FAIL, id="waits for input"),
        pytest.param("import builtins\nbuiltins.open = None\n" + RIGHT, VerdictKind.PASS, id="takes open away"),
        pytest.param("import os\nos.chdir('/')\n" + RIGHT, VerdictKind.PASS, id="goes elsewhere"),
    ],
)
def test_a_program_has_the_verdict_of_its_test(judge: ScriptJudge, program: str, outcome: VerdictKind) -> None:
    assert judge.judge(script(program)).outcome is outcome


@pytest.mark.parametrize(
    "test, outcome",
    [
        pytest.param("raise SystemExit", VerdictKind.PASS, id="a script that ends"),
        pytest.param("raise SystemExit(1)", VerdictKind.FAIL, id="a script that ends badly"),
        pytest.param(
            UNITTEST.format(4),
            VerdictKind.PASS,
            id="unittest",
        ),
        pytest.param(
            UNITTEST.format(5),
            VerdictKind.FAIL,
            id="unittest, failing",
        ),
        pytest.param("import inspect\nassert 'x + x' in inspect.getsource(double)", VerdictKind.PASS, id="its source"),
        pytest.param(
            "import pickle\nassert pickle.loads(pickle.dumps(double)) is double", VerdictKind.PASS, id="pickled"
        ),
        pytest.param("assert __name__ == '__main__'", VerdictKind.PASS, id="as a program"),
        pytest.param("import pathlib\npathlib.Path('made').write_text('x')", VerdictKind.PASS, id="writes a file"),
    ],
)
def test_a_test_may_be_written_in_many_ways(judge: ScriptJudge, test: str, outcome: VerdictKind) -> None:
    assert judge.judge(script(RIGHT, test)).outcome is outcome


def test_why_a_test_failed_is_told(judge: ScriptJudge) -> None:
    verdict = judge.judge(script(RIGHT, "assert double(2) == 5, 'five is wanted'"))

    assert verdict.failing == "AssertionError: five is wanted"
    assert "line 4" in verdict.log


def test_a_long_reason_is_cut(judge: ScriptJudge) -> None:
    verdict = judge.judge(script(RIGHT, "assert double(2) == 5, 'x' * 10**5"))

    assert verdict.failing is not None
    assert len(verdict.failing) == 500


@pytest.mark.parametrize(
    "program",
    [
        pytest.param("while True: pass", id="a loop"),
        pytest.param("import time\ntime.sleep(60)", id="sleep"),
        pytest.param(
            RIGHT + "import threading, time\nthreading.Thread(target=time.sleep, args=(60,)).start()\n",
            id="a thread that lives on",
        ),
    ],
)
def test_what_does_not_end_is_out_of_time(program: str) -> None:
    hasty = ScriptJudge(os.environ["PATH"], limits=replace(LIMITS, wall_s=0.5))

    assert hasty.judge(script(program)).outcome is VerdictKind.TIMEOUT


def test_the_log_of_a_timeout_says_so_and_what_was_printed_before(isolation: Isolation) -> None:
    hasty = ScriptJudge(os.environ["PATH"], isolation, limits=replace(LIMITS, wall_s=3.0))

    first, *printed = hasty.judge(script("import time\nprint('begun', flush=True)\ntime.sleep(60)\n")).log.splitlines()

    assert first.startswith("timed out after 3")
    assert printed == ["begun"]


def test_many_threads_that_use_up_the_processor_are_out_of_time_too() -> None:
    burn = "import multiprocessing, sys\nwhile True: pass\n"
    slow = ScriptJudge(os.environ["PATH"], limits=replace(LIMITS, wall_s=30, cpu_s=1))

    assert slow.judge(script(burn)).outcome is VerdictKind.TIMEOUT


@pytest.mark.parametrize(
    "program",
    [
        pytest.param("bytearray(10 << 30)\n", id="10 GB"),
        pytest.param("import socket\nsocket.create_connection(('192.0.2.1', 80), 1)\n", id="the network"),
        pytest.param("open('/usr/evals-was-here', 'w')\n", id="a write outside"),
        pytest.param("import os\nos.kill(os.getppid(), 9)\nraise ValueError\n", id="a kill of its parent"),
    ],
)
def test_a_cell_holds_what_an_answer_tries(isolation: Isolation, program: str) -> None:
    if not isolation.whole:
        pytest.skip("this machine permits no cell")
    shut_in = ScriptJudge(os.environ["PATH"], isolation)

    assert shut_in.judge(script(program + RIGHT)).outcome is VerdictKind.FAIL
    assert not Path("/usr/evals-was-here").exists()


@pytest.mark.parametrize(
    "left",
    [
        pytest.param("os.mkfifo(report)", id="a pipe"),
        pytest.param("os.symlink('/dev/zero', report)", id="a link"),
        pytest.param("os.mkdir(report)", id="a folder"),
        pytest.param("open(report, 'w').write('[' * 100000)", id="a deep one"),
        pytest.param("open(report, 'w').write(' ' * (50 << 20) + '{}')", id="a long one"),
        pytest.param("open(report, 'w').write('[1]')", id="another"),
    ],
)
def test_what_is_no_report_is_not_read(isolation: Isolation, left: str) -> None:
    program = f"import os\nreport = '../report.json'\n{left}\nos._exit(0)\n"

    assert ScriptJudge(os.environ["PATH"], isolation).judge(script(program)).outcome is VerdictKind.FAIL


def test_folders_without_end_are_removed(isolation: Isolation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    deep = "import os\nfor _ in range(2100):\n    os.mkdir('d')\n    os.chdir('d')\nos.chmod('.', 0)\n"

    assert ScriptJudge(os.environ["PATH"], isolation).judge(script(deep + RIGHT)).outcome is VerdictKind.PASS

    assert [*tmp_path.iterdir()] == []


def test_an_answer_does_not_see_what_is_hidden(isolation: Isolation, tmp_path: Path) -> None:
    if not isolation.whole:
        pytest.skip("this machine permits no cell")
    secret = tmp_path / "problems.jsonl"
    secret.write_text("return x + x")
    peek = f"text = open({str(secret)!r}).read()\ndef double(x):\n    return 4 if text else 0\n"

    open_judge = ScriptJudge(os.environ["PATH"], isolation)
    shut_judge = ScriptJudge(os.environ["PATH"], isolation, hidden=(secret, tmp_path / "absent"))

    assert open_judge.judge(script(peek)).outcome is VerdictKind.PASS
    assert shut_judge.judge(script(peek)).outcome is VerdictKind.FAIL


def test_an_answer_in_a_cell_passes(isolation: Isolation) -> None:
    assert ScriptJudge(os.environ["PATH"], isolation).judge(script(RIGHT)).outcome is VerdictKind.PASS


def test_the_same_answer_is_run_once(judge: ScriptJudge) -> None:
    verdict = judge.judge(script(RIGHT, "import time\nassert double(time.time_ns() % 7 + 1)"))

    assert judge.judge(script(RIGHT, "import time\nassert double(time.time_ns() % 7 + 1)")) is verdict


def test_what_cannot_be_run_says_nothing_of_the_answer() -> None:
    judge = ScriptJudge(os.environ["PATH"], commands={"javascript": ("no-such-program", "{test}")})

    verdict = judge.judge(Script("javascript", "1", "1", "2"))

    assert verdict.outcome is VerdictKind.INFRA
    assert "no-such-program" in verdict.log


def test_without_a_command_another_language_cannot_be_judged(judge: ScriptJudge) -> None:
    assert judge.can_judge("python")
    assert not judge.can_judge("javascript")
    assert not judge.can_judge(None)


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node")
@pytest.mark.parametrize(
    "program, outcome",
    [
        pytest.param("const double = (x) => x + x", VerdictKind.PASS, id="right"),
        pytest.param("const double = (x) => x", VerdictKind.FAIL, id="wrong"),
        pytest.param("const double = (x => ", VerdictKind.SYNTAX, id="broken"),
    ],
)
def test_another_language_is_judged_by_its_command(isolation: Isolation, program: str, outcome: VerdictKind) -> None:
    judge = ScriptJudge(os.environ["PATH"], isolation, NODE)
    test = "if (double(2) !== 4) throw new Error('not 4')"

    assert judge.judge(script(program, test, "javascript")).outcome is outcome


def test_a_command_may_take_the_place_of_ours() -> None:
    judge = ScriptJudge(os.environ["PATH"], commands={"python": ("sh", "-c", "exit 0", "{test}")})

    assert judge.judge(script("nonsense (")).outcome is VerdictKind.PASS
