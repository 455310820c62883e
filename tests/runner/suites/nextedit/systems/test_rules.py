from collections.abc import Mapping
from itertools import pairwise

import pytest

from runner.suites.nextedit.commits import split_lines
from runner.suites.nextedit.editor import EditorSession, Place, Suggestion
from runner.suites.nextedit.state import State
from runner.suites.nextedit.systems.rules import CLONES, Rules
from runner.suites.nextedit.systems.rules.analogy import change_line, paired_lines, segments_of, transfer
from tests.nextedit import commit_of


def _session(files: Mapping[str, tuple[str | None, str | None]], made: int = 0) -> EditorSession:
    """A commit of these files of which edit `made` is made."""
    from runner.suites.nextedit.editor import Made

    commit = commit_of(files)
    state = State(commit, (made,))
    return EditorSession("case", 1, (Made(commit.edits[made], state.place(made)),), state.texts(), tuple(state.texts()))


async def _first(session: EditorSession) -> tuple[str, int, tuple[str, ...], tuple[str, ...]]:
    suggestion = (await Rules().recommend(session))[0]
    return suggestion.path, suggestion.start, suggestion.before, suggestion.after


class TestAnalogy:
    @pytest.mark.parametrize(
        "before, after, line, changed",
        [
            pytest.param("x = old(a)\n", "x = new(a)\n", "return old(b)\n", "return new(b)\n", id="a-name"),
            pytest.param("f(a)\n", "f(a, True)\n", "  f(a)\n", "  f(a, True)\n", id="an-insertion-between-like-tokens"),
            pytest.param(
                "if x.y:\n", "if x.y and x.z:\n", "if x.y: return\n", "if x.y and x.z: return\n", id="a-condition"
            ),
            pytest.param(
                "a == b\n", "a is b\n", "if a == b or a == c:\n", "if a is b or a == c:\n", id="the-best-place"
            ),
        ],
    )
    def test_a_change_is_made_on_another_line(self, before: str, after: str, line: str, changed: str) -> None:
        found = change_line(line, segments_of(before, after))

        assert found is not None
        assert found.line == changed

    @pytest.mark.parametrize(
        "before, after, line",
        [
            pytest.param("x = old(a)\n", "x = new(a)\n", "return older(b)\n", id="no-such-word"),
            pytest.param("f(a)\n", "f(a, True)\n", "g(b)\n", id="other-surroundings"),
            pytest.param("a = 1\n", "a = 1;\n", "b = 2\n", id="punctuation-needs-its-surroundings"),
        ],
    )
    def test_where_it_does_not_fit_it_is_not_made(self, before: str, after: str, line: str) -> None:
        assert change_line(line, segments_of(before, after)) is None

    def test_lines_are_carried_over_with_the_names_and_indentation_of_their_new_place(self) -> None:
        after = transfer(["  log(user)\n", "  save(user)\n"], ["  save(user)\n"], ["    save(order)\n"])

        assert after == ("    log(order)\n", "    save(order)\n")

    def test_lines_of_an_edit_are_paired_with_what_became_of_them(self) -> None:
        pairs = list(paired_lines(["a = f(1)\n", "b = 2\n"], ["# new\n", "a = f(1, 2)\n", "b = 2\n"]))

        assert pairs == [("a = f(1)\n", "a = f(1, 2)\n")]


