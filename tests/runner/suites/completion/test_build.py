"""Building a data set from a repository, and proving it again."""

import os
import re
from pathlib import Path

import pytest

from runner.errors import InputError
from runner.execution.copies import JudgeTarget, tree_files
from runner.execution.isolation import GROUP_ONLY, Isolation
from runner.execution.repository_judge import Judge
from runner.execution.verdicts import Known
from runner.suites.completion.baseline import baseline
from runner.suites.completion.build import Wanted, build
from runner.suites.completion.dataset import write_dataset
from runner.suites.completion.provenance import commit_of
from runner.suites.completion.sessions import Patience
from tests.repositories import commit, git


def test_the_lines_of_functions_that_each_test_executes_are_known(judge: Judge) -> None:
    found = baseline(judge)

    assert {trace.test.rpartition("::")[2]: {**trace.call} for trace in found.traces} == {
        "test_clamp": {"pair.py": frozenset({9, 11, 12, 13}), "tests/test_pair.py": frozenset({9})},
        "test_double": {"pair.py": frozenset({5}), "tests/test_pair.py": frozenset({5})},
        "test_low": {"pair.py": frozenset({9, 10}), "tests/test_pair.py": frozenset({13})},
    }
    assert found.left_out == ()


FLAKY = """
import pathlib, pytest
HERE = pathlib.Path(__file__).parent / "seen"

@pytest.fixture
def three():
    from pair import double
    return double(1) + 1

def test_good(three): assert three == 3
def test_skipped(): pytest.skip("no")
@pytest.mark.xfail
def test_expected(): assert False
"""


def test_only_tests_that_pass_count_and_fixtures_are_told_apart(repo: Path, judge: Judge) -> None:
    (repo / "tests" / "test_pair.py").write_text(FLAKY)

    with Judge(repo, judge.target, judge.isolation) as other:
        found = baseline(other)

    assert [trace.test for trace in found.traces] == ["tests/test_pair.py::test_good"]
    assert found.traces[0].fixtures["pair.py"] == frozenset({5})
    assert "pair.py" not in found.traces[0].call
    assert len(found.left_out) == 2


@pytest.mark.parametrize(
    "tests, told",
    [
        pytest.param(
            "def test_bad(): assert 1 == 2\n",
            "1 tests fail every time, such as tests/test_pair.py::test_bad: assert 1 == 2; fix that, or give --allow",
            id="red",
        ),
        pytest.param("x = 1\n", "there are no tests that pytest finds", id="none"),
        pytest.param(
            "import absent_library\n",
            "tests/test_pair.py cannot be imported (1 such): ModuleNotFoundError: No module named 'absent_library'; "
            "give --python an interpreter that has it, or --install a command that installs it",
            id="dependency",
        ),
        pytest.param(
            "def test_bad(absent): pass\n",
            "such as tests/test_pair.py::test_bad: fixture 'absent' not found; give --python an interpreter that has",
            id="a fixture of a plug-in",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "import socket\ndef test_bad(): socket.create_connection(('192.0.2.1', 80), timeout=3)\n",
            "Network is unreachable; tests run without a network: give --allow-failing",
            id="a network",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "async def test_bad(): pass\n",
            "async def functions are not natively supported.; give --python an interpreter that has the plug-in",
            id="a plug-in for async tests",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "import own._fast\n",
            "tests/test_pair.py cannot be imported (1 such): ModuleNotFoundError: No module named 'own._fast'; "
            "the repository's own build makes it: run that in place",
            id="compiled",
        ),
        pytest.param(
            "from importlib.metadata import version\nversion('absent-library')\n",
            "PackageNotFoundError: No package metadata was found for absent-library; its metadata is not there: ",
            id="metadata",
            marks=pytest.mark.slow,
        ),
        pytest.param("def (\n", "tests/test_pair.py cannot be imported (1 such): SyntaxError", id="syntax"),
        pytest.param(
            "import pytest\ndef test_skipped(): pytest.skip('no')\n",
            "none of 1 tests passes every time, such as tests/test_pair.py::test_skipped; fix that",
            id="skipped",
        ),
    ],
)
def test_a_repository_without_a_green_baseline_is_refused(repo: Path, judge: Judge, tests: str, told: str) -> None:
    (repo / "tests" / "test_pair.py").write_text(tests)
    (repo / "src" / "own").mkdir(parents=True)
    (repo / "src" / "own" / "__init__.py").touch()

    with (
        Judge(repo, judge.target, judge.isolation) as other,
        pytest.raises(InputError, match=re.escape(told)),
    ):
        baseline(other)


