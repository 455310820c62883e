"""Every command in a stranger's folder that holds every trap at once: none springs, and each command ends in time."""

import re
import shlex
import subprocess
from collections.abc import Iterator
from itertools import chain, takewhile

import pytest
from typer.main import get_command

from runner.cli import app
from runner.cli.defaults import commands_of
from tests.runner.cli.listening import Listener, listening
from tests.strangers_commands import COMMANDS, DATABASES_READ, MISTAKEN, READING, RUNS_READ
from tests.strangers_database import ASKED, make_run_of
from tests.strangers_folder import EVALS, KEY, MODULE, ROOT, Done, Stranger, make_stranger

README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGE = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
CODES = {int(code) for code in re.findall(r"^\| (\d+) \|", PAGE.split("| exit code | meaning |")[1], re.MULTILINE)}
# A refusal says what is not used, what is to be asked, and what is wrong.
MOST_LINES = 8
# Of the ways in: settings, cases, plug-ins, databases, repositories, keys; one command each.
NARROW = {"diff", "replay", "view", "cases new", "import", "doctor", "nextedit", "completion build", "trust"}


@pytest.fixture(scope="module")
def listener() -> Iterator[Listener]:
    """The server that everything in the folder leads to."""
    with listening() as server:
        yield server


@pytest.fixture(scope="module")
def stranger(tmp_path_factory: pytest.TempPathFactory, listener: Listener) -> Stranger:
    return make_stranger(tmp_path_factory.mktemp("stranger") / "place", listener.url)


def named_on_the_page() -> set[str]:
    rows = re.findall(r"^\| (`evals [^|]*) \|", PAGE, re.MULTILINE)
    return {name for row in rows for name in re.findall(r"`evals ([a-z -]+)`", row)}


def examples() -> list[str]:
    """The command lines of the blocks of the README and the page; what may ask models only shows its plan."""
    blocks = re.findall(r"^```sh[^\n]*\n(.*?)^```$", README + PAGE, re.MULTILINE | re.DOTALL)
    found = [line for block in blocks for line in re.findall(r"^evals (.*)$", block, re.MULTILINE)]
    lines = [takewhile(lambda word: word not in {">", "&"}, shlex.split(line, comments=True)) for line in found]
    return [f"{line} --dry-run" if line.startswith("diff ") else line for line in map(shlex.join, lines)]


def test_every_command_is_tried() -> None:
    names = {" ".join(filter(None, path)) for path, _ in commands_of(get_command(app))}

    assert set(COMMANDS) == named_on_the_page() == names
    assert [name for name, lines in COMMANDS.items() for line in lines if not line.startswith(name)] == []
    assert len(examples()) >= 20


def narrow_lines() -> list[str]:
    """The first line of a command for each way in."""
    return [COMMANDS[name][0] for name in sorted(NARROW)]


def wide_lines() -> list[str]:
    """All others."""
    every = (*chain(*COMMANDS.values()), *RUNS_READ, *DATABASES_READ, *examples())
    return [line for line in dict.fromkeys(every) if line not in narrow_lines()]


@pytest.mark.parametrize(
    "line", [*narrow_lines(), *(pytest.param(line, marks=pytest.mark.wide) for line in wide_lines())]
)
def test_no_trap_springs(line: str, stranger: Stranger, listener: Listener) -> None:
    before = stranger.outside_files()

    done = stranger.evals(*shlex.split(line))

    assert stranger.names_of_what_ran() == set()
    assert listener.heard == []
    assert stranger.outside_files() == before
    refuse_bad_end(done, traceable=line in MISTAKEN)


def refuse_bad_end(done: Done, *, traceable: bool = False) -> None:
    """Fail for an end that the page does not describe, a bug's traces, and secrets or control sequences."""
    assert done.code in CODES, done.err
    assert traceable or "Traceback" not in done.err
    assert "ld.so" not in done.err
    assert KEY not in done.out + done.err
    assert "\x1b" not in done.err
    if done.code == 2:
        assert done.err.count("\n") <= MOST_LINES, done.err


@pytest.mark.wide
@pytest.mark.parametrize("suite", ASKED)
def test_a_run_of_any_suite_runs_nothing_that_it_names(suite: str, stranger: Stranger, listener: Listener) -> None:
    make_run_of(stranger.folder, suite, MODULE)
    before = stranger.outside_files()

    ends = {line: stranger.evals(*shlex.split(line.format(run=suite)), "--db", "suites.db") for line in READING}

    assert stranger.names_of_what_ran() == set()
    assert (listener.heard, stranger.outside_files()) == ([], before)
    assert ends["report {run}"].code == 0, ends["report {run}"].err
    assert ends["replay --run-id {run}"].code == 2
    for done in ends.values():
        refuse_bad_end(done)


def test_a_server_listens_on_this_machine_only(stranger: Stranger) -> None:
    server = subprocess.Popen(
        [str(EVALS), "serve-sim"], cwd=stranger.folder, env=stranger.environment(), text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        assert server.stdout is not None
        line = server.stdout.readline()
    finally:
        server.terminate()
        _, err = server.communicate(timeout=600)

    assert "http://127.0.0.1:" in line
    assert "host" in err
    assert server.returncode == 143
