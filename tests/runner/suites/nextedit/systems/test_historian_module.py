import json
import os
import textwrap
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from runner.execution.workspace import files_of, scratch
from runner.suites.nextedit.commit_replay import place_of, replay_commit, session_of
from runner.suites.nextedit.editor import EditorError, Leak, Mishap, Place, Suggestion
from runner.suites.nextedit.orders import ORDERS
from runner.suites.nextedit.replay_plan import ReplayPlan
from runner.suites.nextedit.state import State
from runner.suites.nextedit.steps import CommitReplay
from runner.suites.nextedit.systems.child_process import ChildLimits
from runner.suites.nextedit.systems.historian_form import lines_at, made_dict, place_dict, suggestions_of, with_ends_of
from runner.suites.nextedit.systems.historian_module import HistorianModule, main_language
from runner.suites.nextedit.systems.module_cell import ModuleSettings
from tests.nextedit import commit_of

COMMIT = commit_of(
    {
        "a.py": ("old = 1\nx = 0\nprint(old)\n", "new = 1\nx = 0\nprint(new)\n"),
        "b.py": ("from a import old\n", "from a import new\n"),
    },
    message="Rename old to new\n",
)
PLAN = ReplayPlan(ORDERS["none"], seed=1)
LIMITS = ChildLimits(question_s=20.0, farewell_s=5.0)

# Shaped like the original's template: one entry point, four functions, json used without being imported.
TEMPLATE = """
    import os

    def main(json_input):
        status = json_input["status"]
        if status == "init":
            return setup(json_input)
        if status == "suggestion(location+content)":
            return subsequent_edit_recommendation(json_input)
        if status == "suggestion(content)":
            return generate_edit_solution(json_input)
        if status == "end":
            return end(json_input)

    def log(entry):
        with open(os.environ["LOG"], "a") as file:
            file.write(json.dumps(entry) + "\\n")

    def setup(payload):
        print("starting", payload["id"])
        log({key: payload[key] for key in payload if key not in ("repo_dir", "prior_edits")})

    def windows(path, old, new):
        lines = open(path).read().splitlines(keepends=True)
        return [
            {"before": [line], "after": [line.replace(old, new)], "confidence": 0.5} if old in line else [line]
            for line in lines
        ]

    def subsequent_edit_recommendation(payload):
        log({"status": payload["status"], "prior": [edit["idx"] for edit in payload["prior_edits"]]})
        os.chdir(payload["repo_dir"])
        return {path: windows(path, "old", "new") for path in payload["changed_files"]}

    def generate_edit_solution(payload):
        edit = payload["target_edit"]
        log({"status": payload["status"], "before": edit["before"], "after": edit["after"]})
        return {}

    def end(payload):
        log({key: payload[key] for key in payload if key != "repo_dir"} | {"tree": os.path.isdir(payload["repo_dir"])})
"""


