"""Copies of a repository: what they hold, and where the truth could be read."""

from pathlib import Path

import pytest

from runner.errors import InputError
from runner.execution.copies import Copy, JudgeTarget, roots, target, tree_digest, tree_files, truths
from runner.execution.isolation import Cell
from runner.execution.sandbox import ProcessLimits
from tests.completion import CODE


@pytest.mark.parametrize(
    "paths, found",
    [
        pytest.param(["a.py"], ("", "src"), id="flat"),
        pytest.param(["src/pair/__init__.py"], ("", "src"), id="src"),
        pytest.param(["lib/pair/__init__.py"], ("", "src", "lib"), id="lib"),
        pytest.param(["python/pair/__init__.py", "lib/a.c"], ("", "src", "python"), id="beside another language"),
        pytest.param(["lib/__init__.py", "lib/pair/__init__.py"], ("", "src"), id="a package of that name"),
    ],
)
def test_imports_begin_where_packages_are(paths: list[str], found: tuple[str, ...]) -> None:
    assert roots(paths) == found


def test_a_package_in_a_folder_of_libraries_is_found_by_its_tests(
    tmp_path: Path, repo: Path, interpreter: JudgeTarget
) -> None:
    (repo / "lib" / "pairs").mkdir(parents=True)
    (repo / "pair.py").rename(repo / "lib" / "pairs" / "__init__.py")
    test = repo / "tests" / "test_pair.py"
    test.write_text(test.read_text().replace("from pair", "from pairs"))
    cell = Cell(tmp_path / "cell")
    cell.folder.mkdir()

    ran = Copy(cell, tree_files(repo), interpreter).run("lib/pairs/__init__.py", CODE, ["-q"], ProcessLimits(wall_s=60))

    assert ran.exit_code == 0, ran.stdout


@pytest.mark.parametrize(
    "name, text",
    [
        pytest.param("pytest.ini", "[pytest]\naddopts = --absent-option\n", id="options"),
        pytest.param("setup.py", "", id="a root"),
    ],
)
def test_what_is_configured_above_a_copy_is_not_for_it(
    repo: Path, tmp_path: Path, interpreter: JudgeTarget, name: str, text: str
) -> None:
    (tmp_path / name).write_text(text)
    cell = Cell(tmp_path / "cell")
    cell.folder.mkdir()

    ran = Copy(cell, tree_files(repo), interpreter).run(None, "", ["-v"], ProcessLimits(wall_s=60))

    assert ran.exit_code == 0, ran.stderr
    assert f"rootdir: {cell.folder}/tree\n" in ran.stdout.decode()


@pytest.mark.parametrize(
    "options",
    [
        pytest.param("addopts = --ff --nf\ncache_dir = here", id="uses it"),
        pytest.param("addopts = -p no:cacheprovider --strict-config", id="does without"),
    ],
)
def test_a_repository_may_use_pytests_cache_or_not(
    repo: Path, tmp_path: Path, interpreter: JudgeTarget, options: str
) -> None:
    (repo / "pytest.ini").write_text(f"[pytest]\n{options}\n")
    cell = Cell(tmp_path / "cell")
    cell.folder.mkdir()

    ran = Copy(cell, tree_files(repo), interpreter).run(None, "", ["-q"], ProcessLimits(wall_s=60))

    assert ran.exit_code == 0, ran.stderr


CHANCE = """
import random
import pytest
FIRST = [random.random()]

@pytest.fixture
def given(): return random.random()

def test_one(given): print("drawn", given, random.random())
def test_two(given): print("drawn", given, random.random())
"""


def test_tests_draw_the_same_numbers_every_time(repo: Path, tmp_path: Path, interpreter: JudgeTarget) -> None:
    (repo / "tests" / "test_pair.py").write_text(CHANCE)
    cell = Cell(tmp_path / "cell")
    cell.folder.mkdir()
    copy = Copy(cell, tree_files(repo), interpreter)

    both = copy.run(None, "", ["-q", "-s"], ProcessLimits(wall_s=60)).stdout.decode()
    alone = copy.run(None, "", ["-q", "-s", "tests/test_pair.py::test_two"], ProcessLimits(wall_s=60)).stdout.decode()

    drawn = [line.partition("drawn")[2] for line in (both + alone).splitlines() if "drawn" in line]
    assert len(drawn) == 3
    assert len({*drawn}) == 1


