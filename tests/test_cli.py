"""The command line as a person meets it: help, one line for bad input, exit codes, interrupts."""

import json
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.core import TyperCommand, TyperGroup, TyperOption
from typer.main import get_command

from runner.cli import app, main
from runner.storage.store import Store

ROOT = Path(__file__).parents[1]
CASES = ROOT / "cases" / "diff_edit"
EVALS = Path(sys.executable).parent / "evals"
HEAVY = {
    *("openai", "anthropic", "litellm", "aiohttp", "tree_sitter", "numpy", "scipy", "rich", "sqlite_utils", "orjson"),
    "msgspec",
}
HELP_CPU_S = 0.4


@dataclass(frozen=True)
class Done:
    code: object
    out: str
    err: str


Call = Callable[..., Done]


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """Calls the console script's function with words; no variable of this process reaches it."""
    for name in [name for name in os.environ if name.endswith(("_API_KEY", "_BASE_URL"))]:
        monkeypatch.delenv(name)
    monkeypatch.delenv("EVALS_DB", raising=False)

    def run(*words: object) -> Done:
        monkeypatch.setattr(sys, "argv", ["evals", *map(str, words)])
        with pytest.raises(SystemExit) as stopped:
            main()
        told = capsys.readouterr()
        return Done(stopped.value.code or 0, told.out, told.err)

    return run


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with one small run, `first`, of two attempts."""
    db = tmp_path_factory.mktemp("ran") / "run.db"
    words = ["diff", "--model-ids", "sim/careful?time=virtual&valid=1", "--max-cases", "2", "--run-id", "first"]
    subprocess.run([str(EVALS), *words, "--db", str(db)], cwd=ROOT, check=True, capture_output=True, timeout=600)
    return db


@pytest.fixture
def desk(tmp_path: Path, ran: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder of a person who has good and bad things at hand."""
    case = (CASES / "py_lru_cache_peek.json").read_text(encoding="utf-8")
    without_path = json.loads(case)
    del without_path["file_path"]
    folders = {"good": case, "bad_json": case[:-20], "no_path": json.dumps(without_path), "list": "[]"}
    for name, text in folders.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "case.json").write_text(text, encoding="utf-8")
    (tmp_path / "empty").mkdir()
    (tmp_path / "notes.txt").write_text("no database")
    (tmp_path / "bad.md").write_text("{{nothing}}")
    shutil.copy(ran, tmp_path / "run.db")
    Store.open(tmp_path / "newer.db").close()
    with closing(sqlite3.connect(tmp_path / "newer.db")) as newer, newer:
        newer.execute("UPDATE _sqlite_migrations SET name = 'm999_later' WHERE name = 'm001_tables'")
    shutil.copy(ran, tmp_path / "silent.db")
    with closing(sqlite3.connect(tmp_path / "silent.db")) as silent, silent:
        silent.executescript("DELETE FROM scorings; DELETE FROM streams; DELETE FROM answers")
    with closing(sqlite3.connect(tmp_path / "stranger.db")) as stranger, stranger:
        stranger.execute("CREATE TABLE things (id INTEGER)")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


