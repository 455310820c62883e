"""Models as arguments, folders left out, and slips of the hand: one line that says what was meant."""

import json
from pathlib import Path

import pytest

from runner.cli.optional_folder import with_default_folder
from tests.codev import codev_dir
from tests.runner.cli.conftest import Call

ROOT = Path(__file__).parents[3]
DIFF = ("diff", "--cases", ROOT / "cases" / "diff_edit", "--dry-run", "--json")
NEXTEDIT = ("nextedit", "--cases", ROOT / "cases" / "nextedit", "--dry-run", "--json")


@pytest.fixture(autouse=True)
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "words",
    [
        pytest.param((*DIFF, "sim/careful", "sim/sloppy"), id="after the options"),
        pytest.param((DIFF[0], "sim/careful", *DIFF[1:], "sim/sloppy"), id="around the options"),
        pytest.param((*DIFF, "sim/careful,sim/sloppy"), id="with a comma"),
        pytest.param((*DIFF, "--model-ids", "sim/careful,sim/sloppy"), id="by the option"),
        pytest.param((*NEXTEDIT, "sim/careful", "sim/sloppy"), id="nextedit"),
        pytest.param((NEXTEDIT[0], "sim/careful", *NEXTEDIT[1:], "sim/sloppy"), id="nextedit, around the options"),
        pytest.param(
            ("edit", "run", ROOT / "cases/edit/problems.jsonl", "sim/careful", "sim/sloppy", *DIFF[-2:]), id="edit"
        ),
        pytest.param(
            ("codrep", "run", ROOT / "cases/codrep", "sim/careful", "sim/sloppy", *DIFF[-2:]),
            id="codrep, after folders",
        ),
        pytest.param(
            ("completion", "run", ROOT / "cases/completion/shelf.jsonl", "sim/careful", "sim/sloppy", *DIFF[-2:]),
            id="completion",
        ),
    ],
)
def test_models_are_words_of_their_own(words: tuple[object, ...], call: Call) -> None:
    done = call(*words)

    assert done.code == 0, done.err
    assert [system["name"] for system in json.loads(done.out)["systems"]] == ["sim/careful", "sim/sloppy"]


@pytest.mark.parametrize("first", [True, False], ids=["before the prompts", "after the prompts"])
def test_models_stand_beside_the_prompts_of_codev(desk: Path, call: Call, first: bool) -> None:
    prompts = codev_dir(desk / "codev") / "prompts"
    words = ("sim/truth", "sim/empty", prompts) if first else (prompts, "sim/truth", "sim/empty")

    done = call("completion", "codev", *words, *DIFF[-2:])

    assert done.code == 0, done.err
    assert [system["name"] for system in json.loads(done.out)["systems"]] == ["sim/truth", "sim/empty"]


def test_doctor_checks_the_models_of_its_arguments(call: Call) -> None:
    done = call("doctor", "sim/careful", "sim/sloppy", "--json")

    assert [model["sut"] for model in json.loads(done.out)["models"]] == ["sim/careful", "sim/sloppy"]


def test_arguments_replace_the_models_of_a_file(desk: Path, call: Call) -> None:
    (desk / "evals.toml").write_text('[diff]\nmodel-ids = "sim/chatty"\n')

    done = call(*DIFF, "sim/any")

    assert [system["name"] for system in json.loads(done.out)["systems"]] == ["sim/any"]


def test_commands_of_nextedit_are_called_by_name(call: Call) -> None:
    done = call("nextedit", "order", "--help")

    assert done.out.startswith("Usage: evals nextedit order [OPTIONS] [COMMIT]\n")


SLIPS = {
    "a number for --parallel": ((*DIFF, "sim/any", "--parallel", "8"), "give --max-concurrency 8"),
    "a number before models": (
        (*DIFF, "--parallel", "8", "--model-ids", "sim/any"),
        "--parallel: takes no number; give --max-concurrency 8",
    ),
    "a number beside folders": (("codrep", "run", "--parallel", "3", "."), "give --max-concurrency 3"),
    "models without a folder": (("codrep", "run", "sim/any"), "DIR: is missing"),
    "a model and the option, beside folders": (
        ("codrep", "run", ".", "sim/any", "--model-ids", "formula"),
        "also given as arguments (sim/any)",
    ),
    "a model and the option, beside prompts": (
        ("completion", "codev", "sim/any", "--model-ids", "sim/truth"),
        "also given as arguments (sim/any)",
    ),
    "a model for predictions": (
        ("completion", "codev", "sim/any", "--predictions", "."),
        "nobody is asked",
    ),
    "models twice": ((*DIFF, "sim/any", "--model-ids", "sim/careful"), "also given as arguments (sim/any)"),
    "a provider": ((*DIFF, "opnai/gpt-5"), "did you mean openai/gpt-5?"),
    "a provider for all": ((*DIFF, "gpt-5", "--provider", "opnai"), "did you mean openai?"),
    "a simulated model's provider": ((*DIFF, "simm/any"), "did you mean sim/any?"),
    "a command": (("dif",), "Did you mean 'diff'?"),
    "a command of a group": (("codrep", "rn"), "Did you mean 'run'?"),
    "a command of nextedit": (("nextedit", "oder"), "Did you mean 'order'?"),
    "an option": ((*DIFF, "--modelids", "sim/any"), "--model-ids"),
    "a prompt": ((*DIFF, "sim/any", "--prompts", "basik"), "did you mean basic?"),
    "a parser": ((*DIFF, "sim/any", "--parser", "xml-tool"), "did you mean xml-tools-v"),
    "an algorithm": ((*DIFF, "sim/any", "--diff-apply", "diff-06-06-26"), "did you mean diff-06-"),
}


@pytest.mark.parametrize("words,hint", [pytest.param(*slip, id=name) for name, slip in SLIPS.items()])
def test_a_slip_is_one_line_that_says_what_was_meant(words: tuple[object, ...], hint: str, call: Call) -> None:
    done = call(*words)

    assert done.code == 2
    assert done.out == ""
    assert done.err.count("\n") == 1
    assert hint in done.err


@pytest.mark.parametrize(
    "words,completed",
    [
        pytest.param("--save-locally", "--save-locally results", id="at the end"),
        pytest.param("--save-locally -n 3", "--save-locally results -n 3", id="before an option"),
        pytest.param("--save-locally out a", "--save-locally out a", id="with a folder"),
        pytest.param("--output-path out --save-locally", "--output-path out", id="with the original's folder"),
        pytest.param("--save-locally --output-path=out", "--output-path=out", id="before the original's folder"),
        pytest.param("-n 3 -- --save-locally", "-n 3 -- --save-locally", id="no option"),
    ],
)
def test_save_locally_may_stand_without_a_folder(words: str, completed: str) -> None:
    assert with_default_folder(words.split(), {"--save-locally", "--output-path"}) == completed.split()


def test_only_commands_that_have_the_option_complete_it() -> None:
    assert with_default_folder(["--save-locally"], {"--json"}) == ["--save-locally"]


def test_results_are_saved_in_the_default_folder(desk: Path, call: Call) -> None:
    done = call(*DIFF[:3], "sim/any?time=virtual", "--max-cases", "1", "--save-locally")

    assert done.code == 0, done.err
    assert len(list((desk / "results").glob("*.json"))) == 1