def test_caches_environments_and_links_that_lead_out_are_not_copied(repo: Path, tmp_path: Path) -> None:
    for folder in (".git", "__pycache__", "env", "node_modules", ".venv"):
        (repo / folder).mkdir()
        (repo / folder / "x.py").write_text("x = 1\n")
    (repo / "env" / "pyvenv.cfg").touch()
    (tmp_path / "out.py").touch()
    (repo / "out.py").symlink_to(tmp_path / "out.py")
    (repo / "alias.py").symlink_to("pair.py")

    assert [*tree_files(repo)] == ["alias.py", "pair.py", "tests/test_pair.py"]


def test_a_digest_tells_trees_apart_by_paths_and_bytes(repo: Path) -> None:
    first = tree_digest(tree_files(repo))

    (repo / "pair.py").rename(repo / "pear.py")
    renamed = tree_digest(tree_files(repo))
    (repo / "pear.py").write_text("other\n")

    assert len({first, renamed, tree_digest(tree_files(repo))}) == 3


def installed(site: Path) -> None:
    for path in ("pair.py", "__pycache__/pair.cpython-311.pyc", "pairs/__init__.py", "pairs-1.dist-info/METADATA"):
        (site / path).parent.mkdir(parents=True, exist_ok=True)
        (site / path).touch()


def test_the_repository_and_installed_copies_hold_the_truth(repo: Path, tmp_path: Path) -> None:
    site = tmp_path / "site-packages"
    installed(site)
    (repo / "src" / "pairs").mkdir(parents=True)
    (repo / "src" / "pairs" / "__init__.py").touch()

    found = truths(repo, JudgeTarget("python", "", (3, 11), site=(site,)), tree_files(repo))

    assert {*found} == {repo, site / "pair.py", site / "__pycache__" / "pair.cpython-311.pyc", site / "pairs"}


def test_an_installed_package_that_a_folder_does_not_hide_is_needed(repo: Path, tmp_path: Path) -> None:
    site = tmp_path / "site-packages"
    installed(site)
    (repo / "pairs").mkdir()
    (repo / "pairs" / "notes.py").touch()

    found = truths(repo, JudgeTarget("python", "", (3, 11), site=(site,)), tree_files(repo))

    assert site / "pairs" not in found


def test_an_interpreter_within_the_repository_stays_in_sight(repo: Path) -> None:
    needed = repo / "deep" / "env"
    needed.mkdir(parents=True)

    found = truths(repo, JudgeTarget("python", "", (3, 11), (needed,)), tree_files(repo))

    assert {*found} == {repo / "pair.py", repo / "tests"}


def test_an_interpreter_tells_of_itself(interpreter: JudgeTarget, with_plugins: JudgeTarget) -> None:
    assert interpreter.version >= (3, 11)
    assert any(Path(interpreter.python).resolve().is_relative_to(place) for place in interpreter.needed)
    assert any((place / "pytest").is_dir() for place in interpreter.site)
    assert interpreter.words == ()
    assert {"-n0", "--hypothesis-seed=0"} <= {*with_plugins.words}


def test_a_program_that_ends_well_and_says_nothing_is_no_interpreter() -> None:
    with pytest.raises(InputError, match=r"--python /bin/true: no Python interpreter; give one"):
        target("/bin/true", "")


def test_an_interpreter_that_is_too_old_is_refused(tmp_path: Path) -> None:
    old = tmp_path / "python"
    old.write_text("#!/bin/sh\necho '[[3, 8], [], [], []]'\n")
    old.chmod(0o755)

    with pytest.raises(InputError, match=r"--python .*: Python 3\.8; give one of 3\.9 or later"):
        target(str(old), "")


def test_a_program_that_is_no_interpreter_is_refused() -> None:
    with pytest.raises(InputError, match=r"--python /bin/false: .*give an interpreter"):
        target("/bin/false", "")
