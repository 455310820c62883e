from pathlib import Path

import pytest

from runner.environment import variables_of
from runner.errors import InputError


def test_the_nearest_file_above_the_folder_adds_its_variables(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("FAR=1\n")
    project = tmp_path / "project"
    (project / "deep" / "down").mkdir(parents=True)
    (project / ".env").write_text("# keys\nexport NEAR='two words'\nEMPTY=\nBARE\n")

    assert variables_of(project / "deep" / "down", {"HOME": "/h"}).merged == {
        "HOME": "/h",
        "NEAR": "two words",
        "EMPTY": "",
    }


def test_a_real_variable_is_never_overridden(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("KEY=file\n")

    assert variables_of(tmp_path, {"KEY": "real"}).merged == {"KEY": "real"}


def test_a_folder_of_that_name_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("KEY=file\n")
    (tmp_path / "project" / ".env").mkdir(parents=True)

    assert variables_of(tmp_path / "project", {}).merged == {"KEY": "file"}


def test_the_process_keeps_its_own_variables(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("KEY=file\n")
    given = {"A": "1"}

    variables_of(tmp_path, given).merged["B"] = "2"

    assert given == {"A": "1"}


def test_a_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"KEY=\xff\xfe\n")

    with pytest.raises(InputError, match=r"\.env"):
        variables_of(tmp_path, {})
