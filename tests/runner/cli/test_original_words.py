"""Spellings of Cline's evaluation that have another form are accepted."""

from pathlib import Path

import pytest

from runner.cli.optional_folder import with_default_folder
from tests.runner.cli.conftest import Call

CASES = Path(__file__).parents[3] / "cases" / "diff_edit"
RUN = ("diff", "--model-ids", "sim/any?time=virtual", "--cases", CASES, "--max-cases", 1, "--json")


@pytest.mark.parametrize(
    "words, accepted",
    [
        pytest.param("diff --save-locally", "diff --save-locally results", id="bare, last"),
        pytest.param("diff --save-locally -n 2", "diff --save-locally results -n 2", id="bare"),
        pytest.param("diff --save-locally out", "diff --save-locally out", id="with a folder"),
        pytest.param("diff --save-locally --output-path out", "diff --output-path out", id="with an output path"),
        pytest.param("diff --output-path=out --save-locally", "diff --output-path=out", id="in the other order"),
        pytest.param("score -- --save-locally", "score -- --save-locally", id="no option"),
    ],
)
def test_a_bare_save_locally_names_the_folder_of_the_original(words: str, accepted: str) -> None:
    assert with_default_folder(words.split(), {"--save-locally", "--output-path"}) == accepted.split()


@pytest.mark.parametrize(
    "words, folder", [(["--save-locally"], "results"), (["--save-locally", "--output-path", "out"], "out")]
)
def test_a_run_saves_its_cases_there(
    words: list[str], folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Call
) -> None:
    monkeypatch.chdir(tmp_path)

    assert call(*RUN, *words).code == 0

    assert len(list((tmp_path / folder).glob("*.json"))) == 1


def test_a_replay_takes_the_original_s_options_and_prints_a_line_for_each_scoring(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Call
) -> None:
    monkeypatch.chdir(tmp_path)
    assert call(*RUN, "-n", 3).code == 0

    done = call("replay", "--replay-run-id", "latest", "--diff-apply-file", "diff-06-23-25", "--verbose")

    assert done.code == 0
    lines = [line for line in done.out.split("\n") if "; xml-tools-v2 diff-06-23-25): " in line]
    assert len(lines) >= 3
    assert lines[0].startswith("c_hash_map_leaks 1 (sim/any?time=virtual, basic; ")