def _module(folder: Path, source: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "main.py"
    path.write_text(textwrap.dedent(source))
    return path


async def _replay(path: Path, log: Path | None = None, limits: ChildLimits = LIMITS) -> CommitReplay:
    settings = ModuleSettings(path, env={"LOG": str(log)} if log else {}, limits=limits)
    with scratch(files_of({touched.path: touched.before or "" for touched in COMMIT.files})) as workspace:
        editor = HistorianModule(settings, COMMIT)
        return await replay_commit(COMMIT, editor, PLAN, _now().__next__, workspace)


def _now() -> Iterator[int]:
    return count()


class TestModules:
    async def test_a_module_of_the_templates_shape_runs_unchanged(self, tmp_path: Path) -> None:
        log = tmp_path / "log"
        result = await _replay(_module(tmp_path / "module", TEMPLATE), log)

        entries = [json.loads(line) for line in log.read_text().splitlines()]
        assert entries[0] == {
            "id": "0" * 10,
            "language": "python",
            "project_name": "test",
            "status": "init",
            "edit_description": "Rename old to new",
            "changed_files": ["a.py", "b.py"],
        }
        farewell = entries[-1]
        assert [edit["idx"] for edit in farewell.pop("prior_edits")] == [0, 1]
        assert farewell == {**entries[0], "status": "end", "tree": True}
        assert [len(entry["prior"]) for entry in entries[1:-1]] == [1, 2]
        assert all(step.metrics.precision == 1 and step.metrics.recall == 1 for step in result.steps)

    def test_the_language_is_that_of_the_list_before_that_of_the_files(self) -> None:
        listed = replace(COMMIT, origin=replace(COMMIT.origin, language="typescript"))

        assert (main_language(COMMIT), main_language(listed)) == ("python", "typescript")

    async def test_a_module_may_leave_the_dispatching_to_us(self, tmp_path: Path) -> None:
        source = textwrap.dedent(TEMPLATE)
        without_main = source[: source.index("def main")] + source[source.index("def log") :]

        result = await _replay(_module(tmp_path / "module", without_main), tmp_path / "log")

        assert all(step.metrics.precision == 1 for step in result.steps)
        assert json.loads((tmp_path / "log").read_text().splitlines()[-1])["status"] == "end"

    async def test_an_async_module_in_the_originals_folder_may_import_its_neighbours(self, tmp_path: Path) -> None:
        folder = tmp_path / "systemUnderTest" / "Mine"
        path = _module(
            folder,
            """
            from .words import OLD
            from systemUnderTest.Mine import words

            async def main(payload):
                if payload["status"] == "suggestion(location+content)":
                    lines = open(payload["repo_dir"] + "/b.py").read().splitlines(keepends=True)
                    if OLD in lines[0]:
                        return {"b.py": [{"before": lines, "after": ["from a import " + words.NEW + "\\n"]}]}
            """,
        )
        (folder / "words.py").write_text("OLD, NEW = 'old', 'new'\n")

        result = await _replay(path)

        hits = [match.target for step in result.steps for match in step.matches]
        assert hits == ([2] if result.order[0] != 2 else [])
        assert not any(step.troubles for step in result.steps)

    @pytest.mark.parametrize("folder", ["mine", "my-method", "v1.2"])
    async def test_so_it_may_in_any_other_folder(self, tmp_path: Path, folder: str) -> None:
        source = f"""
            import words
            {"" if "." in folder else "from .words import OLD"}
            {"from systemUnderTest.mine.words import OLD" if folder == "mine" else ""}

            def main(payload):
                return {{"b.py": [{{"before": [], "after": [words.OLD]}}]}} if "loc" in payload["status"] else None
            """
        path = _module(tmp_path / folder, source)
        (tmp_path / folder / "words.py").write_text("OLD = 'old'\n")

        result = await _replay(path)

        assert [[each.after for each in step.suggestions] for step in result.steps] == [[("old",)]] * 2

    async def test_what_it_prints_at_one_question_does_not_count_at_the_next(self, tmp_path: Path) -> None:
        path = _module(tmp_path, "def main(payload):\n    print('noise ' * 10_000, flush=True)\n")

        result = await _replay(path, limits=replace(LIMITS, file_bytes=100_000))

        assert not result.troubles
        assert not any(step.troubles for step in result.steps)


class TestMisbehaviour:
    @pytest.mark.parametrize(
        "body, reason, words",
        [
            pytest.param("raise KeyError('gone')", Mishap.CRASHED, "KeyError: 'gone'", id="raises"),
            pytest.param("import os; os._exit(3)", Mishap.CRASHED, "ended with code 3", id="ends"),
            pytest.param(
                "import sys; print('why', file=sys.stderr); sys.exit(4)", Mishap.CRASHED, "SystemExit", id="exit"
            ),
            pytest.param("return 7", Mishap.NONSENSE, "a int, not an object", id="a-number"),
            pytest.param("return {'a.py': 'text'}", Mishap.NONSENSE, "no list of windows", id="a-text"),
            pytest.param("return {'a.py': [{'before': 'x'}]}", Mishap.NONSENSE, "no lists of lines", id="no-lines"),
            pytest.param("return {'a.py': [3]}", Mishap.NONSENSE, "neither lines nor an edit", id="no-window"),
            pytest.param("return object()", Mishap.CRASHED, "not JSON serializable", id="no-json"),
        ],
    )
    async def test_a_failing_module_costs_its_questions_with_reasons(
        self, tmp_path: Path, body: str, reason: Mishap, words: str
    ) -> None:
        path = _module(tmp_path, f"def main(payload):\n    if 'suggestion' in payload['status']:\n        {body}\n")

        result = await _replay(path)

        assert sorted(result.order) == [0, 1, 2]
        for step in result.steps:
            assert {trouble.reason for trouble in step.troubles} == {reason}
            assert all(words in trouble.message for trouble in step.troubles)

    async def test_a_module_that_cannot_be_loaded_says_why(self, tmp_path: Path) -> None:
        result = await _replay(_module(tmp_path, "import not_installed_anywhere\n"))

        assert "not_installed_anywhere" in result.troubles[0].message

    async def test_a_module_with_nothing_to_ask_says_so(self, tmp_path: Path) -> None:
        result = await _replay(_module(tmp_path, "def predict(payload):\n    return {}\n"))

        troubles = [*result.troubles, *(trouble for step in result.steps for trouble in step.troubles)]
        assert {trouble.reason for trouble in troubles} == {Mishap.CRASHED}
        assert len(troubles) == 1 + 2 * len(result.steps)
        assert "the module has no main, and none of setup, " in troubles[0].message

    @pytest.mark.wide
    async def test_a_module_that_hangs_is_ended_with_all_it_started_and_begins_anew(self, tmp_path: Path) -> None:
        path = _module(
            tmp_path,
            """
            import os, subprocess, time

            def main(payload):
                with open(os.environ["LOG"], "a") as log:
                    print(payload["status"], file=log)
                if payload["status"] == "suggestion(location+content)":
                    child = subprocess.Popen(["sleep", "60"])
                    open(os.environ["LOG"] + ".pid", "w").write(str(child.pid))
                    time.sleep(60)
            """,
        )
        log = tmp_path / "log"
        started = time.monotonic()

        result = await _replay(path, log, ChildLimits(question_s=2.0, farewell_s=0.7))

        assert time.monotonic() - started < 50
        assert [step.troubles[0].reason for step in result.steps] == [Mishap.TIMEOUT] * 2
        assert log.read_text().split()[:3] == ["init", "suggestion(location+content)", "init"]
        with pytest.raises(ProcessLookupError):
            _is_alive(int((tmp_path / "log.pid").read_text()))

    async def test_a_prediction_outside_the_tree_is_refused(self, tmp_path: Path) -> None:
        answer = {"../../etc/passwd": [{"before": [], "after": ["x\n"]}]}
        path = _module(tmp_path, f"def main(payload):\n    return {answer!r} if 'loc' in payload['status'] else None\n")

        result = await _replay(path)

        assert result.steps[0].troubles[0].reason == Mishap.OUTSIDE


def _is_alive(pid: int) -> None:
    """Raise ProcessLookupError unless a process runs; one that ended and is not yet reaped counts as gone."""
    state = Path(f"/proc/{pid}/stat")
    if state.exists() and state.read_text().rpartition(")")[2].split()[0] == "Z":
        raise ProcessLookupError(pid)
    os.kill(pid, 0)


class TestForms:
    def test_windows_are_counted_into_lines(self) -> None:
        answer = {
            "a": [
                ["1\n", "2\n"],
                {"before": ["3\n"], "after": [], "confidence": None},
                ["4\n"],
                {"before": [], "after": ["5"]},
            ]
        }

        assert suggestions_of(answer) == [Suggestion("a", 2, ("3\n",), ()), Suggestion("a", 4, (), ("5",))]

    @pytest.mark.parametrize("answer", [None, {}, [], ""])
    def test_nothing_is_no_prediction(self, answer: object) -> None:
        assert suggestions_of(answer) == []

    def test_a_mixture_of_confidences_is_taken(self) -> None:
        answer = {"a": [{"before": [], "after": ["x\n"], "confidence": 1}, {"before": [], "after": ["y\n"]}]}

        assert [each.confidence for each in suggestions_of(answer)] == [1.0, None]

    def test_a_lone_value_is_refused(self) -> None:
        with pytest.raises(EditorError, match="not an object"):
            suggestions_of([1])

    def test_the_place_given_holds_no_answer(self) -> None:
        given = place_dict(Place("a.py", 3, ("x\n",)), 1, "")

        assert (given["before"], given["after"], given["currently_start_at_line"]) == (["x\n"], [], 3)

    def test_of_the_place_given_all_is_told_but_the_answer(self) -> None:
        text = "a\nb\nc\nd\ne\nf\ng\n"
        commit = commit_of({"a.py": (text, "a\nB\nc\nd\ne\ng\n"), "b.py": ("x\n", "x\ny\n")})
        texts = State(commit, (0,)).texts()
        known = [place_of(State(commit, (0,)), idx) for idx in (1, 2)]
        places = [place_dict(place, 1, texts[place.path]) for place in known]

        told = [(one["type"], one["idx"], one["prefix"], one["suffix"], one["parent_version_range"]) for one in places]

        assert [edit.kind for edit in commit.edits] == ["replace", "delete", "insert"]
        assert told == [
            ("delete", 1, ["c\n", "d\n", "e\n"], ["g\n"], {"start": 5, "end": 6}),
            ("insert", 1, ["x\n"], [], {"start": 1, "end": 1}),
        ]
        first = place_dict(place_of(State(commit, (1,)), 0), 1, text)
        assert (first["type"], first["before"], first["after"]) == ("replace", ["b\n"], [])

    def test_an_edit_made_is_described_as_if_no_other_followed(self) -> None:
        before = "a\nb\nc\nd\ne\n"
        alone = commit_of({"m.py": (before, "a\nb\nC\nd\ne\n")})
        among_others = commit_of(
            {"a.py": ("x\n", "y\n"), "m.py": (before, "new\na\nb\nC\nd\nE\n"), "z.py": ("x\n", "y\n")}
        )
        described = []
        for commit in (alone, among_others):
            idx = next(edit.idx for edit in commit.edits if edit.after == ("C\n",))
            (made,) = session_of(State(commit, (idx,)), 1, Leak.MESSAGE, None).past_edits
            described.append(made_dict(made, 0, State(commit, (idx,)).texts()["m.py"]))

        assert described[0] == described[1]
        assert described[0]["child_version_range"] == {"start": 2, "end": 3}
        assert described[0]["suffix"] == ["d\n", "e\n"]

    TEXT = "1\n2\n3\n4\n"
    PLACE = Place("a", 1, ("2\n", "3\n"))

    @pytest.mark.parametrize(
        "suggestion, lines",
        [
            pytest.param(Suggestion("a", 1, ("2\n", "3\n"), ("x\n",)), ("x\n",), id="the-place"),
            pytest.param(Suggestion("a", 0, ("1\n", "2\n", "3\n", "4\n"), ("1\n", "x\n", "4\n")), ("x\n",), id="wider"),
            pytest.param(Suggestion("a", 2, ("3\n",), ("x\n",)), ("2\n", "x\n"), id="a-part"),
            pytest.param(Suggestion("a", 2, (), ("x\n",)), ("2\n", "x\n", "3\n"), id="an-insertion-within"),
            pytest.param(Suggestion("b", 1, ("2\n",), ()), None, id="another-file"),
        ],
    )
    def test_what_is_put_in_a_place_is_read_off_a_prediction(
        self, suggestion: Suggestion, lines: tuple[str, ...] | None
    ) -> None:
        assert lines_at(self.PLACE, [suggestion], self.TEXT) == lines

    def test_several_changes_in_a_place_are_read_off_together(self) -> None:
        place = Place("a", 0, ("1\n", "2\n", "3\n"))
        suggestions = [Suggestion("a", 0, ("1\n",), ("x\n",)), Suggestion("a", 2, ("3\n",), ("y\n", "z\n"))]

        assert lines_at(place, suggestions, self.TEXT) == ("x\n", "2\n", "y\n", "z\n")

    def test_of_two_answers_for_one_place_the_first_counts(self) -> None:
        suggestions = [Suggestion("a", 1, (), ("x\n",)), Suggestion("a", 1, (), ("y\n",))]

        assert lines_at(replace(self.PLACE, before=()), suggestions, self.TEXT) == ("x\n",)

    def test_what_leads_to_the_same_text_is_read_off_wherever_it_is_written(self) -> None:
        text = "a\n}\n\nb\n}\n"
        place = Place("a", 3, ())

        found = lines_at(place, [Suggestion("a", 1, (), ("}\n", "\n", "x\n"))], text)

        assert found == ("x\n", "}\n", "\n")

    def test_an_insertion_is_read_off_at_its_place(self) -> None:
        suggestion = Suggestion("a", 1, ("2\n",), ("2\n", "x\n"))

        assert lines_at(replace(self.PLACE, start=2, before=()), [suggestion], self.TEXT) == ("x\n",)


class TestLineEnds:
    TEXT = "a\r\nb\r\nc"

    @pytest.mark.parametrize(
        "given, meant",
        [
            pytest.param(Suggestion("a", 1, ("b\n",), ("x\n",)), (("b\r\n",), ("x\r\n",)), id="replacement"),
            pytest.param(Suggestion("a", 1, ("b\n", "c"), ("x",)), (("b\r\n", "c"), ("x",)), id="to-the-end"),
            pytest.param(Suggestion("a", 1, (), ("x\n",)), ((), ("x\r\n",)), id="insertion"),
            pytest.param(Suggestion("a", 1, ("b\r\n",), ("x\n",)), (("b\r\n",), ("x\n",)), id="read-as-bytes"),
            pytest.param(Suggestion("a", 1, ("q\n",), ("x\n",)), (("q\n",), ("x\n",)), id="other-lines"),
        ],
    )
    def test_a_module_that_reads_text_means_the_files_own_line_ends(
        self, given: Suggestion, meant: tuple[tuple[str, ...], tuple[str, ...]]
    ) -> None:
        found = with_ends_of(self.TEXT, given)

        assert (found.before, found.after) == meant

    def test_a_file_without_returns_is_left_alone(self) -> None:
        suggestion = Suggestion("a", 0, ("a\n",), ("x\n",))

        assert with_ends_of("a\nb\n", suggestion) is suggestion
