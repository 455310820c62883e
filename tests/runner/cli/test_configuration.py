"""Every option can be set in evals.toml or by EVALS_*: who wins, what is refused, and what is explained."""

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest
from typer.main import get_command

from runner.cli import app
from runner.cli.defaults import commands_of, long_names, options_of, take_variables
from tests.runner.cli.conftest import Call

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
COMMANDS = dict(commands_of(get_command(app)))


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder, one below the one that may hold an evals.toml."""
    folder = tmp_path / "project" / "inner"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    return folder


def write(desk: Path, text: str) -> Path:
    file = desk.parent / "evals.toml"
    file.write_text(text, encoding="utf-8")
    return file


def explained(call: Call, *words: object) -> dict[str, tuple[object, str]]:
    """Value and origin of each option, as `--explain-config --json` prints them."""
    done = call(*words, "--explain-config", "--json")
    rows = json.loads(done.out)["options"]
    return {row["option"]: (row["value"], row["origin"]) for row in rows}


def test_every_option_of_every_command_has_a_variable_of_its_own() -> None:
    names: list[str] = []
    for path, command in COMMANDS.items():
        take_variables(path, command)
        for option in dict.fromkeys(options_of(command).values()):
            assert isinstance(option.envvar, list)
            assert long_names(option)[0].upper().replace("-", "_") in option.envvar[0]
            names.append(option.envvar[0])

    assert len(names) > 80
    assert len(set(names)) == len(names)


def test_no_variable_of_one_command_is_shared_by_others() -> None:
    own, shared = set(), set()
    for path, command in COMMANDS.items():
        take_variables(path, command)
        for option in options_of(command).values():
            first, *others = option.envvar or ()
            own.add(first)
            shared |= set(others)

    assert own & shared == set()


def test_the_command_line_wins_over_the_environment_over_the_file(
    desk: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write(desk, "[diff]\nmax-tokens = 1\nseed = 2\ntemperature = 0.5\n")
    monkeypatch.setenv("EVALS_DIFF_MAX_TOKENS", "10")
    monkeypatch.setenv("EVALS_DIFF_SEED", "20")

    found = explained(call, "diff", "--max-tokens", 100)

    assert found["--max-tokens"] == (100, "command line")
    assert found["--seed"] == (20, "EVALS_DIFF_SEED")
    assert found["--temperature"] == (0.5, f"{file}: [diff] temperature")
    assert found["--validity"] == ("strict", "default")


def test_a_command_s_own_variable_wins_over_the_shared_one(
    desk: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert desk.is_dir()
    monkeypatch.setenv("EVALS_DB", "all.db")
    monkeypatch.setenv("EVALS_REPORT_DB", "report.db")

    assert explained(call, "report")["--db"] == ("report.db", "EVALS_REPORT_DB")
    assert explained(call, "runs")["--db"] == ("all.db", "EVALS_DB")


def test_a_command_s_own_table_wins_over_what_stands_above_all_tables(desk: Path, call: Call) -> None:
    write(desk, 'db = "all.db"\n[report]\ndb = "report.db"\n')

    assert explained(call, "report")["--db"][0] == str(desk.parent / "report.db")
    assert explained(call, "runs")["--db"][0] == str(desk.parent / "all.db")


@pytest.mark.parametrize(
    "path", [pytest.param(path, id=" ".join(path)) for path in COMMANDS if "db" in options_of(COMMANDS[path])]
)
def test_the_variable_of_the_database_works_for_every_command_that_reads_one(
    path: tuple[str, ...], desk: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert desk.is_dir()
    monkeypatch.setenv("EVALS_DB", "elsewhere.db")

    done = call(*path, "--explain-config")

    assert re.search(r"^--db +elsewhere.db +EVALS_DB$", done.out, re.MULTILINE)


def test_paths_of_a_file_are_read_from_its_own_folder(desk: Path, call: Call) -> None:
    write(desk, '[diff]\ncases = "mine"\nprices = "prices.json"\nsave-locally = "/far/out"\n')

    found = explained(call, "diff", "--trust")

    assert found["--cases"][0] == str(desk.parent / "mine")
    assert found["--prices"][0] == str(desk.parent / "prices.json")
    assert found["--save-locally"][0] == "/far/out"


def test_the_nearest_file_is_the_only_one(desk: Path, call: Call) -> None:
    write(desk, "[diff]\nseed = 1\nmax-tokens = 1\n")
    (desk / "evals.toml").write_text("[diff]\nseed = 2\n", encoding="utf-8")

    found = explained(call, "diff")

    assert found["--seed"][0] == 2
    assert found["--max-tokens"] == (8192, "default")


def test_flags_lists_groups_and_older_names_can_be_set(desk: Path, call: Call) -> None:
    text = 'verbose = true\n[diff]\nsut = "sim/careful"\nparallel = true\n[score]\nmetric = ["sari", "bleu"]\n'
    write(desk, text + "[serve-sim]\nrate_headers = false\n[cases.check]\nstrict = true\n")

    assert explained(call, "diff")["--model-ids"][0] == "sim/careful"
    assert explained(call, "diff")["--parallel"][0] is True
    assert explained(call, "diff")["--verbose"][0] is True
    assert explained(call, "score")["--metrics"][0] == ["sari", "bleu"]
    assert "--rate-headers" in call("serve-sim", "--explain-config").out
    assert explained(call, "cases", "check", "folder")["--strict"][0] is True


def test_the_table_of_a_command_is_no_value_of_its_group_s_option_of_that_name(desk: Path, call: Call) -> None:
    write(desk, "[nextedit.order]\nmax-concurrency = 2\n")

    done = call("nextedit", "--cases", "nowhere")

    assert "nowhere" in done.err
    assert "--order" not in done.err


def test_a_group_that_is_a_command_has_a_table_and_variables_of_its_own(
    desk: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write(desk, "seed = 7\n[nextedit]\nmax-concurrency = 3\n[nextedit.order]\nrpm = 9\n")
    monkeypatch.setenv("EVALS_NEXTEDIT_MODEL_IDS", "sim/careful")

    own, below = explained(call, "nextedit"), explained(call, "nextedit", "order")

    assert own["--model-ids"] == ("sim/careful", "EVALS_NEXTEDIT_MODEL_IDS")
    assert own["--max-concurrency"] == (3, f"{file}: [nextedit] max-concurrency")
    assert own["--seed"][1] == f"{file}: seed"
    assert below["--rpm"] == (9, f"{file}: [nextedit.order] rpm")
    assert own["--rpm"][1] == "default"


def test_an_unknown_key_in_the_table_of_such_a_group_is_refused(desk: Path, call: Call) -> None:
    file = write(desk, "[nextedit]\nmodel-id = 'sim/careful'\n")

    done = call("nextedit", "--dry-run")

    assert done.code == 2
    assert done.err == (
        f"evals: {file}: [nextedit] model-id: `evals nextedit` has no such option; did you mean model-ids?\n"
    )


def test_a_flag_can_be_set_by_a_variable(desk: Path, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    assert desk.is_dir()
    monkeypatch.setenv("EVALS_DIFF_PARALLEL", "1")
    monkeypatch.setenv("EVALS_DIFF_VERBOSE", "no")
    monkeypatch.setenv("EVALS_DIFF_SEED", "")

    found = explained(call, "diff")

    assert found["--parallel"] == (True, "EVALS_DIFF_PARALLEL")
    assert found["--verbose"] == (False, "EVALS_DIFF_VERBOSE")
    assert found["--seed"] == (0, "default")


BAD = {
    "no TOML": ("[diff\n", "cannot be read as TOML (Expected ']'"),
    "an unknown option": ("[diff]\nsede = 1\n", "[diff] sede: `evals diff` has no such option; did you mean seed?"),
    "an unknown command": ("[dif]\nseed = 1\n", "[dif]: is not a command; did you mean diff?"),
    "an unknown command in a group": ("[cases.chek]\nseed = 1\n", "[cases.chek]: is not a command; did you mean cases"),
    "a key in a group": ("[cases]\nstrict = true\n", "[cases] strict: is not in the table of a command"),
    "an option that no command has": ("sede = 1\n", "sede: no command has such an option; did you mean seed?"),
    "an option set twice": ('[diff]\nsut = "a/b"\nmodel-ids = "a/b"\n', "[diff] model-ids: is the same option as sut"),
    "a word for a flag": ('[diff]\nparallel = "yes"\n', "[diff] parallel: is 'yes'; write true or false"),
    "a truth for a number": ("[diff]\nseed = true\n", "[diff] seed: is True; write a text or a number"),
    "a list for one value": ("[diff]\nseed = [1, 2]\n", "[diff] seed: is [1, 2]; write a text or a number"),
    "a word for a number": ('[diff]\nseed = "many"\n', "[diff] seed: Invalid value for '--seed'"),
    "a number below the least": ("[diff]\nmax-tokens = 0\n", "[diff] max-tokens: Invalid value for '--max-tokens'"),
    "a value that the command refuses": (
        '[diff]\nmodel-ids = ","\ncases = "cases"\n',
        "[diff] model-ids: --model-ids: names nothing",
    ),
    "a folder that is not there": (
        '[diff]\nmodel-ids = "sim/any"\ncases = "nowhere"\n',
        "[diff] cases: {folder}/nowhere: folder: cannot be read",
    ),
}  # fmt: skip


@pytest.mark.parametrize("text,words", BAD.values(), ids=BAD)
def test_what_is_wrong_with_a_file_is_one_line_with_file_and_key(text: str, words: str, desk: Path, call: Call) -> None:
    file = write(desk, text)
    shutil.copytree(ROOT / "cases" / "diff_edit", desk.parent / "cases")

    done = call("diff")

    assert done.code == 2
    assert done.err.count("\n") == 1
    assert done.err.startswith(f"evals: {file}: {words.format(folder=desk.parent)}")


@pytest.mark.parametrize(
    "name,value,words",
    [
        pytest.param("EVALS_DIFF_SEED", "many", "EVALS_DIFF_SEED: Invalid value for '--seed'", id="no number"),
        pytest.param("EVALS_PROMPTS", "poetic", "EVALS_PROMPTS: --prompts: no prompt", id="no prompt"),
        pytest.param("EVALS_DIFF_PARALLEL", "perhaps", "EVALS_DIFF_PARALLEL: Invalid value", id="no truth"),
    ],
)
def test_what_is_wrong_with_a_variable_is_one_line_with_its_name(
    name: str, value: str, words: str, desk: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert desk.is_dir()
    monkeypatch.setenv(name, value)

    done = call("diff", "--model-ids", "sim/any")

    assert done.code == 2
    assert done.err.startswith(f"evals: {words}")
    assert done.err.count("\n") == 1


def test_what_was_typed_wrong_is_not_blamed_on_the_file(desk: Path, call: Call) -> None:
    write(desk, "[diff]\nseed = 1\n")

    done = call("diff", "--seed", "many")

    assert done.err.startswith("evals: Invalid value for '--seed'")


def test_explaining_asks_nobody_and_writes_nothing(desk: Path, call: Call) -> None:
    done = call("--explain-config", "diff", "--model-ids", "sim/careful")

    assert done.code == 0
    assert re.search(r"^--model-ids +sim/careful +command line$", done.out, re.MULTILINE)
    assert list(desk.iterdir()) == []


def test_a_run_takes_what_the_file_says(desk: Path, call: Call) -> None:
    shutil.copytree(ROOT / "cases" / "diff_edit", desk.parent / "cases")
    text = 'db = "here.db"\n[diff]\nmodel-ids = "sim/careful?time=virtual"\ncases = "cases"\nmax-cases = 2\n'
    write(desk, text)

    done = call("diff", "--json")

    assert json.loads(done.out)["variants"][0]["cases"] == 2
    assert (desk.parent / "here.db").is_file()


def test_the_example_of_the_document_is_taken_as_it_stands(desk: Path, call: Call) -> None:
    example = re.findall(r"^```toml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)[0]
    file = write(desk, example)

    found = explained(call, "diff")

    assert found["--max-tokens"] == (4096, f"{file}: [diff] max-tokens")
    assert found["--db"][1] == f"{file}: db"


@pytest.mark.parametrize("line", re.findall(r"^export (EVALS_.*?)(?:  #.*)?$", PAGE, re.MULTILINE))
def test_the_variables_of_the_document_are_ones(
    line: str, desk: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert desk.is_dir()
    name, _, value = shlex.split(line)[0].partition("=")
    monkeypatch.setenv(name, value)

    assert name in {origin for _, origin in explained(call, "diff").values()}


def test_explaining_never_shows_credentials_in_an_address(
    desk: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert desk.is_dir()
    monkeypatch.setenv("EVALS_BASE_URL", "https://ada:sk-planted@host.example/v1")

    shown, data = call("diff", "--explain-config"), call("diff", "--explain-config", "--json")

    assert "sk-planted" not in shown.out + data.out
    assert "https://[hidden]@host.example/v1" in shown.out


def test_explaining_needs_none_of_what_a_command_needs(desk: Path, call: Call) -> None:
    assert desk.is_dir()

    assert explained(call, "replay")["--run-id"] == (None, "default")
    assert explained(call, "study")["FOLDER"] == (None, "default")
    assert (call("replay").code, call("study").code) == (2, 2)


def test_help_says_where_else_options_can_be_set(desk: Path, call: Call) -> None:
    assert desk.is_dir()

    shown = " ".join(call("cases", "check", "--help").out.split())

    assert "can be set in evals.toml ([cases.check]) or by EVALS_*; see --explain-config." in shown
