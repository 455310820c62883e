"""The judge: one verdict for whatever an answer does, and nothing left behind."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from runner.errors import InputError
from runner.execution.copies import JudgeTarget
from runner.execution.isolation import GROUP_ONLY, Isolation
from runner.execution.repository_judge import Judge
from runner.execution.verdicts import JudgeTask, Known, Verdict, VerdictKind
from tests.completion import CODE

DOUBLE = "tests/test_pair.py::test_double"
LOW = "tests/test_pair.py::test_low"
TRUTH = "return x + x"


def question(body: str, *tests: str) -> JudgeTask:
    return JudgeTask("pair.py", CODE.replace(TRUTH, body), tests or (DOUBLE,))


def test_the_truth_passes(judge: Judge) -> None:
    verdict = judge.judge(question(TRUTH, DOUBLE, LOW))

    assert (verdict.outcome, verdict.failing) == (VerdictKind.PASS, None)
    assert 0 < verdict.seconds < 30


def test_a_wrong_answer_fails_by_the_test_that_it_fails(judge: Judge) -> None:
    verdict = judge.judge(question("return x", LOW, DOUBLE))

    assert (verdict.outcome, verdict.failing) == (VerdictKind.FAIL, DOUBLE)
    assert "assert 3 == 6" in verdict.log


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("return (", id="open bracket"),
        pytest.param("return 1\n   return 2", id="indentation"),
        pytest.param("return '\0'", id="null"),
        pytest.param("return " + "(" * 300 + ")" * 300, id="too deep"),
    ],
)
def test_what_does_not_compile_is_told_without_a_run(judge: Judge, body: str) -> None:
    verdict = judge.judge(question(body))

    assert (verdict.outcome, verdict.seconds) == (VerdictKind.SYNTAX, 0.0)


def test_a_file_that_begins_with_a_byte_order_mark_compiles(judge: Judge) -> None:
    marked = JudgeTask("pair.py", f"\ufeff{CODE}", (DOUBLE,))

    assert judge.judge(marked).outcome is VerdictKind.PASS
    assert judge.syntax_error("\ufeff\ufeffx = 1") is not None


def test_a_broken_import_is_the_answers_fault(judge: Judge) -> None:
    broken = JudgeTask("pair.py", f"import absent_module\n{CODE}", (DOUBLE,))

    assert judge.judge(broken).outcome is VerdictKind.FAIL


def test_a_test_that_is_not_there_is_nobodys_fault(judge: Judge) -> None:
    verdict = judge.judge(question("return 7", "tests/test_pair.py::test_absent"))

    assert verdict.outcome is VerdictKind.INFRA
    assert "not found" in verdict.log


def test_a_test_that_is_skipped_does_not_pass(judge: Judge) -> None:
    skipping = "import pytest\n    pytest.skip('no')"

    assert judge.judge(question(skipping)).outcome is VerdictKind.FAIL


def test_an_answer_that_ends_the_whole_run_does_not_pass(judge: Judge) -> None:
    ending = "import pytest\n    pytest.exit('all is well', returncode=0)"

    assert judge.judge(question(ending)).outcome is VerdictKind.FAIL


@pytest.mark.slow
def test_two_hundred_conflicting_answers_leave_every_file_as_it_was(
    repo: Path, interpreter: JudgeTarget, isolation: Isolation
) -> None:
    before = {path: path.read_bytes() for path in repo.rglob("*") if path.is_file()}
    questions = [question(f"return x + {number}") for number in range(200)]

    with Judge(repo, interpreter, isolation) as judge, ThreadPoolExecutor(4) as pool:
        verdicts = list(pool.map(judge.judge, questions))
        with judge.copy() as copy:
            assert copy.text("pair.py") == CODE

    assert [number for number, one in enumerate(verdicts) if one.outcome is VerdictKind.PASS] == [3]
    assert {path: path.read_bytes() for path in repo.rglob("*") if path.is_file()} == before


def test_a_verdict_is_looked_for_once(repo: Path, interpreter: JudgeTarget, tmp_path: Path) -> None:
    known = tmp_path / "verdicts"
    with Judge(repo, interpreter, GROUP_ONLY, Known(known)) as first:
        given = first.judge(question("return 6"))
    broken = JudgeTarget("/absent/python", "", interpreter.version)

    with Judge(repo, broken, GROUP_ONLY, Known(known)) as second:
        assert second.judge(question("return 6")) == given
        assert second.judge(question("return 6", LOW)).outcome is VerdictKind.INFRA


def test_infrastructure_is_not_remembered(repo: Path, interpreter: JudgeTarget, tmp_path: Path) -> None:
    known = tmp_path / "verdicts"

    with Judge(repo, JudgeTarget("/absent/python", "", interpreter.version), GROUP_ONLY, Known(known)) as judge:
        assert judge.judge(question("return 6")).outcome is VerdictKind.INFRA

    assert not known.exists()


def test_a_line_that_was_cut_off_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "verdicts"
    Known(path).add("a", Verdict(VerdictKind.FAIL, "t", 0.5, "log"))
    with path.open("ab") as file:
        file.write(b'{"key": "b", "outc')

    known = Known(path)

    assert known.get("a") == Verdict(VerdictKind.FAIL, "t", 0.5, "log")
    assert known.get("b") is None
    known.forget()
    assert not path.exists()


def test_what_is_added_after_a_line_that_was_cut_off_is_known_later(tmp_path: Path) -> None:
    path = tmp_path / "verdicts"
    given = Verdict(VerdictKind.FAIL, "t", 0.5, "log")
    Known(path).add("a", given)
    with path.open("ab") as file:
        file.write(b'{"key": "b", "outc')
    Known(path).add("c", given)

    known = Known(path)

    assert [known.get(key) for key in ("a", "b", "c")] == [given, None, given]


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(b"{", id="no JSON"),
        pytest.param(b"[]", id="no object"),
        pytest.param(b"{}", id="no key"),
        pytest.param(b'{"key": "a", "outcome": "maybe"}', id="no outcome that there is"),
        pytest.param(b'{"key": "a", "outcome": "pass", "mood": 1}', id="unknown field"),
    ],
)
def test_a_whole_line_that_is_no_verdict_is_named(line: bytes, tmp_path: Path) -> None:
    path = tmp_path / "verdicts"
    Known(path).add("a", Verdict(VerdictKind.PASS))
    with path.open("ab") as file:
        file.write(line + b"\n")

    with pytest.raises(InputError, match="verdicts, line 2: no verdict of an earlier build; remove the file"):
        Known(path)


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(JudgeTask("b.py", "t", ("x",)), id="file"),
        pytest.param(JudgeTask("a.py", "u", ("x",)), id="text"),
        pytest.param(JudgeTask("a.py", "t", ("x", "y")), id="tests"),
        pytest.param(JudgeTask("a.py", "t", ("x",), repeat=1), id="repeat"),
    ],
)
def test_questions_that_differ_have_other_keys(other: JudgeTask) -> None:
    one = JudgeTask("a.py", "t", ("x",))

    assert one.key("tree") != other.key("tree")
    assert one.key("tree") != one.key("another tree")
    assert one.key("tree") == JudgeTask("a.py", "t", ("x",), seconds=9).key("tree")


def test_what_is_hidden_is_no_part_of_the_repository(repo: Path, judge: Judge) -> None:
    (repo / "built.jsonl").touch()

    with Judge(repo, judge.target, judge.isolation, hidden=(repo / "tests" / ".." / "built.jsonl",)) as other:
        assert other.tree == judge.tree
        assert "built.jsonl" not in other.files
