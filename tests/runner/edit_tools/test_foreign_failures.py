"""A foreign tool that hangs, lies or dies costs its own attempts, and no other one's."""

import asyncio
import json
from pathlib import Path

import pytest

from parsers.forms.call_tags import tagged
from runner.edit_tools.foreign_result import ToolFailedError
from runner.edit_tools.tool import EditTool
from runner.execution.isolation import Isolation
from runner.execution.line_process import LineProcessLimits
from runner.records import Completion, Outcome, Scoring
from runner.suites.diff_edit.foreign_scoring import ForeignScoring
from tests.runner.cells import running
from tests.runner.edit_tools.foreign import PROGRAMS, foreign
from tests.runner.suites.made_cases import case_of

LIMITS = LineProcessLimits(answer_s=0.3)
# A hang is seen by the clock; everything else is to be seen long before.
PATIENT = LineProcessLimits(answer_s=60, first_answer_s=60, answer_bytes=1 << 20, memory_bytes=1 << 30)
WRONG = {
    "die": "it ended with exit status 3: out of luck",
    "killed": "it ended by signal 11",
    "memory": "MemoryError",
    "no-json": "its reply is no line of JSON",
    "no-utf-8": "its reply is no line of JSON",
    "list": "its reply is no JSON object",
    "wrong-id": "its reply has not the id of the request",
    "true-id": "its reply has not the id of the request",
    "no-result": "its reply has no object `result`",
    "no-text": "its result has no text `text`",
    "both": "its result has both `text` and `refused`",
    "unknown-cause": "its result has a `cause` that is none of those described",
    "half": "its reply is no line of JSON",
    "deep": "its reply is no line of JSON",
    "two-lines": "it wrote more than one line",
    "huge": "its answer has more than 1,048,576 bytes",
    "failed": "it failed: I could not",
}


def answer(what: str) -> Completion:
    return Completion(tagged("unruly", {"path": "src/a.txt", "what": what}))


def scored(tool: EditTool, *told: str) -> list[Scoring]:
    """The scorings of answers that tell the tool what to do, all asked at once."""
    assert tool.foreign is not None
    scoring = ForeignScoring(tool.name, tool.parser, tool.foreign)

    async def score() -> list[Scoring]:
        return [
            one
            for ones in await asyncio.gather(*(scoring.scorings(case_of(), answer(what)) for what in told))
            for one in ones
        ]

    return asyncio.run(score())


def test_what_is_wrong_costs_one_attempt_each_and_is_one_line() -> None:
    told = [name for pair in zip(WRONG, ["good"] * len(WRONG), strict=True) for name in pair]

    with foreign("unruly.py", limits=PATIENT) as tool:
        scorings = scored(tool, *told)

    for what, scoring in zip(told, scorings, strict=True):
        if what == "good":
            assert (scoring.outcome, scoring.edited) == (Outcome.APPLIED, "one\ntwo\nthree\n!")
        else:
            assert (what, scoring.outcome, scoring.valid) == (what, Outcome.CRASHED, False)
            assert scoring.error_text is not None
            assert scoring.error_text.startswith("the edit tool failed: ")
            assert WRONG[what] in scoring.error_text, what
            assert "\n" not in scoring.error_text
            assert "Traceback" not in scoring.error_text


@pytest.mark.parametrize("what", ["hang", "loop"])
def test_a_tool_that_hangs_is_ended_and_started_again(what: str, isolation: Isolation) -> None:
    with foreign("unruly.py", isolation, LIMITS) as tool:
        hung, good = (scored(tool, name)[0] for name in (what, "good"))

    assert (hung.outcome, hung.error_text) == (
        Outcome.CRASHED,
        "the edit tool failed: it gave no answer within 0.3 s",
    )
    assert good.outcome is Outcome.APPLIED


def test_a_process_is_kept_and_a_line_too_many_costs_nobody_else(isolation: Isolation) -> None:
    with foreign("unruly.py", isolation, PATIENT) as tool:
        scorings = [scored(tool, what)[0] for what in ("good", "shout", "late-line", "good", "good")]
        assert tool.foreign is not None
        started = tool.foreign.pool.started  # type: ignore[attr-defined] # that of a program

    # The line may come with the reply, which then is none, or after it, where the next request finds it.
    assert [scoring.outcome for at, scoring in enumerate(scorings) if at != 2] == [Outcome.APPLIED] * 4
    assert started <= 1 + 4


def test_answers_that_call_nothing_or_another_file_do_not_reach_the_tool(isolation: Isolation) -> None:
    with foreign("unruly.py", isolation, PATIENT) as tool:
        assert tool.foreign is not None
        tool.foreign.rest()
        scoring = ForeignScoring(tool.name, tool.parser, tool.foreign)
        texts = ("I would rather not.", tagged("unruly", {"path": "b.txt", "what": "die"}), "<unruly><path>src/a.txt")
        outcomes = [asyncio.run(scoring.scorings(case_of(), Completion(text)))[0].outcome for text in texts]
        started = tool.foreign.pool.started  # type: ignore[attr-defined] # that of a program

    assert outcomes == [Outcome.NO_CALL, Outcome.WRONG_PATH, Outcome.MISSING_PATH]
    assert started == 1


def test_a_tool_sees_neither_database_nor_keys_nor_home_nor_network(
    tmp_path: Path, isolation: Isolation, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, folder = tmp_path / "home", tmp_path / "home" / "project"
    folder.mkdir(parents=True)
    secrets = [home / ".netrc", home / "other" / "notes", folder / ".env", folder / "evals.db", folder / "cases" / "a"]
    seen = folder / "README"
    for path in (*secrets, seen):
        path.parent.mkdir(exist_ok=True)
        path.write_text("text")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    hidden = (folder / "evals.db", folder / "cases", folder / ".env")

    with foreign("unruly.py", isolation, PATIENT, hidden, folder) as tool:
        places = ":".join(map(str, (*secrets, seen, PROGRAMS / "unruly.py")))
        found = scored(tool, f"look {places}")[0].edited

    assert json.loads(found or "") == [[str(seen), str(PROGRAMS / "unruly.py")], [], ["lo"]]


@pytest.mark.parametrize(
    "source, why",
    [
        pytest.param("", "it ended with exit status 0", id="nothing"),
        pytest.param("print('hello')", "its reply is no line of JSON", id="greeting"),
        pytest.param("raise SystemError('no')", "it ended with exit status 1: SystemError: no", id="crash"),
    ],
)
def test_a_program_that_is_no_tool_is_one_line(source: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "none.py").write_text(source)

    with pytest.raises(ToolFailedError, match=why), foreign(str(tmp_path / "none.py")):
        pass


def test_no_process_is_left_once_a_tool_rests(isolation: Isolation, tmp_path: Path) -> None:
    program = tmp_path / "unruly.py"
    program.write_bytes((PROGRAMS / "unruly.py").read_bytes())

    with foreign(str(program), isolation, PATIENT) as tool:
        scored(tool, *["good"] * 8)
        assert running(tmp_path)

    assert running(tmp_path) == []
