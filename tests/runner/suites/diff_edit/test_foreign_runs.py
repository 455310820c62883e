"""Runs with foreign edit tools: what the record knows of a tool, and when a run with it is refused."""

import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from subprocess import DEVNULL, Popen

import pytest

from runner.errors import InputError
from runner.execution.isolation import Isolation
from runner.run.variants import variants_on_record
from runner.storage.store import Store
from runner.suites.diff_edit.options import DiffOptions
from runner.suites.diff_edit.plan import plan
from runner.trust_policy import option_needs_trust
from tests.in_process import evals
from tests.runner.cells import running
from tests.runner.edit_tools.foreign import PROGRAMS
from tests.runner.suites.made_cases import case_json

BEFORE = "".join(f"value_{at} = compute({at})\n" for at in range(12))
AFTER = BEFORE.replace("compute(5)", "compute(55)")
TOOL = f"exec:{sys.executable} -SE mine.py"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with two cases and with the tool that `evals tool new` writes."""
    (tmp_path / "cases").mkdir()
    for at in range(2):
        (tmp_path / "cases" / f"{at}.json").write_text(case_json(f"case{at}", BEFORE, expected_contents=AFTER))
    assert evals("tool", "new", "mine.py", cwd=tmp_path).returncode == 0
    return tmp_path


def diff(folder: Path, *words: object) -> tuple[object, str, str]:
    ended = evals("diff", "sim/careful", "--edit-tool", TOOL, "--cases", "cases", "-n", 1, *words, cwd=folder)
    return ended.returncode, ended.stdout, ended.stderr


@pytest.mark.slow
def test_a_run_resumes_and_replays_with_the_tool_and_with_no_other(folder: Path, isolation: Isolation) -> None:
    assert isolation.whole
    tool = folder / "mine.py"
    code, shown, _ = diff(folder, "--run-id", "r", "--json")
    variant = json.loads(shown)

    assert code == 0
    assert TOOL in json.dumps(variant)
    assert diff(folder, "--run-id", "r")[0] == 0
    unnamed = evals("replay", "--run-id", "r", cwd=folder)
    assert unnamed.returncode == 2
    assert "name it yourself: evals replay --edit-tool" in unnamed.stderr
    named = evals("replay", "--run-id", "r", "--edit-tool", TOOL, "--json", cwd=folder)
    assert (named.returncode, json.loads(named.stdout)["answers"]) == (0, 2)
    other = evals("replay", "--run-id", "r", "--edit-tool", f"{TOOL} --more", cwd=folder)
    assert other.returncode == 2

    tool.write_text(tool.read_text().replace('return {"text": apply(', 'return {"text": apply("" and '))
    code, _, said = diff(folder, "--run-id", "r")
    assert code == 2
    assert "edit_tools" in said
    changed = evals("replay", "--run-id", "r", "--edit-tool", TOOL, "--json", cwd=folder)
    assert json.loads(changed.stdout)["summary"]["variants"][0]["outcomes"] == {"no_match": 2}
    with closing(Store.open(folder / "evals.db", create=False)) as store:
        runs = ("r", json.loads(changed.stdout)["run_id"])
        first, second = (variants_on_record(store, run)[0] for run in runs)
    assert first.algorithm_digest != second.algorithm_digest
    assert (first.edit_tool, first.prompt_digest) == (second.edit_tool, second.prompt_digest)


@pytest.mark.slow
def test_a_bundle_states_what_only_the_tool_can_compute_until_it_is_named(folder: Path, isolation: Isolation) -> None:
    assert isolation.whole
    tools = f"replace-in-file,{TOOL}"
    ended = evals("diff", "sim/any?time=virtual", "--edit-tool", tools, "--cases", "cases", "--run-id", "r", cwd=folder)
    assert ended.returncode == 0
    assert evals("bundle", "r", "--out", "r.zip", cwd=folder).returncode == 0

    unnamed, named, changed = (evals("verify", "r.zip", "--json", *words, cwd=folder) for words in words_of(folder))
    replayed = evals("replay", "--run-id", "r", "--from-stream", "--edit-tool", TOOL, "--json", cwd=folder)
    unknown = evals("verify", "r.zip", "--edit-tool", "exec:other", cwd=folder)

    assert [ended.returncode for ended in (unnamed, named, changed, unknown)] == [0, 0, 1, 2]
    parts = [json.loads(ended.stdout) for ended in (unnamed, named, changed)]
    assert [part["same"]["answers"] for part in parts] == [4, 4, 4]
    assert [part["same"]["scorings"] for part in parts] == [2, 4, 2]
    assert [line.partition(" of ")[0] for line in parts[0]["not_computed"]] == ["clocks", "scorings"]
    assert all(TOOL in line and "2 answers" in line for line in parts[0]["not_computed"])
    assert (parts[1]["not_computed"], parts[2]["differing"]["scorings"] > 0) == ([], True)
    assert json.loads(replayed.stdout)["reread"]["differing"] == {}
    assert "no run has answers for 'exec:other'" in unknown.stderr


def words_of(folder: Path) -> Iterator[tuple[str, ...]]:
    """The words of three verifications; before the third the tool becomes one that refuses everything."""
    yield ()
    yield ("--edit-tool", TOOL)
    tool = folder / "mine.py"
    own = tool.read_text()
    tool.write_text(own.replace('return {"text": apply(', 'return {"text": apply("" and '))
    yield ("--edit-tool", TOOL)
    tool.write_text(own)


@pytest.mark.slow
def test_a_tool_that_dies_costs_its_own_attempts_and_not_those_of_another(folder: Path, isolation: Isolation) -> None:
    assert isolation.whole
    source = (PROGRAMS / "unruly.py").read_text()
    (folder / "dies.py").write_text(source.replace('"what": "good"', '"what": "die"'))
    dies = f"exec:{sys.executable} -SE dies.py"

    ran = evals(
        "diff", "sim/careful", "--edit-tool", f"{dies},{TOOL}", "--cases", "cases", "-n", 1, "--json", cwd=folder
    )

    outcomes = {row["prompt"]: row["outcomes"] for row in json.loads(ran.stdout)["variants"]}
    assert outcomes == {dies: {"crashed": 2}, TOOL: {"applied": 2}}
    assert "Traceback" not in ran.stderr


@pytest.mark.parametrize(
    "tool, why",
    [
        pytest.param("exec:", "exec: names no program", id="nothing"),
        pytest.param("exec:no-such-program", "no-such-program is no program", id="missing"),
        pytest.param("exec:python 'x", "close the quotes", id="quotes"),
        pytest.param(f"exec:{sys.executable} -c pass", "is no edit tool: it ended with exit status 0", id="silent"),
        pytest.param(f"exec:{sys.executable} -SE line_range.py", "declare `writes`", id="simulated models need calls"),
    ],
)
def test_a_command_that_is_no_tool_is_refused_before_anything_is_asked(
    folder: Path, tool: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "line_range.py").write_bytes((PROGRAMS / "line_range.py").read_bytes())
    monkeypatch.chdir(folder)

    with pytest.raises(InputError, match=why):
        plan(DiffOptions(cases=Path("cases"), model_ids="sim/careful", edit_tool=tool), lambda _line: None)


def test_without_a_cell_a_run_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.chdir(folder)
    options = DiffOptions(cases=Path("cases"), model_ids="sim/careful", edit_tool=TOOL)

    with pytest.raises(InputError, match="or give --weak-sandbox"):
        plan(options, lambda _line: None)


def test_a_project_may_name_a_program_only_once_it_is_trusted(tmp_path: Path) -> None:
    values = ("hashline", "hashline,exec:./x", " exec:./x")

    assert [option_needs_trust(["edit-tool"], value, tmp_path, is_path=False) for value in values] == [
        False,
        True,
        True,
    ]


@pytest.mark.slow
def test_no_process_of_a_tool_outlives_a_run_that_is_killed(folder: Path, isolation: Isolation) -> None:
    assert isolation.whole
    source = (PROGRAMS / "unruly.py").read_text()
    (folder / "hangs.py").write_text(source.replace('"what": "good"', '"what": "hang"'))
    tool = f"exec:{sys.executable} -SE {folder / 'hangs.py'}"
    command = [
        str(Path(sys.executable).parent / "evals"),
        "diff",
        "sim/careful",
        "--edit-tool",
        tool,
        "--cases",
        "cases",
    ]

    with Popen(command, cwd=folder, stdout=DEVNULL, stderr=DEVNULL, env={**os.environ, "TMPDIR": str(folder)}) as run:
        while not any(line.startswith(f"{sys.executable}\0-SE\0") for line in running(folder / "hangs.py")):
            assert run.poll() is None
            time.sleep(0.01)
        run.send_signal(signal.SIGKILL)
    until = time.monotonic() + 30
    while running(folder / "hangs.py") and time.monotonic() < until:
        time.sleep(0.01)

    assert running(folder / "hangs.py") == []
