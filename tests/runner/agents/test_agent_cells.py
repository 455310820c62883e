"""The cell of an agent: what it sees, what it can change, and that each of its limits ends it with an outcome."""

import asyncio
import os
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from runner.agents.limits import ENDINGS, AgentLimits
from runner.agents.opening import AgentBuilder, acp_program
from runner.agents.room import program_of
from runner.errors import InputError
from runner.execution.shown_parts import without
from runner.records import Outcome
from suts.agent_parts import WorkingFolder
from suts.settings import Settings
from suts.sut import SutError
from tests.runner.agents.rooms import BREAKERS, FILES, KEY, agent, attempted, printed, python, ran, shell, tree_of
from tests.runner.cells import running


def test_the_answer_is_what_differs_in_the_folder() -> None:
    done = shell("cat >/dev/null; echo 'y = 2' >> src/a.py; mkdir -p new; echo z > new/b.txt")

    tree = tree_of(done)
    assert tree.changed == {"src/a.py": "x = 1\ny = 2\n", "new/b.txt": "z\n"}
    assert done.finish_reason == "end"


@pytest.mark.slow
def test_a_program_that_is_a_link_in_a_hidden_folder_starts_with_its_interpreter(tmp_path: Path) -> None:
    # As npm and version managers put programs into homes.
    package = tmp_path / "lib" / "node_modules" / "package"
    package.mkdir(parents=True)
    (package / "cli.js").write_text("#!/usr/bin/env own-shell\ncat > /dev/null; echo 'y = 2' >> src/a.py\n")
    (tmp_path / "bin").mkdir()
    shutil.copy("/bin/bash", tmp_path / "bin" / "own-shell")
    (tmp_path / "bin" / "program").symlink_to(package / "cli.js")
    (package / "cli.js").chmod(0o755)

    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("PATH", str(tmp_path / "bin"), prepend=":")
        done = ran("program")

    assert tree_of(done).changed == {"src/a.py": "x = 1\ny = 2\n"}, printed(done)


def test_of_an_environment_that_holds_the_shipped_cases_all_else_is_seen(tmp_path: Path) -> None:
    site = tmp_path / "lib" / "site-packages"
    cases = site / "runner" / "_cases"
    cases.mkdir(parents=True)
    for path in (tmp_path / "python", site / "sdk.py", site / "runner" / "console.py", cases / "answers.json"):
        path.write_text("")

    seen = [str(path.relative_to(tmp_path)) for path in without(tmp_path, cases)]

    assert seen == ["lib/site-packages/runner/console.py", "lib/site-packages/sdk.py", "python"]
    assert list(without(site / "sdk.py", cases)) == [site / "sdk.py"]


def test_words_that_are_no_paths_stay_as_they_are() -> None:
    words = ("-c", "print()  #" + "x" * 10_000, "a\0b")

    program = program_of((sys.executable, *words))

    assert program.words[1:] == words


@pytest.mark.slow
def test_an_agent_sees_neither_the_user_s_files_nor_a_key(tmp_path: Path) -> None:
    secret = tmp_path / "evals.db"
    secret.write_text("the truth of all cases")
    places = f"{secret} {Path(__file__)} {Path.home()} {Path.cwd()} /etc/shadow"

    done = shell(f"env; for place in {places}; do ls -a $place; cat $place; done; cat /proc/*/environ", AgentLimits())

    seen = printed(done)
    assert "the truth of all cases" not in seen
    assert "neither the user" not in seen
    assert KEY not in seen
    assert "pyproject.toml" not in seen
    assert "root:x:" not in seen.replace("root:*", "root:x:")


@pytest.mark.slow
def test_an_agent_writes_nowhere_but_in_its_room_and_reaches_no_network(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.touch()
    ways = f"echo no > {outside}; echo no > /usr/outside; exec 3<>/dev/tcp/127.0.0.1/22; exec 4<>/dev/tcp/1.1.1.1/53"

    done = shell(f"{ways}; ip -o link | wc -l", AgentLimits())

    assert outside.read_text() == ""
    assert not Path("/usr/outside").exists()
    assert '"d":"1"' in printed(done)
    assert not tree_of(done).paths


@pytest.mark.slow
@pytest.mark.parametrize("limit", BREAKERS)
def test_a_limit_ends_an_agent_with_an_outcome_of_its_own(limit: str) -> None:
    limits, words = BREAKERS[limit]

    done = ran(*words, limits=limits)

    assert done.finish_reason == limit
    assert limit in ENDINGS


def test_every_limit_has_an_outcome_which_does_not_count() -> None:
    outcomes = {ENDINGS[name] for name in AgentLimits().stated}

    assert len(outcomes) == len(AgentLimits().stated)
    assert not any(outcome.valid or outcome.infrastructure for outcome in outcomes)
    assert not Outcome.OTHER_FILE.valid


@pytest.mark.slow
def test_nothing_that_an_agent_starts_outlives_it() -> None:
    script = "import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(600)\nprint(os.getcwd(), flush=True)"

    done = python(script)

    room = Path(printed(done).partition('"d":"')[2].partition('"')[0]).parent
    assert "evals-agent-" in room.name
    assert not room.exists()
    assert running(room) == []


def test_where_no_cell_can_be_made_the_run_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", os.fspath(tmp_path))
    builder = AgentBuilder(Settings(base_url="http://127.0.0.1:9/v1"), AgentLimits())

    with pytest.raises(InputError, match="give --weak-sandbox"):
        builder.agent("agent:/bin/sh")


@pytest.mark.parametrize("first", ["#!/no/such/program\n", "#!/usr/bin/env no-such-program\n"])
def test_an_agent_that_cannot_start_is_no_agent_that_gave_up(first: str, tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text(first)
    program.chmod(0o755)

    with pytest.raises(SutError, match=r"the agent could not start: .*[Nn]o such file"):
        ran(str(program))


@pytest.mark.slow
def test_an_agent_of_the_protocol_that_cannot_start_is_told_apart_likewise() -> None:
    tried = agent("bash")
    program = acp_program(program_of(("bash", "-c", "exec no-such-program")))
    tried._setting = replace(tried._setting, program=program)

    with pytest.raises(SutError, match=r"the agent could not start: .*not found"):
        asyncio.run(attempted(tried))


@pytest.mark.wide
def test_a_copy_of_the_answer_within_the_agent_s_own_environment_is_not_seen(tmp_path: Path) -> None:
    site = tmp_path / "lib" / "python3" / "site-packages"
    site.mkdir(parents=True)
    program = tmp_path / "bin" / "agent"
    program.parent.mkdir()
    (tmp_path / "pyvenv.cfg").touch()
    for name in ("answer.py", "other.py"):
        (site / name).write_text(f"text of {name}\n")
    program.write_text(f"#!/bin/sh\ncat >/dev/null; cat {site}/*.py > src/a.py\n")
    program.chmod(0o755)
    folder = WorkingFolder(FILES, "case", 1, hidden=(site / "answer.py", tmp_path / "missing"))

    done = asyncio.run(attempted(agent(str(program)), folder=folder))

    assert tree_of(done).changed == {"src/a.py": "text of other.py\n"}
