"""A digest changes with what a parser, an algorithm or a plug-in does, and with nothing else."""

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import orjson
import pytest

from diff_apply import DIFF_ALGORITHMS
from diff_apply.checked import checked
from diff_apply.engine_v1 import EngineV1
from diff_apply.places import Rules
from diff_apply.result import Applied
from parsers import PARSERS
from runner.digests import (
    algorithm_digest,
    composition_digest,
    module_digest,
    parser_digest,
    same_behaviour,
)
from runner.suites.completion.chains import CHAINS, choose_chains
from runner.suites.edit.answer_form import WHOLE_FILE
from tests.pythons import VERSIONS, interpreters

ROOT = Path(__file__).parents[2]
KNOWN: dict[str, list[str]] = orjson.loads((ROOT / "runner" / "digests.json").read_bytes())
# Needs nothing that is installed: chains and plug-ins use the same functions.
PRINT = """
from diff_apply import DIFF_ALGORITHMS
from parsers import PARSERS
from runner.digests import algorithm_digest, parser_digest
for name in PARSERS:
    print(name, parser_digest(name))
for name in DIFF_ALGORITHMS:
    print(name, algorithm_digest(name))
"""


def present() -> dict[str, str]:
    """The digests that runs are recorded with now."""
    return {
        **{name: parser_digest(name) for name in PARSERS},
        **{name: algorithm_digest(name) for name in DIFF_ALGORITHMS},
        **{chain.name: chain.digest for chain in choose_chains(CHAINS, "--chains")},
        WHOLE_FILE: module_digest(WHOLE_FILE, "parsers.fenced_file"),
    }


def digests_in(folder: Path, python: str = sys.executable) -> dict[str, str]:
    """What a Python of its own prints for the packages in a folder."""
    done = subprocess.run([python, "-c", PRINT], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    pairs = (line.split(" ") for line in done.stdout.splitlines())
    return dict(pairs)


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A folder with copies of the packages that parsers and algorithms need."""
    for package in ("parsers", "diff_apply"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "runner").mkdir()
    for name in ("__init__.py", "digests.py", "source_text.py"):
        shutil.copy(ROOT / "runner" / name, tmp_path / "runner")
    return tmp_path


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.parametrize("name", [*PARSERS, *DIFF_ALGORITHMS])
def test_each_name_has_a_digest_of_its_own(name: str) -> None:
    digests = present()

    assert re.fullmatch("[0-9a-f]{8}", digests[name])
    assert [other for other, digest in digests.items() if digest == digests[name]] == [name]


@pytest.mark.parametrize("digest", [parser_digest, algorithm_digest])
def test_an_unknown_name_has_no_digest(digest: Callable[[str], str]) -> None:
    with pytest.raises(KeyError):
        digest("v99")


@pytest.mark.parametrize("version", VERSIONS)
def test_every_supported_python_computes_the_same_digests(copied: Path, version: str) -> None:
    python = interpreters().get(version)
    if python is None:
        pytest.skip(f"Python {version} is not installed")

    digests = digests_in(copied, python)

    assert digests == {name: digest for name, digest in present().items() if name in digests}
    assert set(digests) == {*PARSERS, *DIFF_ALGORITHMS}


def test_comments_docstrings_and_blank_lines_change_no_digest(copied: Path) -> None:
    for path in [*(copied / "parsers").glob("*.py"), *(copied / "diff_apply").glob("*.py")]:
        edit(path, '"""\n', ' Reworded."""\n\n\n# Said anew.\n')

    digests = digests_in(copied)

    assert digests == {name: digest for name, digest in present().items() if name in digests}


@pytest.mark.parametrize(
    "module, old, new, changed",
    [
        pytest.param("diff_apply/places.py", "_SHOWN = 3", "_SHOWN = 4", {"v4"}, id="a module of v4 alone"),
        pytest.param("parsers/line_number.py", "_MOST_DIGITS = 9", "_MOST_DIGITS = 8", {"line-number"}, id="a parser"),
        pytest.param(
            "parsers/blocks.py", "partial: bool = False", "partial: bool = True", {*PARSERS}, id="a shared one"
        ),
        pytest.param("diff_apply/stages.py", "max(cursor, 0)", "cursor", {*DIFF_ALGORITHMS} - {"v4"}, id="a stage"),
        pytest.param("diff_apply/__init__.py", "checked(Rules())", "checked(Rules(margin=0.2))", {"v4"}, id="a rule"),
    ],
)
def test_a_change_of_behaviour_changes_the_digests_of_what_depends_on_it(
    copied: Path, module: str, old: str, new: str, changed: set[str]
) -> None:
    edit(copied / module, old, new)

    before, after = present(), digests_in(copied)

    assert {name for name, digest in after.items() if digest != before[name]} == changed


def test_a_composition_is_told_apart_by_its_parts() -> None:
    v3 = DIFF_ALGORITHMS["v3"]
    assert isinstance(v3, EngineV1)

    assert composition_digest("v3", v3) == algorithm_digest("v3")
    assert composition_digest("v3", replace(v3, stages=v3.stages[:2])) != algorithm_digest("v3")
    assert composition_digest("v4", checked(Rules(similar=0.95))) != algorithm_digest("v4")


def own(original: str, diff: str, *, final: bool = True) -> Applied:
    """An algorithm that is a function."""
    return Applied(diff if final else original)


def test_a_function_is_a_composition_too() -> None:
    assert re.fullmatch("[0-9a-f]{8}", composition_digest("own", own))


def test_a_plug_in_is_its_module_and_what_it_imports_from_its_package(tmp_path: Path) -> None:
    digests: list[str] = []
    for body in ("LIMIT = 1\n", "# The limit.\nLIMIT = 1\n", "LIMIT = 2\n"):
        folder = tmp_path / str(len(digests)) / "plug_in_of_two"
        folder.mkdir(parents=True)
        (folder / "__init__.py").touch()
        (folder / "rules.py").write_text(body, encoding="utf-8")
        (folder / "main.py").write_text("import json\nfrom . import rules\nfrom .absent import x\n", encoding="utf-8")
        code = "from runner.digests import plug_in_digest; print(plug_in_digest('plug_in_of_two.main'))"
        command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(folder.parent)!r}); {code}"]
        digests.append(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout)

    assert digests[0] == digests[1] != digests[2]


@pytest.mark.parametrize("name", KNOWN)
def test_the_table_of_equal_digests_knows_the_present_ones(name: str) -> None:
    told = f"{name}: if it still does the same, put {present()[name]!r} first in its row of runner/digests.json"

    assert present()[name] == KNOWN[name][0], f"{told}; if not, it needs a new name"


def test_the_table_has_a_row_for_every_name_and_no_digest_twice() -> None:
    every = [digest for row in KNOWN.values() for digest in row]

    assert set(KNOWN) == set(present())
    assert len(every) == len(set(every))


def test_digests_of_one_row_mean_the_same_behaviour() -> None:
    now, before = (f"v3@{digest}" for digest in KNOWN["v3"][:2])

    assert same_behaviour(before, now)
    assert same_behaviour([before, "v1@00000000"], [now, "v1@00000000"])
    assert not same_behaviour("v3@00000000", now)
    assert not same_behaviour([before], [now, now])
    assert not same_behaviour(before.replace("v3", "v2"), now)
