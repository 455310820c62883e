"""Files of the current folder run only if the user names them: a stranger's folder runs nothing."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from runner.errors import InputError
from runner.pool.processes import Processes
from runner.run.resolve import choose_parser
from suts.plugins import PluginError, load_plugin
from suts.registry import resolve
from suts.settings import Settings, UnknownSutError

ROOT = Path(__file__).parents[3]
EVALS = Path(sys.executable).with_name("evals")
# What evals or its libraries import, when they need it or to see whether it is there.
PLANTED = (
    *("anthropic", "contextlib", "httpx", "httpx2", "litellm", "lightgbm", "multiprocessing", "numpy", "openai"),
    *("orjson", "pandas", "parsers", "pickle", "pysqlite3", "rich", "runner", "scipy", "sqlean", "sqlite_dump"),
    *("sqlite_utils", "socket", "struct", "suts", "tiktoken", "typer", "yaml", "zstandard", "evil_mod"),
)
CANARY = "from pathlib import Path\nPath({place!r}).mkdir(exist_ok=True)\nPath({place!r}, __name__).touch()\n"
PARSER = "from parsers import PARSERS\nparser = PARSERS['xml-tools-v1']\n"
ONE_CASE = ("--cases", str(ROOT / "cases" / "diff_edit"), "--max-cases", "1")
MODEL = ("--model-ids", "sim/careful?time=virtual&valid=1", "--run-id", "here")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stranger's folder, where each module leaves its name in `tmp_path / ran` when it is imported."""
    place = tmp_path / "folder"
    place.mkdir()
    for name in PLANTED:
        (place / f"{name}.py").write_text(CANARY.format(place=str(tmp_path / "ran")) + PARSER * (name == "evil_mod"))
    monkeypatch.chdir(place)
    return place


def ran(folder: Path) -> set[str]:
    """The planted modules that were imported."""
    place = folder.parent / "ran"
    return {path.name for path in place.iterdir()} if place.exists() else set()


