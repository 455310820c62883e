"""What an agent put into a hole: from the difference of its folder, whatever else it did there."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.records import Outcome
from runner.suites.completion.agent_filling import Unfilled, filling_between, filling_of

BEFORE, BEHIND = "def f(x):\n    ", "\n\n\ndef g():\n    return 1\n"


def answer(tree: dict[str, object], ended: str = "") -> str:
    return json.dumps({"figures": {"ended_by": ended}, "tree": tree})


@pytest.mark.parametrize(
    "text, filling",
    [
        pytest.param(f"{BEFORE}return x{BEHIND}", "return x", id="the mark replaced"),
        pytest.param(f"{BEFORE}{BEHIND}", "", id="by nothing"),
        pytest.param(
            f"{BEFORE}if x:\n        return 1\n    return x{BEHIND}",
            "if x:\n        return 1\n    return x",
            id="by lines",
        ),
        pytest.param(f"{BEFORE}return x{BEHIND}\n", "return x", id="one line end more at the end"),
        pytest.param(f"{BEFORE}return x{BEHIND.rstrip()}", "return x", id="none at the end"),
        pytest.param(f"def f(x):\n\n    return x{BEHIND}", "\n    return x", id="an empty line before"),
        pytest.param(f"def f(x): return x{BEHIND}", " return x", id="on the line before"),
        pytest.param(f"{BEFORE}return x\ndef g():\n    return 1\n", "return x", id="fewer empty lines behind"),
        pytest.param(f"{BEFORE}return x\n    {BEHIND}", "return x\n    ", id="white space behind"),
        pytest.param(f"import re\n{BEFORE}return x{BEHIND}", None, id="an import at the top"),
        pytest.param(f"{BEFORE}return x\n\n\ndef g():\n    return 2\n", None, id="a change behind"),
        pytest.param("", None, id="an empty file"),
    ],
)
def test_a_filling_is_what_stands_between_the_text_around_the_hole(text: str, filling: str | None) -> None:
    assert filling_between(text, BEFORE, BEHIND) == filling


def test_a_file_with_other_line_ends_has_the_filling_with_its_own() -> None:
    before, behind = "def f(x):\r\n    ", "\r\n"

    assert filling_between("def f(x):\n    y = x\n    return y\n", before, behind) == "y = x\r\n    return y"


def test_nothing_behind_leaves_all_that_follows_to_the_filling() -> None:
    assert filling_between("def f(x):\n    return x\n\n\ndef g(): ...\n", BEFORE, "") == "return x\n\n\ndef g(): ...\n"


@given(
    before=st.text("ab \n\t", max_size=8), filling=st.text("ab \n\t", max_size=8), behind=st.text("ab \n\t", max_size=8)
)
def test_what_was_put_between_comes_back(before: str, filling: str, behind: str) -> None:
    assert filling_between(before + filling + behind, before, behind) == filling


@given(
    text=st.text("ab \r\n", max_size=9), before=st.text("ab \r\n", max_size=4), behind=st.text("ab \r\n", max_size=4)
)
def test_a_filling_is_a_part_of_the_text_but_for_line_ends(text: str, before: str, behind: str) -> None:
    filling = filling_between(text, before, behind)

    assert filling is None or filling.replace("\r\n", "\n") in text.replace("\r\n", "\n") + "\n"


@pytest.mark.parametrize(
    "tree, ended, outcome",
    [
        pytest.param({}, "", Outcome.NO_ANSWER, id="nothing changed"),
        pytest.param({"changed": {"b.py": "x"}}, "", Outcome.OTHER_FILE, id="another file"),
        pytest.param({"changed": {"a.py": f"{BEFORE}1{BEHIND}", "b.py": "x"}}, "", Outcome.OTHER_FILE, id="both"),
        pytest.param({"removed": ["a.py"]}, "", Outcome.OTHER_FILE, id="the file removed"),
        pytest.param({"large": ["a.py"]}, "", Outcome.OTHER_FILE, id="the file too large"),
        pytest.param({"changed": {"a.py": f"{BEFORE}1{BEHIND}"}}, "turns", Outcome.OUT_OF_TURNS, id="a limit"),
        pytest.param({"changed": {"a.py": "print()\n"}}, "", Outcome.UNSOLVED, id="changed elsewhere"),
    ],
)
def test_an_attempt_without_a_filling_has_an_outcome(tree: dict[str, object], ended: str, outcome: Outcome) -> None:
    unfilled = filling_of(answer(tree, ended), "a.py", BEFORE, BEHIND)

    assert isinstance(unfilled, Unfilled)
    assert unfilled.outcome is outcome


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"tree": 1}', '{"tree": {"changed": {"a.py": 1}}}'])
def test_what_is_no_answer_of_an_agent_fills_nothing(text: str) -> None:
    assert filling_of(text, "a.py", BEFORE, BEHIND) == Unfilled(Outcome.NO_ANSWER, "no file was changed")