DIFF = "diff --cases good --model-ids"
BAD_DIFF = {
    "no models": ("diff --cases good", "--model-ids: is missing"),
    "only commas": (f"{DIFF} ,", "--model-ids: names nothing"),
    "a model without a provider": (f"{DIFF} gpt-x", "names no provider; write provider/model"),
    "an unknown simulated model": (f"{DIFF} sim/clever", "choose one of any, careful"),
    "an unknown rate": (f"{DIFF} sim/any?luck=1", "has no parameter 'luck'"),
    "a rate beyond one": (f"{DIFF} sim/any?valid=2", "not within 0..1"),
    "a setting that is none": (f"{DIFF} sim/any@mood=good", "'mood' is none of"),
    "a provider without a model": (f"{DIFF} openai/", "names no model"),
    "a missing key": (f"{DIFF} openai/gpt-x", "OPENAI_API_KEY"),
    "a base URL that is none": (f"{DIFF} vllm/x --base-url here", "'here' is no base URL"),
    "a thinking budget that is not taken": (
        f"{DIFF} vllm/x --thinking-budget 9",
        "vllm/x: this provider takes no thinking",
    ),
    "a model's own such budget": (f"{DIFF} vllm/x@thinking=9", "vllm/x@thinking=9: this provider takes no thinking"),
    "an unknown provider": (f"{DIFF} x --provider nobody", "no provider 'nobody'"),
    "a factory that is not there": (f"{DIFF} os:Nothing/x", "cannot load os:Nothing"),
    "a factory that is none": (f"{DIFF} os:sep", "os:sep is no factory"),
    "an unknown prompt": (f"{DIFF} sim/any --prompts poetic", "no prompt is called 'poetic'"),
    "a prompt file that is missing": (f"{DIFF} sim/any --prompts no.md", "no.md: cannot be read"),
    "a prompt with an unknown field": (f"{DIFF} sim/any --prompts bad.md", "unknown field 'nothing'"),
    "an unknown parser": (f"{DIFF} sim/any --parser xml-tools-v9", "did you mean xml-tools-v"),
    "a parser that is none": (f"{DIFF} sim/any --parser os:getcwd", "is not a parser"),
    "an unknown algorithm": (f"{DIFF} sim/any --diff-apply v1,v9", "--diff-apply: 'v9' is not known"),
    "an algorithm that is none": (f"{DIFF} sim/any --diff-apply os:sep", "is not an algorithm"),
    "a missing case folder": ("diff --model-ids sim/any --cases nowhere", "nowhere: folder: cannot be read"),
    "an empty case folder": ("diff --model-ids sim/any --cases empty", "empty: folder: has no cases"),
    "bad JSON": ("diff --model-ids sim/any --cases bad_json", "case.json: line"),
    "a list for a case": (
        "diff --model-ids sim/any --cases list",
        "has no cases: case.json has no field of a case",
    ),
    "a missing field": ("diff --model-ids sim/any --cases no_path", "case.json: file_path: is missing"),
    "no case left": (f"{DIFF} sim/any --max-context 1", "no case is left"),
    "a quota of zero": (f"{DIFF} sim/any -n 0", "--valid-attempts-per-case: is 0"),
    "a negative quota": (f"{DIFF} sim/any -n -3", "--valid-attempts-per-case: is -3"),
    "a cap below the quota": (f"{DIFF} sim/any -n 3 --max-attempts-per-case 2", "less than the quota of 3"),
    "a cap of zero": (f"{DIFF} sim/any --max-attempts-per-case 0", "--max-attempts-per-case: is 0"),
    "no slots": (f"{DIFF} sim/any --max-concurrency 0", "--max-concurrency: is 0"),
    "a word for a number": (f"{DIFF} sim/any -n many", "'--valid-attempts-per-case' / '--samples' / '-n': "),
    "a word for a temperature": (f"{DIFF} sim/any --temperature hot", "'--temperature': "),
    "a temperature below zero": (f"{DIFF} sim/any --temperature=-1", "'--temperature': "),
    "an endless temperature": (f"{DIFF} sim/any --temperature inf", "--temperature: is inf"),
    "a seed that no request can hold": (f"{DIFF} sim/any --seed 99999999999999999999", "--seed: is 9999"),
    "an unknown rule of validity": (f"{DIFF} sim/any --validity lax", "--validity: 'lax' is not known"),
    "an unknown option": (f"{DIFF} sim/any --modle x", "No such option: --modle"),
    "a superfluous argument": (f"{DIFF} sim/any more", "--model-ids: models are also given as arguments (more)"),
    "a database in no folder": (f"{DIFF} sim/any --db no/x.db", "no/x.db: cannot be made there"),
    "a database where none can be made": (f"{DIFF} sim/any --db /proc/self/x.db", "cannot be made there"),
    "a folder for a database": (f"{DIFF} sim/any --db good", "good: cannot be opened as a database"),
    "a text for a database": (f"{DIFF} sim/any --db notes.txt", "cannot be opened as a database"),
    "a newer database": (f"{DIFF} sim/any --db newer.db", "written by a newer version of evals (m999_later)"),
    "a stranger's database": (f"{DIFF} sim/any --db stranger.db", "not one of evals"),
    "a file for a folder": (f"{DIFF} sim/any --save-locally notes.txt", "--save-locally notes.txt: cannot be written"),
    "a run to resume where there is none": (f"{DIFF} sim/any --resume latest", "no such database"),
    "an unknown run to resume": (f"{DIFF} sim/any --resume nope --db run.db", "run 'nope': there is none"),
    "another run's id": (f"{DIFF} sim/any --run-id first --db run.db", "--run-id first: is another run (suts was"),
    "a budget below zero": (f"{DIFF} sim/any --budget=-1", "'--budget': "),
    "a price table that is missing": (f"{DIFF} sim/any --prices no.json", "no.json: cannot be read"),
    "a price table that is none": (f"{DIFF} sim/any --prices notes.txt", "notes.txt: not a price table"),
    "two runs to resume": (f"{DIFF} sim/any --run-id a --resume b", "--resume: cannot be combined with --run-id"),
}
BAD_OTHERS = {
    "an unknown command": ("dif", "No such command 'dif'"),
    "no run to replay": ("replay", "Missing option '--run-id'"),
    "an unknown run to replay": ("replay --run-id nope --db run.db", "run 'nope': there is none"),
    "an unknown algorithm to replay": ("replay --run-id first --diff-apply v9 --db run.db", "'v9' is not known"),
    "an unknown parser to replay": ("replay --run-id first --parser x --db run.db", "--parser: 'x' is not known"),
    "no answers to replay": ("replay --run-id first --db silent.db", "has no answers to replay"),
    "no database to replay": ("replay --run-id latest", "evals.db: no such database"),
    "an unknown run to report": ("report nope --db run.db", "run 'nope': there is none"),
    "no database to report": ("report --db no.db", "no.db: no such database"),
    "a newer database to report": ("report --db newer.db", "written by a newer version"),
    "a database without runs": ("report --db fresh.db", "holds no run yet"),
    "an unknown number of edits": ("report --edits 9 --db run.db", "'9' is not one of '1', '2', '3+'"),
    "no database to list": ("runs --db no.db", "no.db: no such database"),
    "an unknown run to show": ("show nope case --db run.db", "run 'nope': there is none"),
    "an unknown case to show": ("show first nope --db run.db", "run first has no attempt of 'nope'; it has c_"),
    "an unknown number to show": ("show first c_hash_map_leaks 7 --db run.db", "has no attempt 7 at case"),
    "a word for a number to show": ("show first c_hash_map_leaks x --db run.db", "Invalid value for 'number'"),
    "nothing to show": ("show", "evals.db: no such database; make one with `evals diff`"),
    "an unknown format": ("export first --format xml --db run.db", "'xml' is not one of 'jsonl', 'csv'"),
    "an unknown run to export": ("export nope --db run.db", "run 'nope': there is none"),
    "an empty run id": ("export '' --db run.db", "run '': there is none"),
    "an unknown run to score again": ("rescore nope --db run.db", "run 'nope': there is none"),
    "an unknown metric to score again": ("rescore first --metric es --db run.db", "'es'"),
    "too few files to score": ("score notes.txt", "three files are needed"),
    "a file to score that is missing": ("score notes.txt no.txt notes.txt", "no.txt"),
    "an unknown metric": ("score notes.txt notes.txt notes.txt -m es", "no metric is called 'es'"),
    "a batch that is missing": ("score --batch no.jsonl", "no.jsonl"),
    "no folder to check": ("cases check", "Missing argument 'DIR'"),
    "an unknown fault": ("serve-sim --fault flood=1", "flood"),
    "cases to serve that are not there": ("serve-sim --cases nowhere", "nowhere: folder: cannot be read"),
    "a port that is none": ("serve-sim --port 70000", "'--port': "),
    "an address that is not here": ("serve-sim --host 192.0.2.1", "cannot listen on 192.0.2.1"),
}