class TestRules:
    async def test_a_renamed_definition_renames_its_uses(self) -> None:
        files = {
            "a.py": ("def load(path):\n    pass\n", "def read(path):\n    pass\n"),
            "b.py": ("from a import load\n\n\nx = load('y')\n", None),
        }
        session = _session({"a.py": files["a.py"], "b.py": (files["b.py"][0], "z\n")})

        found = await Rules().recommend(session)

        assert {(each.path, each.start, each.after) for each in found[:2]} == {
            ("b.py", 0, ("from a import read\n",)),
            ("b.py", 3, ("x = read('y')\n",)),
        }

    async def test_a_clone_is_changed_likewise(self) -> None:
        before = "def a(user):\n    check(user, 'read')\n    return 1\n\ndef b(order):\n    check(order, 'read')\n"
        after = before.replace("check(user, 'read')", "check(user, 'read', strict=True)")

        assert await _first(_session({"a.py": (before, after)})) == (
            "a.py",
            5,
            ("    check(order, 'read')\n",),
            ("    check(order, 'read', strict=True)\n",),
        )

    async def test_a_deleted_line_is_deleted_where_it_stands_again(self) -> None:
        before = "start()\nreset_everything()\nrun()\nmiddle()\nother()\nreset_everything()\n"

        assert await _first(_session({"a.py": (before, before.replace("reset_everything()\n", "", 1))})) == (
            "a.py",
            4,
            ("reset_everything()\n",),
            (),
        )

    async def test_an_import_that_fell_out_of_use_is_taken_out(self) -> None:
        before = "from m import first, second\n\nx = first()\ny = second()\n"
        after = "from m import first, second\n\nx = first()\ny = 2\n"

        assert await _first(_session({"a.py": (before, after)})) == (
            "a.py",
            0,
            ("from m import first, second\n",),
            ("from m import first\n",),
        )

    async def test_a_name_that_came_into_use_is_imported_as_elsewhere(self) -> None:
        files = {
            "a.py": ("import os\n\nprint(os)\n", "import os\n\nprint(Path(os))\n"),
            "b.py": ("from pathlib import Path\n\nPath()\n", "from pathlib import Path\n\nPath('x')\n"),
        }

        found = await Rules().recommend(_session(files))

        assert Suggestion("a.py", 1, (), ("from pathlib import Path\n",), 0.75) in found

    async def test_a_call_with_one_more_argument_asks_for_a_parameter(self) -> None:
        files = {
            "a.py": ("run(job)\n", "run(job, retries)\n"),
            "b.py": ("def run(job):\n    pass\n", "def run(job, retries):\n    pass\n"),
        }

        found = await Rules().recommend(_session(files))

        assert ("b.py", 0, ("def run(job, retries):\n",)) in [(each.path, each.start, each.after) for each in found]

    async def test_a_new_parameter_asks_for_an_argument(self) -> None:
        files = {
            "a.py": ("def run(job):\n    pass\n", "def run(job, retries):\n    pass\n"),
            "b.py": ("run(job)\nx = run(other)\n", "run(job, 3)\n"),
        }

        found = await Rules().recommend(_session(files))

        assert ("x = run(other, retries)\n",) in [each.after for each in found] or any(
            "x = run(other, retries)\n" in each.after for each in found
        )

    async def test_a_call_of_what_is_gone_is_taken_out(self) -> None:
        before = "def prepare():\n    pass\n\n\ndef main():\n    prepare()\n    run()\n"

        found = await Rules().recommend(
            _session({"a.py": (before, before.removeprefix("def prepare():\n    pass\n\n\n"))})
        )

        assert ("    prepare()\n",) in [each.before for each in found if not each.after]

    async def test_a_sibling_is_put_beside_its_sibling(self) -> None:
        before = "KINDS = [\n    circle,\n    square,\n]\n\nSIDES = {\n    square: 4,\n}\n"
        after = before.replace("    square,\n", "    square,\n    triangle,\n")

        found = await Rules().recommend(_session({"a.py": (before, after)}))

        assert ("a.py", 8, ("    triangle: 4,\n",)) in [(each.path, each.start, each.after) for each in found]

    async def test_an_insertion_is_repeated_between_like_neighbours(self) -> None:
        block = "def {0}():\n    begin({0})\n    finish({0})\n\n"
        before = block.format("one") + block.format("two")
        after = before.replace("    finish(one)\n", "    log()\n    finish(one)\n")

        found = await Rules().recommend(_session({"a.py": (before, after)}))

        assert ("a.py", 7, ("    log()\n",)) in [(each.path, each.start, each.after) for each in found]

    async def test_predictions_fit_the_texts_do_not_overlap_and_come_by_confidence(self) -> None:
        text = "".join(f"value_{number} = compute(old_name, {number})\n" for number in range(30))
        session = _session({"a.py": (text, text.replace("old_name", "new_name", 1))})

        found = await Rules().recommend(session)

        lines = split_lines(session.texts["a.py"])
        spans = sorted((each.span.start, each.span.end) for each in found)
        confidences = [each.confidence or 0.0 for each in found]
        assert all(lines[each.span.start : each.span.end] == each.before for each in found)
        assert all(one[1] <= two[0] for one, two in pairwise(spans))
        assert confidences == sorted(confidences, reverse=True)

    async def test_clones_alone_find_clones_alone(self) -> None:
        session = _session(
            {"a.py": ("def load(path):\n    pass\n\nload('x')\n", "def read(path):\n    pass\n\nload('x')\n")}
        )

        assert await Rules(CLONES).recommend(session) == []


class TestFill:
    async def test_like_lines_are_changed_likewise(self) -> None:
        session = _session(
            {"a.py": ("send(first, now)\nx\nsend(second, now)\n", "send(first, later)\nx\nsend(second, now)\n")}
        )

        lines = await Rules().fill(session, Place("a.py", 2, ("send(second, now)\n",)))

        assert lines == ("send(second, later)\n",)

    async def test_at_a_place_of_nothing_the_last_insertion_is_repeated(self) -> None:
        session = _session({"a.py": ("a\nb\n", "a\nnew\nb\n")})

        assert await Rules().fill(session, Place("a.py", 3, ())) == ("new\n",)

    async def test_where_no_edit_fits_there_is_no_answer(self) -> None:
        session = _session({"a.py": ("a = 1\n", "a = 2\n")})

        assert await Rules().fill(session, Place("b.py", 0, ("quite different\n",))) is None
