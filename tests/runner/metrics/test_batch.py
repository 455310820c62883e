"""Rows are scored one by one, each in its language; files are read with theirs."""

from pathlib import Path

import pytest

from runner.errors import InputError
from runner.jsonl import Row
from runner.languages import language_named
from runner.metrics import metrics_named
from runner.metrics.batch import sample_of, score_rows
from runner.metrics.files import read_sample

EDIT = {"origin": "x\n", "reference": "y\n", "hypothesis": "y\n"}


def row(**changes: object) -> Row:
    return Row("f:1", {**EDIT, **changes})


def test_every_row_has_a_result_under_its_id() -> None:
    results = list(score_rows([row(id="one"), row(hypothesis="x\n")], metrics_named(["es-line", "nes"]), None))

    assert results == [
        {"row": 1, "id": "one", "scores": {"es-line": 1.0, "nes": 1.0}},
        {"row": 2, "scores": {"es-line": 0.0, "nes": 0.5}},
    ]


def test_a_rows_own_language_goes_first() -> None:
    assert sample_of(row(lang="js"), "python").language == "javascript"
    assert sample_of(row(lang="text"), "python").language is None
    assert sample_of(row(), "python").language == "python"


def test_several_references_are_a_list() -> None:
    assert sample_of(row(references=["y", "z"]), None).references == ("y", "z")


def test_a_row_too_large_for_a_metric_goes_without_it() -> None:
    origin, reference, hypothesis = ("\n".join(f"{name}{n}" for n in range(40_000)) for name in "orh")
    large = row(origin=origin, reference=reference, hypothesis=hypothesis)

    (result,) = score_rows([large], metrics_named(["es-line", "exact"]), None)

    assert result["scores"] == {"exact": 0.0}
    assert "40000 and 40000 tokens" in str(result["errors"])


@pytest.mark.parametrize(
    "name, expected",
    [
        pytest.param("python", "python", id="a grammar"),
        pytest.param("Python", "python", id="in capitals"),
        pytest.param("py", "python", id="an extension"),
        pytest.param("c++", "cpp", id="a name that is an extension"),
        pytest.param("text", None, id="none"),
    ],
)
def test_languages_have_several_names(name: str, expected: str | None) -> None:
    assert language_named(name, "--lang") == expected


def test_a_language_without_a_grammar_is_refused() -> None:
    with pytest.raises(InputError, match=r"^f:1: field 'lang': no grammar for language 'klingon'; name one such as"):
        sample_of(row(lang="klingon"), None)


def test_files_tell_their_language(tmp_path: Path) -> None:
    for name in ("before", "after.py", "answer.txt"):
        (tmp_path / name).write_bytes(b"x = 1\r\n")

    sample = read_sample(tmp_path / "before", [tmp_path / "after.py"], tmp_path / "answer.txt")

    assert (sample.language, sample.hypothesis) == ("python", "x = 1\r\n")
    assert read_sample(tmp_path / "before", [tmp_path / "before"], tmp_path / "before").language is None


def test_an_unreadable_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "latin").write_bytes(b"caf\xe9")

    with pytest.raises(InputError, match=r"absent: cannot be read \(No such file or directory\); give a text file"):
        read_sample(tmp_path / "absent", [tmp_path / "absent"], tmp_path / "absent")
    with pytest.raises(InputError, match=r"latin: not UTF-8 at byte 3; convert the file to UTF-8"):
        read_sample(tmp_path / "latin", [tmp_path / "latin"], tmp_path / "latin")
