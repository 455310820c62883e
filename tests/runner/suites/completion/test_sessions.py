"""All tests of a repository in as many sessions of pytest as it takes."""

from pathlib import Path

import pytest

from runner.errors import InputError
from runner.execution.repository_judge import Judge
from runner.suites.completion.baseline import baseline
from runner.suites.completion.sessions import ALL_THE_SAME, Patience, run_all

BREAKERS = """
import os, pytest, signal, sys, time
from pair import double

@pytest.fixture(scope="module")
def four(): return double(2)

def test_first(four): assert four == 4
def test_ends_all(four):
    {code}
def test_last(four): assert four == 4 and double(3) == 6
"""
SHORT = Patience(test_s=2.0, idle_s=4.0)


def names(tests: object) -> list[str]:
    return [str(test).rpartition("::")[2] for test in tests]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "code, how",
    [
        pytest.param("time.sleep(60)", "no end within 2 s of the processor, or 4 s", id="hangs"),
        pytest.param("while True: four += 1", "no end within 2 s of the processor, or 4 s", id="loops"),
        pytest.param(
            "signal.signal(15, signal.SIG_IGN); os.kill(-1, 15); time.sleep(60)",
            "no end within 2 s of the processor, or 4 s",
            id="hangs alone",
        ),
        pytest.param("os._exit(7)", "all tests ended with exit code 7", id="exits"),
        pytest.param("pytest.exit('enough')", "all tests ended with exit code 2", id="ends the session"),
        pytest.param("os.kill(os.getpid(), 11)", "Fatal Python error: Segmentation fault", id="crashes"),
    ],
)
@pytest.mark.slow
def test_what_breaks_all_tests_off_costs_only_itself(repo: Path, judge: Judge, code: str, how: str) -> None:
    (repo / "tests" / "test_pair.py").write_text(BREAKERS.format(code=code))

    with Judge(repo, judge.target, judge.isolation) as other:
        found = baseline(other, SHORT)

    assert names(trace.test for trace in found.traces) == ["test_first", "test_last"]
    assert names(found.left_out) == ["test_ends_all"]
    assert names(name for name, _ in found.broken) == ["test_ends_all"]
    assert how in found.broken[0][1]


def test_many_that_end_all_tests_are_a_reason_to_stop(repo: Path, judge: Judge) -> None:
    text = "import os\n" + "".join(f"def test_{number}(): os._exit(1)\n" for number in range(3))
    (repo / "tests" / "test_pair.py").write_text(text)

    with (
        Judge(repo, judge.target, judge.isolation) as other,
        pytest.raises(InputError, match=r"the tests cannot be run: 2 times all tests were ended, such as by "),
    ):
        run_all(other, Patience(most_broken=1))


@pytest.mark.slow
def test_a_file_whose_import_ends_all_tests_is_named(repo: Path, judge: Judge) -> None:
    (repo / "tests" / "test_other.py").write_text("import sys\nsys.exit(0)\n")

    with Judge(repo, judge.target, judge.isolation) as other:
        with pytest.raises(InputError, match=r"tests/test_other\.py cannot be imported .*: all tests ended with"):
            baseline(other)
        found = baseline(other, allow_failing=True)

    assert names(trace.test for trace in found.traces) == ["test_clamp", "test_double", "test_low"]
    assert found.left_out == ()


def test_no_test_is_run_where_a_file_cannot_be_imported(repo: Path, judge: Judge) -> None:
    (repo / "tests" / "test_z.py").write_text("import absent_library\n")

    with Judge(repo, judge.target, judge.isolation) as other:
        found = run_all(other, Patience())
        all_the_same = run_all(other, Patience(), words=(ALL_THE_SAME,))

    assert (len(found.tests), [*found.uncollected]) == (0, ["tests/test_z.py"])
    assert (len(all_the_same.tests), all_the_same.uncollected) == (3, found.uncollected)


PARTS = """
import os, sys, unittest
from pair import double

class TestParts(unittest.TestCase):
    def test_some(self):
        for number in range(3):
            with self.subTest(number=number):
                if number == 1: self.skipTest("one")
    def test_all(self):
        for number in range(3):
            with self.subTest(number=number):
                self.assertEqual(double(number), 2 * number)

def test_whose_child_goes_on():
    if os.fork() == 0:
        sys.exit(0)
    os.wait()
"""


def test_a_test_of_which_a_part_is_skipped_is_none_that_passes(repo: Path, judge: Judge) -> None:
    (repo / "tests" / "test_pair.py").write_text(PARTS)

    with Judge(repo, judge.target, judge.isolation) as other:
        found = baseline(other, allow_failing=True)

    assert names(trace.test for trace in found.traces) == ["test_all", "test_whose_child_goes_on"]
    assert names(found.left_out) == ["test_some"]


@pytest.mark.slow
def test_options_that_end_all_tests_at_the_first_failure_do_not(repo: Path, judge: Judge) -> None:
    (repo / "pytest.ini").write_text("[pytest]\naddopts = -x\n")
    (repo / "tests" / "test_a.py").write_text("def test_bad(): assert 0\n")

    with Judge(repo, judge.target, judge.isolation) as other:
        found = baseline(other, allow_failing=True)

    assert len(found.traces) == 3


def test_an_error_in_a_hook_is_told(repo: Path, judge: Judge) -> None:
    hook = "def pytest_collection_modifyitems(items):\n    raise KeyError('absent')\n"
    (repo / "conftest.py").write_text(hook)

    with (
        Judge(repo, judge.target, judge.isolation) as other,
        pytest.raises(InputError, match="the tests cannot be run: KeyError: 'absent'; fix that, or"),
    ):
        run_all(other, Patience())