@pytest.mark.parametrize("line,why", [pytest.param(*one, id=name) for name, one in {**BAD_DIFF, **BAD_OTHERS}.items()])
def test_bad_input_is_one_line_and_exit_code_2_and_leaves_nothing_behind(
    line: str, why: str, desk: Path, call: Call
) -> None:
    Store.open(desk / "fresh.db").close()
    before = contents(desk)

    done = call(*("" if word == "''" else word for word in line.split()))

    assert done.code == 2
    assert done.out == ""
    assert done.err.startswith("evals: ")
    assert done.err.count("\n") == 1
    assert why in done.err
    assert contents(desk) == before


def test_a_database_without_the_right_to_write_is_refused_in_one_line(desk: Path) -> None:
    (desk / "run.db").chmod(0o444)
    words = [str(EVALS), "replay", "--run-id", "first", "--db", "run.db"]
    if os.geteuid() == 0:
        # Root may write everywhere, unless that power is given up.
        if shutil.which("setpriv") is None:
            pytest.skip("setpriv is missing, with which root gives up its power to write everywhere")
        powers = "-dac_override,-dac_read_search"
        words = ["setpriv", f"--bounding-set={powers}", f"--inh-caps={powers}", *words]

    done = subprocess.run(words, capture_output=True, text=True, timeout=600, check=False)

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("evals: run.db: cannot be written")
    assert done.stderr.count("\n") == 1


