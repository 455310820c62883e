"""Which lines a trace function says were executed."""

import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from runner.suites.completion import tracer
from runner.suites.completion.tracer import _Tracer as Tracer

CODE = """\
def branches(x):
    if x:
        return 1
    return 2


def loops(n):
    total = 0
    for i in range(n):
        total += i
        if total > 10**9:
            return None
    return total


def lazy(n):
    for i in range(n):
        yield i


one = lambda x: x + 1


class Wrapped:
    value = 3

    @property
    def two(self):
        try:
            raise KeyError
        except KeyError:
            return 2


def nested():
    def inner():
        return 7

    return inner()


def late(n):
    for _ in range(n):
        pass
    return "late"
"""


@pytest.fixture
def module(tmp_path: Path) -> ModuleType:
    path = tmp_path / "code.py"
    path.write_text(CODE)
    made = ModuleType("code")
    exec(compile(CODE, str(path), "exec"), made.__dict__)  # noqa: S102 - our own text
    return made


@pytest.fixture
def following(tmp_path: Path) -> Tracer:
    return Tracer(str(tmp_path))


def executed(follow: Tracer, call: Callable[[], object]) -> dict[str, list[int]]:
    follow.begin()
    before = sys.gettrace()
    sys.settrace(follow)
    try:
        call()
    finally:
        sys.settrace(before)
    return {path: sorted(lines) for path, lines in follow.lines.items() if lines}


@pytest.mark.parametrize(
    "call, lines",
    [
        pytest.param("branches(1)", [2, 3], id="one branch"),
        pytest.param("branches(0)", [2, 4], id="the other"),
        pytest.param("loops(3)", [8, 9, 10, 11, 13], id="a loop"),
        pytest.param("loops(0)", [8, 9, 13], id="a loop that is not entered"),
        pytest.param("list(lazy(2))", [17, 18], id="a generator"),
        pytest.param("one(1)", [21], id="a function of one line"),
        pytest.param("Wrapped().two", [29, 30, 31, 32], id="a decorated function"),
        pytest.param("nested()", [36, 37, 39], id="a function in a function"),
        pytest.param("1", [], id="nothing"),
    ],
)
def test_the_lines_of_functions_are_told(module: ModuleType, following: Tracer, call: str, lines: list[int]) -> None:
    found = executed(following, lambda: eval(call, module.__dict__))  # noqa: S307 - our own words

    assert found == ({"code.py": lines} if lines else {})


def test_each_test_begins_with_nothing(module: ModuleType, following: Tracer) -> None:
    first = executed(following, lambda: module.loops(3))
    second = executed(following, lambda: module.loops(3))

    assert first == second == {"code.py": [8, 9, 10, 11, 13]}


def test_both_branches_of_two_calls_are_told(module: ModuleType, following: Tracer) -> None:
    assert executed(following, lambda: (module.branches(0), module.branches(1))) == {"code.py": [2, 3, 4]}


def test_what_a_class_body_executes_belongs_to_no_test(tmp_path: Path, following: Tracer) -> None:
    text = "class A:\n    b = 1\n"

    assert executed(following, lambda: exec(compile(text, str(tmp_path / "code.py"), "exec"), {})) == {}  # noqa: S102


def test_other_files_are_not_followed(module: ModuleType, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()

    assert executed(Tracer(str(elsewhere)), lambda: module.branches(1)) == {}


def test_what_is_no_file_is_not_followed(following: Tracer, tmp_path: Path) -> None:
    names: dict[str, Callable[[], int]] = {}
    exec(compile("def f():\n    return 1\n", str(tmp_path / "<doctest>"), "exec"), names)  # noqa: S102 - our own text

    assert executed(following, names["f"]) == {}


def test_a_loop_without_news_is_not_followed_for_ever(
    module: ModuleType, following: Tracer, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert executed(following, lambda: module.late(30)) == {"code.py": [43, 44, 45]}

    monkeypatch.setattr(tracer, "_ENOUGH", 20)

    assert executed(following, lambda: module.late(30)) == {"code.py": [43, 44]}


def test_threads_are_followed_where_they_are_told_to_be(module: ModuleType, following: Tracer) -> None:
    following.begin()
    threading.settrace(following)
    try:
        thread = threading.Thread(target=module.branches, args=(1,))
        thread.start()
        thread.join()
    finally:
        threading.settrace(None)

    assert following.lines["code.py"] == {2, 3}
