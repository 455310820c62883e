"""Rows of JSON are read, or refused by one line that names file, line, field and mend."""

import gzip
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.errors import InputError
from runner.jsonl import Row, each_row, read_rows
from tests.any_json import ANY_JSON


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


class Form(msgspec.Struct, frozen=True):
    """The fields of a row."""

    text: str
    flag: bool = False
    note: str | None = None


def test_a_row_is_read_as_a_form() -> None:
    row = Row("f:1", {"text": "a", "flag": True, "note": None, "unknown": 1})

    assert row.read(Form) == Form("a", flag=True)


@pytest.mark.parametrize(
    "values, remedy, told",
    [
        pytest.param({"a": 1}, "", "field 'text' is missing; add it, a string (there are: 'a')", id="missing"),
        pytest.param({}, "build again", "add it, a string, or build again (there are: none)", id="another-way-out"),
        pytest.param({"text": None}, "", "field 'text' is null; make it a string", id="null"),
        pytest.param(
            {"text": "a", "flag": "x"}, "", "field 'flag' is a string; make it true or false", id="another-type"
        ),
        pytest.param({"\ud800": 1, "text": "a"}, "", "the object has half a character in the name", id="half-a-name"),
    ],
)
def test_a_row_that_does_not_fit_is_one_error(values: dict[str, object], remedy: str, told: str) -> None:
    with pytest.raises(InputError, match=f"^f:1: .*{re.escape(told)}"):
        Row("f:1", values).read(Form, remedy)


@given(st.dictionaries(st.sampled_from(Form.__struct_fields__), ANY_JSON))
def test_any_row_is_a_form_or_one_error(values: dict[str, Any]) -> None:
    try:
        form = Row("f:1", values).read(Form)
    except InputError as error:
        assert "\n" not in str(error)  # noqa: PT017 - a form is as good an end
    else:
        assert form.text == values["text"]