def test_all_that_is_wrong_with_a_folder_of_cases_is_told(desk: Path, call: Call) -> None:
    (desk / "bad_json" / "other.json").write_text('{"file_path": 1}')

    done = call("cases", "check", "bad_json")

    assert done.code == 2
    assert "bad_json/case.json: line" in done.out
    assert "bad_json/other.json: " in done.out
    assert "Traceback" not in done.out


def test_a_line_break_in_bad_input_does_not_break_the_line(desk: Path, call: Call) -> None:
    done = call("report", "--db", "no\nsuch.db")

    assert desk.is_dir()
    assert done.err.count("\n") == 1


@pytest.mark.parametrize("words", [("diff", "--model-ids", "sim/any", "--cases"), ("cases", "check")])
def test_the_name_of_a_bad_case_cannot_steer_the_terminal(words: tuple[str, ...], desk: Path, call: Call) -> None:
    folder = desk / "theirs"
    folder.mkdir()
    (folder / "\x1b[31mred.json").write_text("{")

    done = call(*words, folder)

    assert done.code == 2
    assert "\\x1b[31mred.json: " in done.err + done.out
    assert "\x1b" not in done.err + done.out


def commands(group: object = None, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command and group with the words that call it."""
    group = get_command(app) if group is None else group
    assert isinstance(group, TyperGroup)
    for name, command in group.commands.items():
        yield (*path, name), command
        if isinstance(command, TyperGroup):
            yield from commands(command, (*path, name))


@pytest.mark.parametrize("path", [pytest.param(path, id=" ".join(path)) for path, _ in commands()])
def test_every_command_has_help(path: tuple[str, ...], call: Call) -> None:
    done = call(*path, "--help")

    assert done.code == 0
    assert done.out.startswith(f"Usage: evals {' '.join(path)}")
    assert done.err == ""


@pytest.mark.parametrize("path,command", [pytest.param(*one, id=" ".join(one[0])) for one in commands()])
def test_every_command_and_option_says_what_it_is_for(path: tuple[str, ...], command: TyperCommand) -> None:
    assert command.help, path
    silent = [one.name for one in command.params if isinstance(one, TyperOption) and not one.help]
    assert silent == []


def test_help_is_shown_where_a_command_is_missing(call: Call) -> None:
    done = call()

    assert done.code == 2
    assert "Usage: evals [OPTIONS] COMMAND" in done.err
    assert "serve-sim" in done.err


def test_the_version_is_told(call: Call) -> None:
    done = call("--version")

    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("evals 0.")


def test_help_costs_little() -> None:
    spent = min(help_cpu_s() for _ in range(3))

    sys.stdout.write(f"\nevals --help: {spent:.3f} s CPU\n")
    assert spent <= HELP_CPU_S


def help_cpu_s() -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([str(EVALS), "--help"], stdout=subprocess.DEVNULL, check=True, timeout=600)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def test_help_imports_nothing_heavy() -> None:
    script = (
        "import sys\nfrom runner.cli import main\nsys.argv = ['evals', '--help']\n"
        "try:\n    main()\nexcept SystemExit:\n    print('loaded', *sys.modules, file=sys.stderr)"
    )

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=600, check=True)

    loaded = set(done.stderr.split())
    assert "runner.cli" in loaded
    assert loaded & HEAVY == set()


def test_a_run_without_a_valid_attempt_exits_with_1(desk: Path, call: Call) -> None:
    capped = ("--max-attempts-per-case", 2, "--db", desk / "none.db")

    done = call("diff", "--cases", "good", "--model-ids", "sim/any?valid=0&time=virtual", *capped)

    assert done.code == 1
    assert "capped before the quota of 1: py_lru_cache_peek" in done.out


def test_a_dry_run_writes_nothing(desk: Path, call: Call) -> None:
    before = contents(desk)

    done = call("diff", "--cases", "good", "--model-ids", "sim/any", "--dry-run")

    assert done.code == 0
    assert contents(desk) == before


def test_data_goes_to_stdout_for_a_person_too(desk: Path, call: Call) -> None:
    assert desk.is_dir()

    report = call("report", "--json", "--db", "run.db")
    shown = call("report", "--db", "run.db")

    assert json.loads(report.out)["run_id"] == "first"
    assert report.err == ""
    assert shown.err == ""
    assert "simulated" in shown.out


@pytest.mark.parametrize("wanted", ["first", "fir", "latest"])
def test_a_run_goes_by_its_id_a_prefix_of_it_or_as_the_latest(wanted: str, desk: Path, call: Call) -> None:
    assert desk.is_dir()

    done = call("report", wanted, "--json", "--db", "run.db")

    assert json.loads(done.out)["run_id"] == "first"
