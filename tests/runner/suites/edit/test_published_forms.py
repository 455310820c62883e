"""CanItEdit and HumanEvalPack are read as published, and judged in the languages whose programs are installed."""

import json
import os
import shutil
from pathlib import Path

import pytest

from runner.errors import InputError
from runner.execution.script_judge import ScriptJudge
from runner.execution.toolchains import TOOLCHAINS, installed_commands
from runner.execution.verdicts import VerdictKind
from runner.suites.edit.check import prove
from runner.suites.edit.plan import choose_wordings
from runner.suites.edit.problems import EditProblem, parse_problem, read_problems
from runner.suites.edit.question import question

CANITEDIT = {
    "id": 7,
    "name": "half",
    "full_name": "7_half",
    "before": "def half(x):\n    return x\n",
    "after": "def half(x):\n    return x / 2\n",
    "tests": "assert half(4) == 2",
    "instruction_descriptive": "Make half return its argument divided by two.",
    "instruction_lazy": "halve it",
    "taxonomy": {"change_kind": "corrective", "libraries": [], "topic": "Math"},
}
# Of each language a fault and its repair, as HumanEvalPack has them: a declaration, two bodies and a test.
PACK = {
    "Python": ("def half(x):\n", "    return x\n", "    return x / 2\n", "assert half(4) == 2\n"),
    "JavaScript": (
        "const half = (x) => {\n",
        "  return x;\n}\n",
        "  return x / 2;\n}\n",
        "const test = () => { console.assert(half(4) === 2) }\ntest()\n",
    ),
    "Java": (
        "class Solution {\n    int half(int x) {\n",
        "        return x;\n    }\n}",
        "        return x / 2;\n    }\n}",
        (
            "public class Main {\n    public static void main(String[] args) {\n"
            "        if (new Solution().half(4) != 2) throw new AssertionError();\n    }\n}\n"
        ),
    ),
    "CPP": (
        "#include <vector>\nint half(int x){\n",
        "    return x;\n}\n",
        "    return x / 2;\n}\n",
        "#undef NDEBUG\n#include <assert.h>\nint main(){ assert(half(4) == 2); }\n",
    ),
    "Rust": (
        "fn half(x: i32) -> i32 {\n",
        "    x\n}\n",
        "    x / 2\n}\n",
        "#[cfg(test)]\nmod tests {\n    use super::*;\n    #[test]\n    fn halves() { assert_eq!(half(4), 2); }\n}\n",
    ),
    "Go": (
        "func Half(x int) int {\n",
        "    return x\n}\n",
        "    return x / 2\n}\n",
        'func TestHalf(t *testing.T) {\n    if Half(4) != 2 { t.Fatal("half") }\n}\n',
    ),
}
SETUP = {"Go": 'package main\n\nimport "testing"\n\n'}


def pack_row(language: str) -> dict[str, str]:
    declaration, buggy, right, test = PACK[language]
    return {
        "task_id": f"{language}/0",
        "declaration": declaration,
        "buggy_solution": buggy,
        "canonical_solution": right,
        "test": test,
        "entry_point": "half",
        **({"import": "", "test_setup": SETUP[language]} if language in SETUP else {}),
    }


def read(folder: Path, *rows: object) -> tuple[EditProblem, ...]:
    path = folder / "problems.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    problems, findings = read_problems(path)
    assert findings == ()
    return problems


def judge() -> ScriptJudge:
    return ScriptJudge(os.environ["PATH"], commands=installed_commands(os.environ["PATH"], os.environ))


def test_both_instructions_of_canitedit_are_wordings_of_one_edit(tmp_path: Path) -> None:
    (problem,) = read(tmp_path, CANITEDIT)

    assert (problem.case_id, problem.language) == ("7_half", "python")
    assert (problem.origin, problem.references) == (CANITEDIT["before"], (CANITEDIT["after"],))
    assert choose_wordings("all", (problem,)) == ("descriptive", "lazy")
    assert question(problem, "lazy").startswith("halve it\n")
    assert question(problem, "descriptive").startswith("Make half return")
    assert parse_problem(problem.content).digest == problem.digest
    assert prove((problem,), judge(), 1) == ()


def test_a_wording_that_a_problem_does_not_have_is_refused_by_name(tmp_path: Path) -> None:
    problems = read(tmp_path, CANITEDIT, pack_row("Python"))

    with pytest.raises(InputError, match=r":2: problem 'Python/0' has no instruction 'lazy' \(its one has no name\)"):
        choose_wordings("lazy", problems)
    with pytest.raises(InputError, match=r"has no instruction 'short' \(there are descriptive, lazy\)"):
        choose_wordings("short", problems[:1])


@pytest.mark.parametrize(
    "language",
    [
        "Python",
        "JavaScript",
        *(pytest.param(language, marks=pytest.mark.slow) for language in ("Java", "CPP", "Rust", "Go")),
    ],
)
def test_a_fault_of_humanevalpack_is_judged_by_its_test(tmp_path: Path, language: str) -> None:
    (problem,) = read(tmp_path, pack_row(language))
    toolchain = TOOLCHAINS.get(problem.language or "")
    if toolchain is not None and (program := toolchain.missing(os.environ["PATH"])):
        pytest.skip(f"{program} is not installed")

    verdicts = {text: judge().judge(problem.script(text)).outcome for text in (problem.origin, *problem.references)}

    assert list(verdicts.values()) == [VerdictKind.FAIL, VerdictKind.PASS]
    assert problem.instruction == "Fix the bug in half."


def test_a_language_whose_program_is_missing_is_refused_by_the_programs_name(tmp_path: Path) -> None:
    (problem,) = read(tmp_path, pack_row("Rust"))
    (tmp_path / "bin").mkdir()
    nowhere = ScriptJudge(str(tmp_path / "bin"), commands=installed_commands(str(tmp_path / "bin"), os.environ))

    (finding,) = prove((problem,), nowhere, 1)

    assert "rust needs rustc, which is not installed; install it, or give --command rust='PROGRAM {test}'" in finding


@pytest.mark.parametrize(
    "language, test, library",
    [
        pytest.param("Python", "import numpy.nowhere\n", "numpy", id="python"),
        pytest.param("JavaScript", "require('left-pad')\n", "left-pad", id="javascript"),
    ],
)
def test_a_library_that_is_missing_is_named(tmp_path: Path, language: str, test: str, library: str) -> None:
    if language == "JavaScript" and shutil.which("node") is None:
        pytest.skip("node is not installed")
    row = pack_row(language)
    (problem,) = read(tmp_path, {**row, "test": test.replace("numpy", "no_such_library") + row["test"]})

    (finding,) = prove((problem,), judge(), 1)

    assert f"its test needs {library.replace('numpy', 'no_such_library')}, which is not installed" in finding


@pytest.mark.parametrize(
    "row, finding",
    [
        ({**pack_row("Python"), "task_id": "Perl/0"}, "field 'task_id' begins with 'Perl', none of Python, JavaScript"),
        ({**pack_row("Python"), "declaration": 1}, "field 'declaration' is a number"),
        ({**CANITEDIT, "instruction_lazy": " "}, "field 'instructions.lazy' is blank"),
    ],
)
def test_a_bad_line_is_named_by_the_fields_that_it_has(tmp_path: Path, row: object, finding: str) -> None:
    path = tmp_path / "problems.jsonl"
    path.write_text(json.dumps(row) + "\n")

    _, findings = read_problems(path)

    assert len(findings) == 1
    assert finding in findings[0]
