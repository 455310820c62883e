from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise

import pytest

from runner.suites.nextedit.commits import split_lines
from runner.suites.nextedit.editor import EditorSession, Made, Place, Suggestion
from runner.suites.nextedit.state import State
from runner.suites.nextedit.systems.rules import CLONES, Rules
from runner.suites.nextedit.systems.rules.analogy import change_line, paired_lines, segments_of, transfer
from runner.suites.nextedit.systems.rules.ranking import RuleSet, Weighted
from runner.suites.nextedit.systems.rules.substitution import renames
from tests.nextedit import commit_of


def _session(files: Mapping[str, tuple[str | None, str | None]], made: int = 0) -> EditorSession:
    """A commit of these files of which edit `made` is made."""
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

        places = [(each.path, each.start, each.before, each.after) for each in found]
        assert ("a.py", 1, (), ("from pathlib import Path\n",)) in places

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

    async def test_an_insertion_is_repeated_between_like_neighbours(self) -> None:
        block = "def {0}():\n    begin()\n    finish()\n\n"
        before = block.format("one") + block.format("two")
        after = before.replace("    finish()\n", "    log()\n    finish()\n", 1)

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


def _calls(count: int) -> str:
    return "".join(f"value_{number} = compute(old, {number})\n\n" for number in range(count))


class TestRanking:
    async def test_a_change_that_fits_everywhere_is_predicted_nowhere(self) -> None:
        few, many = [
            await Rules().recommend(_session({"a.py": (text, text.replace("old", "new", 1))}))
            for text in (_calls(6), _calls(60))
        ]

        assert few
        assert not many

    async def test_uses_of_a_renamed_definition_are_predicted_however_many_there_are(self) -> None:
        text = "def compute(x, y):\n    pass\n\n\n" + "".join(f"use(compute(x, {number}))\n\n" for number in range(60))

        found = await Rules().recommend(_session({"a.py": (text, text.replace("compute", "measure", 1))}))

        assert len(found) == 10
        assert all("measure" in each.after[0] for each in found)

    @pytest.mark.parametrize(
        "line, renamed",
        [
            ("def old(x):\n", True),
            ("func (s *Store) old(key string) error {\n", True),
            ("old = 1\n", True),
            ("export const old = 1;\n", True),
            ("def load(old):\n", False),
            ("x = price(item, old)\n", False),
            ("static final int MOST = old;\n", False),
        ],
    )
    async def test_a_definition_is_renamed_where_its_own_name_is_exchanged(self, line: str, *, renamed: bool) -> None:
        session = _session({"a.py": (f"{line}\nuse(old)\n", f"{line.replace('old', 'new')}\nuse(old)\n")})

        assert bool(list(renames(session.past_edits[0], session))) is renamed

    async def test_places_that_hardly_fit_are_not_predicted(self) -> None:
        before = "total = price(item, amount, tax)\nreturn tax\n"

        found = await Rules().recommend(_session({"a.py": (before, before.replace("amount, tax", "amount, rate"))}))

        assert found == []

    async def test_what_followed_from_an_earlier_edit_fades(self) -> None:
        set_of = RuleSet((Weighted(_here, 1.0),), look_back=3, fading=0.5)
        session = _session({"a.py": ("x\n", "y\n")})
        earlier = replace(session, past_edits=session.past_edits * 4)

        assert [each.confidence for each in set_of.suggestions(earlier)] == [0.5, 0.25, 0.125]

    def test_a_rule_that_is_too_unsure_says_nothing_and_many_places_share_its_confidence(self) -> None:
        session = _session({"a.py": ("x\n", "y\n")})

        def said(rules: RuleSet) -> list[float | None]:
            return [each.confidence for each in rules.suggestions(session)]

        here, twice = (Weighted(_here, 1.0),), (Weighted(_twice, 1.0),)
        assert said(RuleSet(here)) == [0.5]
        assert said(RuleSet(here, sharpness=3)) == [0.125]
        assert said(RuleSet(here, least=0.6)) == []
        assert said(RuleSet((Weighted(_here, 1.0, least=0.6),))) == []
        assert said(RuleSet(twice, few=1)) == [0.125, 0.125]
        assert said(RuleSet((Weighted(_twice, 1.0, crowded=False),), few=1)) == [0.5, 0.5]


def _here(_past_edit: Made, _session: EditorSession) -> list[Suggestion]:
    return [Suggestion("a.py", 0, ("y\n",), ("z\n",), 0.5)]


def _twice(past_edit: Made, session: EditorSession) -> list[Suggestion]:
    return _here(past_edit, session) * 2


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
