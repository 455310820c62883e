"""Rows of JSON are read, or refused by one line that names file, line, field and mend."""

import gzip
import re
import subprocess
import sys
from pathlib import Path

import pytest

from runner.errors import InputError
from runner.jsonl import Row, each_row, read_rows


def write(folder: Path, content: bytes, name: str = "rows.jsonl") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def test_rows_know_their_lines(tmp_path: Path) -> None:
    path = write(tmp_path, b'{"a": 1}\n\n{"a": "\xe2\x80\xa8"}\r\n')

    assert list(read_rows(path)) == [Row(f"{path}:1", {"a": 1}), Row(f"{path}:3", {"a": "\u2028"})]


def test_packed_rows_are_unpacked(tmp_path: Path) -> None:
    path = write(tmp_path, gzip.compress(b'{"a": 1}\n{"a": 2}'), "rows.jsonl.gz")

    assert [row.values["a"] for row in read_rows(path)] == [1, 2]


@pytest.mark.parametrize(
    "content, name, told",
    [
        pytest.param(b"{]\n", "r.jsonl", "r.jsonl:1: not JSON", id="no JSON"),
        pytest.param(b"\n[1]\n", "r.jsonl", "r.jsonl:2: an object is needed, not list", id="no object"),
        pytest.param(b"plain", "r.jsonl.gz", "not a whole gzip file", id="not packed"),
        pytest.param(gzip.compress(b"{}" * 99)[:-9], "r.jsonl.gz", "not a whole gzip file", id="cut"),
    ],
)
def test_a_bad_file_is_refused(tmp_path: Path, content: bytes, name: str, told: str) -> None:
    with pytest.raises(InputError, match=re.escape(told)):
        list(read_rows(write(tmp_path, content, name)))


def test_every_bad_line_is_told_to_whoever_asks_for_all(tmp_path: Path) -> None:
    path = write(tmp_path, b'{]\n{"a": 1}\n[1]\n')

    bad, good, worse = each_row(path)

    assert good == Row(f"{path}:2", {"a": 1})
    assert str(bad).startswith(f"{path}:1: not JSON")
    assert str(worse).startswith(f"{path}:3: an object is needed")


def test_standard_input_is_read_line_by_line() -> None:
    code = (
        "from pathlib import Path; from runner.jsonl import read_rows; print([r.where for r in read_rows(Path('-'))])"
    )

    done = subprocess.run([sys.executable, "-c", code], input=b'{}\n\n{"a": 1}\n', capture_output=True, check=True)

    assert done.stdout == b"['-:1', '-:3']\n"


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"absent.jsonl: cannot be read \(No such file"):
        list(read_rows(tmp_path / "absent.jsonl"))


ROW = Row("f:1", {"text": "a", "flag": True, "null": None, "texts": ["a", "b"], "none": [], "mixed": ["a", 1]})


def test_fields_are_read_by_their_types() -> None:
    assert ROW.text("text") == "a"
    assert ROW.flag("flag") is True
    assert ROW.optional_text("null") is None
    assert ROW.optional_text("absent") is None
    assert ROW.texts("text", "absent") == ("a",)
    assert ROW.texts("text", "texts") == ("a", "b")


@pytest.mark.parametrize("field", ["absent", "flag", "null"])
def test_a_missing_or_mistyped_text_is_refused(field: str) -> None:
    with pytest.raises(InputError, match=rf"^f:1: field '{field}' (is missing; add it|must be a string, not)"):
        ROW.text(field)


def test_a_flag_is_true_or_false_and_nothing_else() -> None:
    with pytest.raises(InputError, match="f:1: field 'text' must be true or false, not str"):
        ROW.flag("text")


@pytest.mark.parametrize("field", ["none", "mixed", "text"])
def test_several_texts_are_a_list_of_at_least_one_string(field: str) -> None:
    with pytest.raises(InputError, match=f"f:1: field '{field}' must be a list of strings"):
        ROW.texts("absent", field)