_OF_A_PLUGIN = "; give --python an interpreter that has the plug-in it is of, or --install a command that installs it"


@pytest.mark.slow
@pytest.mark.parametrize(
    "name, text, told",
    [
        pytest.param(
            "pytest.ini",
            "addopts = --absent-option",
            f"unrecognized arguments: --absent-option{_OF_A_PLUGIN}",
            id="option",
        ),
        pytest.param(
            "pytest.ini",
            "required_plugins = pytest-absent",
            f"Missing required plugins: pytest-absent{_OF_A_PLUGIN}",
            id="plugin",
        ),
        pytest.param(
            "tox.ini",
            "absent = 1\nfilterwarnings = error",
            f"Unknown config option: absent{_OF_A_PLUGIN}",
            id="setting",
        ),
        pytest.param(
            "pytest.ini",
            "minversion = 99",
            "cannot be run: ERROR: pytest.ini: 'minversion' requires pytest-99, actual pytest-",
            id="version",
        ),
    ],
)
def test_options_that_pytest_does_not_know_are_named(repo: Path, judge: Judge, name: str, text: str, told: str) -> None:
    (repo / name).write_text(f"[pytest]\n{text}\n")

    with (
        Judge(repo, judge.target, judge.isolation) as other,
        pytest.raises(InputError, match=re.escape(told)),
    ):
        baseline(other)


TWO_FILES = """
import sys
from pair import double
def test_good(): assert double(2) == 4
def test_hates_traces(): assert sys.gettrace() is None
"""


def test_a_test_that_tracing_disturbs_is_left_out(repo: Path, judge: Judge) -> None:
    (repo / "tests" / "test_pair.py").write_text(TWO_FILES)

    with Judge(repo, judge.target, judge.isolation) as other:
        found = baseline(other)

    assert [trace.test for trace in found.traces] == ["tests/test_pair.py::test_good"]
    assert found.unsteady == found.left_out == ("tests/test_pair.py::test_hates_traces",)


@pytest.mark.slow
def test_failing_tests_and_files_can_be_left_out(repo: Path, judge: Judge) -> None:
    (repo / "tests" / "test_pair.py").write_text(TWO_FILES + "def test_bad(): assert 0\n")
    (repo / "tests" / "test_other.py").write_text("import absent_library\n")

    with Judge(repo, judge.target, judge.isolation) as other:
        found = baseline(other, allow_failing=True)

    assert [trace.test.rpartition("::")[2] for trace in found.traces] == ["test_good"]
    assert [name.rpartition("::")[2] for name in found.left_out] == ["test_bad", "test_hates_traces"]
    assert dict(found.failing)["tests/test_pair.py::test_bad"] == "assert 0"


@pytest.mark.slow
def test_tests_that_are_spread_over_processes_by_default_are_traced_all_the_same(
    repo: Path, with_plugins: JudgeTarget, isolation: Isolation
) -> None:
    (repo / "pytest.ini").write_text("[pytest]\naddopts = -n 2\n")

    with Judge(repo, with_plugins, isolation) as other:
        found = baseline(other)

    assert len(found.traces) == 3
    assert all(trace.call["pair.py"] for trace in found.traces)


LOOPS = """
def count(n):
    total = 0
    for i in range(n):
        total += i
        if total < 0:
            return None
    return total
def lazy(n):
    for i in range(n):
        yield i
one = lambda x: x + 1
class Wrapped:
    @property
    def two(self):
        return 2
"""
USES = """
from loops import count, lazy, one, Wrapped
def test_count(): assert count(9) == 36
def test_again(): assert count(0) + count(3) == 3
def test_lazy(): assert list(lazy(3)) == [0, 1, 2] and one(1) == Wrapped().two
"""


def test_lines_that_are_executed_again_are_lines_of_each_test(repo: Path, judge: Judge) -> None:
    (repo / "loops.py").write_text(LOOPS)
    (repo / "tests" / "test_pair.py").write_text(USES)

    with Judge(repo, judge.target, judge.isolation) as other:
        found = baseline(other)

    assert {trace.test.rpartition("::")[2]: sorted(trace.call["loops.py"]) for trace in found.traces} == {
        "test_again": [3, 4, 5, 6, 8],
        "test_count": [3, 4, 5, 6, 8],
        "test_lazy": [10, 11, 12, 16],
    }


def test_tests_that_reach_nothing_are_refused(repo: Path, judge: Judge) -> None:
    (repo / "tests" / "test_pair.py").write_text("def test_nothing(): pass\n")

    with (
        Judge(repo, judge.target, judge.isolation) as other,
        pytest.raises(InputError, match="no test executes"),
    ):
        build(other, Wanted("repo"), say=lambda _: None)


