"""What a build notes of a repository: its licence, the date of its commit, the first release that has it."""

from pathlib import Path

import pytest

from runner.suites.completion.provenance import Provenance, provenance_of
from tests.repositories import git, make_repository

MIT = "Permission is hereby granted, free of charge, to any\nperson obtaining a copy ... sublicense, and/or sell"
BSD = "Redistribution and use in source and binary  forms, with or without modification"
THREE = f"{BSD}\n may be used to endorse or promote products derived from this software"


@pytest.mark.parametrize(
    "files, licence, file",
    [
        pytest.param({"LICENSE.txt": MIT}, "MIT", "LICENSE.txt", id="MIT"),
        pytest.param({"COPYING": BSD}, "BSD-2-Clause", "COPYING", id="two clauses"),
        pytest.param({"licence.rst": THREE}, "BSD-3-Clause", "licence.rst", id="three clauses"),
        pytest.param(
            {"LICENSE": f"{THREE} All advertising materials mentioning features"},
            "unknown",
            "LICENSE",
            id="four clauses",
        ),
        pytest.param({"LICENSE": "GNU GENERAL PUBLIC LICENSE Version 3"}, "unknown", "LICENSE", id="GPL"),
        pytest.param(
            {"LICENSE": MIT, "LICENSE.vendored": BSD, "pyproject.toml": '[project]\nlicense = "MIT OR Apache-2.0"'},
            "MIT OR Apache-2.0",
            "LICENSE",
            id="stated as an expression",
        ),
        pytest.param(
            {"LICENSE": BSD, "pyproject.toml": '[project]\nlicense = {text = "MIT"}'},
            "BSD-2-Clause",
            "LICENSE",
            id="the text before what is no expression",
        ),
        pytest.param({"pyproject.toml": '[tool.poetry]\nlicense = "MIT"'}, "MIT", "", id="stated by poetry"),
        pytest.param({"pyproject.toml": '[project]\nlicense = "see the\\nfile"'}, "unknown", "", id="no expression"),
        pytest.param({"pyproject.toml": "[project\n"}, "unknown", "", id="no TOML"),
        pytest.param({"pyproject.toml": "project = 1\ntool = []"}, "unknown", "", id="no tables"),
    ],
)
def test_a_licence_is_what_the_project_states_or_its_text_is(
    tmp_path: Path, files: dict[str, str], licence: str, file: str
) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)

    assert provenance_of(tmp_path) == Provenance(licence, file)


def test_the_first_release_is_the_oldest_tag_of_a_version_that_contains_the_commit(tmp_path: Path) -> None:
    first, second, third = make_repository(tmp_path, {"a.py": b"1"}, {"a.py": b"2"}, {"a.py": b"3"})
    git(tmp_path, "tag", "v0.9.0", first)
    git(tmp_path, "tag", "checked-by-ada", second)
    git(tmp_path, "tag", "v1.0.1", third)
    git(tmp_path, "checkout", "--quiet", second)

    found = provenance_of(tmp_path)

    assert found == Provenance("unknown", "", "2023-11-14", "v1.0.1", "2023-11-14")
    assert found.line == "licence unknown; commit of 2023-11-14; first release with it: v1.0.1 of 2023-11-14"


def test_a_commit_that_no_release_has_has_no_date_of_one(tmp_path: Path) -> None:
    make_repository(tmp_path, {"a.py": b"1"})

    assert provenance_of(tmp_path) == Provenance("unknown", "", "2023-11-14")