def evals(*words: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    """A command by the console script, in the current folder."""
    env = {**{name: value for name, value in os.environ.items() if name != "PYTHONPATH"}, **variables}
    return subprocess.run([str(EVALS), *words], env=env, check=False, capture_output=True, text=True, timeout=600)


@pytest.fixture
def plant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Write modules into the current folder; each test gives them names of their own."""
    monkeypatch.chdir(tmp_path)

    def write(name: str, text: str = PARSER) -> None:
        path = tmp_path / f"{name}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")

    return write


READING = (
    ("replay", "--run-id", "here", "--from-stream", "--diff-apply", "v1,v2"),
    ("report", "here"),
    ("rescore", "here"),
)
OTHERS = (
    ("report", "here", "--markdown"),
    ("runs", "--sizes"),
    ("export", "here"),
    ("cost", "here"),
    ("prices",),
    ("doctor",),
    ("models",),
    ("parsers",),
    ("algorithms",),
    ("metrics",),
    ("prune", "--texts", "--vacuum"),
    ("nextedit", "--cases", str(ROOT / "cases" / "nextedit"), "--sut", "rules", "--max-edits", "4"),
    ("cases", "check", str(ROOT / "cases" / "diff_edit")),
)


# Every command is started in a folder with as many traps by `tests/test_strangers_folder.py`.
@pytest.mark.parametrize(
    "more", [pytest.param((), id="run and read"), pytest.param(OTHERS, id="all", marks=pytest.mark.slow)]
)
def test_no_command_imports_what_lies_in_the_current_folder(folder: Path, more: tuple[tuple[str, ...], ...]) -> None:
    made = evals("diff", *ONE_CASE, *MODEL).returncode
    codes = [evals(*words).returncode for words in READING]
    for words in more:
        evals(*words)

    assert [made, *codes] == [0, 0, 0, 0]
    assert ran(folder) == set()


@pytest.mark.slow
def test_the_proof_of_the_installation_imports_nothing_of_the_current_folder(folder: Path) -> None:
    proof = evals("selftest", "--fast")

    # How late clocks are tells how busy the machine is.
    wrong = [line for line in proof.stdout.splitlines() if line.startswith("WRONG") and "the server's" not in line]
    assert "checks hold" in proof.stdout
    assert wrong == []
    assert ran(folder) == set()


@pytest.mark.parametrize(
    "model",
    ["openai-sdk/x", *(pytest.param(one, marks=pytest.mark.slow) for one in ("litellm/x", "anthropic-sdk/x"))],
)
def test_the_library_of_a_provider_is_never_the_current_folders(folder: Path, model: str) -> None:
    evals("diff", *ONE_CASE, "--model-ids", model, "--dry-run", OPENAI_API_KEY="sk-x", ANTHROPIC_API_KEY="sk-x")

    assert ran(folder) == set()


@pytest.mark.parametrize(
    "before, variables",
    [
        pytest.param((), {}, id="the console script"),
        pytest.param(("-c", "from runner.cli import main; main()"), {}, id="python -c"),
        pytest.param((), {"PYTHONPATH": os.pathsep}, id="empty entries of PYTHONPATH"),
        pytest.param((), {"PYTHONPATH": "."}, id="a relative entry of PYTHONPATH"),
    ],
)
def test_however_it_is_started_a_new_database_imports_nothing_of_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: tuple[str, ...], variables: dict[str, str]
) -> None:
    # What Python imports before it runs anything of ours cannot be helped: this is imported later.
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sqlite_dump.py").write_text(CANARY.format(place=str(tmp_path / "ran")))
    script = (str(EVALS),) if not before else (sys.executable, *before)
    words = ("diff", *ONE_CASE, *MODEL)

    done = subprocess.run([*script, *words], env={**os.environ, **variables}, check=False, timeout=600)

    assert done.returncode == 0
    assert not (tmp_path / "ran").exists()


def test_processes_that_work_beside_ours_import_nothing_of_the_folder(folder: Path) -> None:
    with Processes(2) as pool:
        paths = pool.submit(eval, "__import__('sys').path").result()

    assert str(folder) not in paths
    assert "" not in paths
    assert ran(folder) == set()


def test_a_module_that_the_command_line_names_is_imported(folder: Path) -> None:
    done = evals("diff", *ONE_CASE, *MODEL, "--parser", "evil_mod:parser")

    assert done.returncode == 0, done.stderr
    assert ran(folder) == {"evil_mod"}


def test_only_while_it_is_imported_is_its_folder_importable(plant: Callable[..., None], tmp_path: Path) -> None:
    plant("seen_neighbour")
    plant("seen_plug_in", f"import sys\nimport seen_neighbour\npath = sys.path[:]\n{PARSER}")
    before = sys.path[:]

    plugin = load_plugin("seen_plug_in:path")

    assert plugin.target == [*before, str(tmp_path)]
    assert sys.path == before


def test_a_plug_in_that_fails_leaves_the_path_as_it_was(plant: Callable[..., None]) -> None:
    plant("failing_plug_in", "raise RuntimeError('two\\nlines')")
    before = sys.path[:]

    with pytest.raises(PluginError) as refused:
        load_plugin("failing_plug_in:thing")

    assert str(refused.value) == "RuntimeError: two lines"
    assert sys.path == before


def test_an_installed_plug_in_cannot_reach_the_folder(
    plant: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = tmp_path / "installed"
    plant("installed/installed_plug_in", "import planted_beside\n")
    plant("planted_beside")
    monkeypatch.syspath_prepend(installed)

    with pytest.raises(PluginError, match="No module named 'planted_beside'"):
        load_plugin("installed_plug_in:thing")


def test_a_package_of_the_folder_goes_on_finding_its_own_modules(plant: Callable[..., None]) -> None:
    plant("later_pack/__init__", "")
    plant("later_pack/first", "def second():\n    from later_pack import second\n    return second.word\n")
    plant("later_pack/second", "word = 'found'\n")

    second = load_plugin("later_pack.first:second").target

    assert callable(second)
    assert second() == "found"


def test_a_neighbour_that_is_imported_later_is_not_found(plant: Callable[..., None]) -> None:
    plant("late_neighbour")
    plant("late_plug_in", "def use():\n    import late_neighbour\n")

    use = load_plugin("late_plug_in:use").target

    assert callable(use)
    with pytest.raises(ModuleNotFoundError, match="late_neighbour"):
        use()


def test_models_and_parsers_come_by_the_same_door(plant: Callable[..., None]) -> None:
    plant("door_plug_in", f"{PARSER}\ndef make(model, settings):\n    raise ValueError('made ' + model)\n")

    parser = choose_parser("door_plug_in:parser", lambda _line: None)

    assert parser.name == "door_plug_in:parser"
    with pytest.raises(UnknownSutError, match="made it"):
        resolve("door_plug_in:make/it", Settings())


@pytest.mark.parametrize("name", ["sys.nothing:x", "gone_mod:x", ":x", "..up:x", "json:"])
def test_what_is_not_there_is_one_line(name: str) -> None:
    with pytest.raises(InputError) as refused:
        choose_parser(name, lambda _line: None)

    assert "\n" not in str(refused.value)