def test_an_interpreter_that_is_none_is_refused(repo: Path, interpreter: JudgeTarget) -> None:
    with (
        Judge(repo, JudgeTarget("/absent/python", "", interpreter.version), GROUP_ONLY) as other,
        pytest.raises(InputError, match="the tests cannot be run"),
    ):
        baseline(other)


@pytest.mark.slow
def test_a_build_is_the_same_with_any_number_of_workers_and_after_an_interruption(
    repo: Path, judge: Judge, tmp_path: Path
) -> None:
    known = Known(tmp_path / "verdicts")
    texts = []
    for workers in (1, 3):
        with Judge(repo, judge.target, judge.isolation, known) as other:
            built = build(other, Wanted("repo", workers=workers), say=lambda _: None)
        write_dataset(built.dataset, tmp_path / f"{workers}.jsonl")
        texts.append((tmp_path / f"{workers}.jsonl").read_text())
        known = Known()

    with Judge(repo, judge.target, judge.isolation, Known(tmp_path / "verdicts")) as other:
        again = build(other, Wanted("repo", workers=2), say=lambda _: None)

    assert texts[0] == texts[1]
    assert again.dataset.tasks == built.dataset.tasks
    assert {task.block_type for task in built.dataset.tasks} == {"METHOD", "IF", "WHILE", "STATEMENT"}
    assert all(task.proof is not None and task.tests for task in built.dataset.tasks)


IDLE = """\
try:
        y = 1
    except NotImplementedError:
        pass
    return x + x"""


@pytest.mark.slow
def test_what_nothing_tests_is_listed_and_what_is_only_executed_says_so(repo: Path, judge: Judge) -> None:
    (repo / "pair.py").write_text((repo / "pair.py").read_text().replace("return x + x", IDLE))

    with Judge(repo, judge.target, judge.isolation) as other:
        built = build(other, Wanted("repo", scenes=frozenset({"1.1"})), say=lambda _: None)

    assert [(one.span.start_line, one.block_type, one.fillings) for one in built.dataset.survivors] == [
        (6, "STATEMENT", ("pass", "raise NotImplementedError"))
    ]
    assert not any(task.span == built.dataset.survivors[0].span for task in built.dataset.tasks)
    proofs = {task.block_type: task.proof for task in built.dataset.tasks if task.span.start_line == 5}
    assert proofs["TRY"] is not None
    assert proofs["TRY"].killed_by == "raise"


@pytest.mark.slow
def test_sources_that_cannot_be_written_as_utf8_have_no_holes(repo: Path, judge: Judge) -> None:
    code = b"def sign(x):\n    return '\xe9' if x else ''\n"
    (repo / "latin.py").write_bytes(b"# coding: latin-1\n" + code)
    (repo / os.fsdecode(b"l\xe4tin.py")).write_text("def sign(x):\n    return 1 if x else 0\n")
    test = repo / "tests" / "test_pair.py"
    test.write_text(
        test.read_text() + "def test_latin():\n    from latin import sign\n    assert sign(1) and not sign(0)\n"
    )

    with Judge(repo, judge.target, judge.isolation) as other:
        built = build(other, Wanted("repo", scenes=frozenset({"1.1"}), limit=1), say=lambda _: None)

    assert {task.file for task in built.dataset.tasks} == {"pair.py"}


def test_a_worktree_whose_git_is_a_file_is_copied_without_it_and_its_commit_is_known(
    repo: Path, tmp_path: Path
) -> None:
    worktree = tmp_path / "worktree"
    git(repo, "init", "--quiet")
    head = commit(repo)
    git(repo, "worktree", "add", "--quiet", str(worktree))

    assert (worktree / ".git").is_file()
    assert commit_of(worktree) == head
    assert {*tree_files(worktree)} == {*tree_files(repo)}


def test_a_git_file_that_names_a_repository_which_is_not_there_means_no_commit(repo: Path) -> None:
    (repo / ".git").write_text("gitdir: /nowhere/.git/modules/pair\n")

    assert commit_of(repo) == ""
    assert ".git" not in tree_files(repo)


def test_how_many_tests_have_ended_is_said_while_they_run(judge: Judge) -> None:
    lines: list[str] = []

    found = baseline(judge, Patience(quiet_s=0.01), say=lines.append)

    assert len(found.traces) == 3
    assert lines[0] == "all tests are run for the first time"
    counts = [int(line.rpartition(": ")[2]) for line in lines if line.startswith("tests that have ended")]
    assert counts
    assert set(counts) <= {0, 1, 2, 3}
