"""TRACE: its gate, what its checkpoints read, what their labels mean, and the whole with checkpoints of ours."""

import re
import sys
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from runner.execution.isolation import GROUP_ONLY, strongest
from runner.suites.nextedit.commit_replay import replay_commit, session_of
from runner.suites.nextedit.commits import Edit, Span
from runner.suites.nextedit.editor import EditorError, EditorSession, Leak, Made, Mishap, Place, Suggestion
from runner.suites.nextedit.orders import ORDERS
from runner.suites.nextedit.replay_plan import ReplayPlan
from runner.suites.nextedit.state import State
from runner.suites.nextedit.systems import trace_system
from runner.suites.nextedit.systems.child_process import ChildLimits
from runner.suites.nextedit.systems.module_cell import ModuleSettings
from runner.suites.nextedit.systems.trace import Checkpoints, Models, Trace, TraceSettings
from runner.suites.nextedit.systems.trace.blocks import blocks_of
from runner.suites.nextedit.systems.trace.gate import Service, gate
from runner.suites.nextedit.systems.trace.labels import (
    Labels,
    LineWindow,
    locations,
    take,
    windows_around,
    windows_over,
)
from runner.suites.nextedit.systems.trace.wording import invoker_texts, likest, locator_text, prior_edit
from tests.nextedit import commit_of
from tests.runner.suites.nextedit.systems.stub_checkpoints import write_stubs
from tests.vectors import files, rows

NOWHERE = Span(0, 0)


def made_of(before: str, after: str, path: str = "a.py") -> Made:
    edit = Edit(
        0, path, tuple(before.splitlines(keepends=True)), tuple(after.splitlines(keepends=True)), NOWHERE, NOWHERE
    )
    return Made(edit, NOWHERE)


class TestGate:
    @pytest.mark.parametrize(
        "before, after, service",
        [
            pytest.param("x = old + 1\n", "x = new + 1\n", Service.RENAME, id="one-name"),
            pytest.param("x = old + old\n", "x = new + new\n", Service.RENAME, id="twice-the-same"),
            pytest.param("x = a + b\n", "x = c + d\n", Service.RENAME, id="two-names"),
            pytest.param("f(a)\n", "f(a, b)\n", Service.USES, id="one-argument-more"),
            pytest.param("def f(a, b):\n", "def f(a):\n", Service.USES, id="one-parameter-less"),
            pytest.param("x = 1\n", "x = 2\n", Service.NORMAL, id="a-number"),
            pytest.param("", "x = 2\n", Service.NORMAL, id="insertion"),
            pytest.param("x = 1\n", "", Service.NORMAL, id="deletion"),
        ],
    )
    def test_an_edit_alone_is_told_by_what_it_changes(self, before: str, after: str, service: Service) -> None:
        assert gate([made_of(before, after)]) is service

    def test_two_edits_of_like_lines_are_a_clone(self) -> None:
        first = made_of("log.debug('one %s', name)\n", "log.info(f'one {name}', 1)\n")
        second = made_of("log.debug('two %s', name)\n", "print(2)\n")

        assert gate([first, second]) is Service.CLONE
        assert gate([made_of("\n", "x\n"), made_of("\n", "y\n")]) is Service.NORMAL

    @pytest.mark.conformance
    def test_the_recorded_gates_and_blocks_are_mostly_ours(self, capsys: pytest.CaptureFixture[str]) -> None:
        gates: Counter[bool] = Counter()
        grains: Counter[bool] = Counter()
        for row in (row for path in files("historian", "*recorded*.jsonl.xz") for row in rows(path)):
            edits = {e["idx"]: made_of("".join(e["before"]), "".join(e["after"]), e["file_path"]) for e in row["edits"]}
            for each in row["trace_logic_gate"]:
                gates[each["gate"] == gate([edits[idx] for idx in each["prior"]])] += 1
            for idx, recorded in row["trace_finer_grain_blocks"].items():
                edit = edits[int(idx)].edit
                # The original reads every file of a commit in the language that its list has the commit under.
                blocks = blocks_of(edit.before, edit.after, row["language"])
                ours = [(list(block.before), list(block.after)) for block in blocks]
                grains[ours == [(block["before"], block["after"]) for block in recorded]] += 1
        with capsys.disabled():
            sys.stdout.write(f"\ngates: {gates[True]} of {gates.total()}; blocks: {grains[True]} of {grains.total()}\n")
        assert gates[True] / gates.total() > 0.9
        assert grains[True] / grains.total() > 0.97


class TestWording:
    def test_the_invoker_reads_the_last_edit_and_two_before_the_latest_first(self) -> None:
        made = [made_of(f"old{n}\n", f"new{n}\n") for n in range(3)]

        (text,) = invoker_texts(Service.CLONE, [made_of("lost\n", "lost\n"), *made])

        assert text == (
            "<clone><latest_edit><before>old2\n</before><after>new2\n</after></latest_edit>"
            "<previous_edit><before>old1\n</before><after>new1\n</after></previous_edit>"
            "<previous_edit><before>old0\n</before><after>new0\n</after></previous_edit>"
        )

    def test_the_locator_reads_a_mask_for_each_line_and_each_gap(self) -> None:
        session = EditorSession("c", 1, (made_of("a\n", "b\n"),), {}, message="Do it")

        text = locator_text(("one\n", "two\n"), session)

        assert text.startswith(
            "<code_window><inter-mask><mask>one\n<inter-mask><mask>two\n<inter-mask><prompt>Do it</prompt><prior_edits>"
        )
        assert text.endswith("</edit></prior_edits>")

    @pytest.mark.parametrize(
        "before, after, told",
        [
            pytest.param((), ("x\n",), "<edit><null><keep>p<insert>x\n</insert><keep>s<null></edit>", id="insertion"),
            pytest.param(("x\n",), (), "<edit><null><keep>p<null><delete>x\n<null><keep>s<null></edit>", id="deletion"),
            pytest.param(
                ("f(x)\n",),
                ("f(y)\n",),
                "<edit><null><keep>p<null><replace>f(x)\n<replace-by>f(y)\n</replace-by><null><keep>s<null></edit>",
                id="replacement",
            ),
        ],
    )
    def test_an_edit_made_is_told_in_labels_with_its_surroundings(
        self, before: tuple[str, ...], after: tuple[str, ...], told: str
    ) -> None:
        assert prior_edit(Edit(0, "a.py", before, after, NOWHERE, NOWHERE, ("p\n",), ("s\n",))) == told

    def test_of_many_edits_the_likest_three_are_told(self) -> None:
        made = [made_of(f"{word}()\n", f"{word}(1)\n") for word in ("load", "save", "open", "close", "read")]

        assert [each.edit.before for each in likest("save and close, then read\n", made)[:3]] == [
            ("read()\n",),
            ("close()\n",),
            ("save()\n",),
        ]


class TestLabels:
    LINES = tuple(f"{n}\n" for n in range(25))

    def test_a_file_is_cut_into_windows_of_ten_lines_or_as_many_as_fit(self) -> None:
        assert [len(each.lines) for each in windows_over("a", self.LINES, [5] * 25)] == [10, 10, 5]
        assert [len(each.lines) for each in windows_over("a", self.LINES[:4], [300] * 4)] == [1, 1, 1, 1]
        assert list(windows_over("a", (), [])) == []

    def test_a_place_is_seen_with_three_lines_above_and_five_below_and_no_line_twice(self) -> None:
        found = windows_around("a", self.LINES, [(12, 13), (1, 2), (14, 15)])

        assert [(each.start, len(each.lines)) for each in found] == [(0, 7), (9, 9), (18, 2)]

    @staticmethod
    def _places(*marks: dict[str, float]) -> list[tuple[int, tuple[str, ...], float]]:
        labels = Labels()
        lines = TestLabels.LINES[: len(marks) // 2]
        take(labels, LineWindow("a", 0, lines), marks)
        return [(each.start, each.lines, each.confidence) for each in locations("a", lines, labels, Service.NORMAL)]

    @pytest.mark.parametrize(
        "mark, found",
        [
            pytest.param({"replace": 0.6}, True, id="sure-enough"),
            pytest.param({"replace": 0.45, "keep": 0.4}, False, id="not-sure"),
            pytest.param({"delete": 0.96, "keep": 0.04}, False, id="a-deletion-needs-more"),
            pytest.param({"delete": 0.98}, True, id="a-sure-deletion"),
            pytest.param({}, False, id="nothing-said"),
        ],
    )
    def test_a_line_is_kept_unless_the_locator_is_sure(self, mark: dict[str, float], *, found: bool) -> None:
        assert bool(self._places({}, mark, {})) is found

    def test_neighbouring_lines_are_one_place_and_an_insertion_alone_is_one(self) -> None:
        replaced, kept, inserted = {"replace": 0.6}, {"keep": 1.0}, {"insert": 0.95}

        places = self._places({}, replaced, {}, {"replace": 0.8}, {}, kept, inserted, kept, {})

        assert [(start, lines, round(sure, 6)) for start, lines, sure in places] == [
            (0, ("0\n", "1\n"), 0.7),
            (3, (), 0.95),
        ]

    def test_an_insertion_beside_a_replacement_belongs_to_it(self) -> None:
        ((start, lines, sure),) = self._places({"insert": 0.95}, {"replace": 0.65}, {})

        assert (start, lines, round(sure, 6)) == (0, ("0\n",), 0.8)

    def test_where_windows_meet_the_surer_one_is_right(self) -> None:
        labels = Labels()
        take(labels, LineWindow("a", 0, ("0\n",)), ({}, {}, {"insert": 0.99}))
        take(labels, LineWindow("a", 1, ("1\n",)), ({"null": 0.6}, {}, {}))

        assert labels.gaps[1] == ("insert", 0.99)

    def test_too_few_labels_are_none(self) -> None:
        with pytest.raises(ValueError, match="2 labels for 1 lines"):
            take(Labels(), LineWindow("a", 0, ("0\n",)), ({}, {}))


COMMIT = commit_of(
    {
        "a.py": ("old = 1\nx = 0\nprint(old)\n", "new = 1\nx = 0\nprint(new)\n"),
        "b.py": ("from a import old\n", "from a import new\n"),
    },
    message="Rename old to new",
)


Running = Callable[..., AbstractAsyncContextManager[Models]]


@pytest.fixture
def running(tmp_path: Path) -> Running:
    @asynccontextmanager
    async def begun(limits: ChildLimits | None = None, **sources: str) -> AsyncIterator[Models]:
        folder = write_stubs(tmp_path, **sources)
        places = Checkpoints(*(folder / name for name in ("invoker", "locator", "generator")))
        modules = ModuleSettings(Path(), isolation=GROUP_ONLY, limits=limits or ChildLimits(question_s=20))
        models = Models(TraceSettings(places, modules=modules))
        try:
            yield models
        finally:
            await models.aclose()

    return begun


def session(*applied: int) -> EditorSession:
    return session_of(State(COMMIT, applied), len(applied), Leak.MESSAGE, None)


class TestTrace:
    async def test_a_rename_that_the_invoker_confirms_is_made_wherever_it_stands(self, running: Running) -> None:
        async with running() as models:
            found = await Trace(models).recommend(session(0))

        assert found == [
            Suggestion("a.py", 2, ("print(old)\n",), ("print(new)\n",), 1.0),
            Suggestion("b.py", 0, ("from a import old\n",), ("from a import new\n",), 1.0),
        ]

    async def test_where_the_invoker_disagrees_the_locator_looks_everywhere(self, running: Running) -> None:
        none = "def load(folder, device): return lambda texts: [[0.1] * 4 for text in texts]"

        async with running(invoker=none) as models:
            found = await Trace(models).recommend(session(0))

        assert [(each.path, each.start, each.after) for each in found] == [
            ("a.py", 2, ("print(new)\n",)),
            ("b.py", 0, ("from a import new\n",)),
        ]
        assert {each.confidence for each in found} == {0.8}

    async def test_an_insertion_stands_in_its_gap(self, running: Running) -> None:
        commit = commit_of({"a.py": ("x\n# HERE\ny\n", "z\n# HERE\nadded\ny\n")})
        at = session_of(State(commit, (0,)), 1, Leak.MESSAGE, None)

        async with running() as models:
            found = await Trace(models).recommend(at)

        assert found == [Suggestion("a.py", 2, (), ("added\n",), 0.95)]

    async def test_the_uses_of_a_changed_signature_are_looked_at_first(self, running: Running) -> None:
        text = "def f(a):\n" + "pass\n" * 20 + "f(old)\n" + "pass\n" * 20 + "old\n"
        commit = commit_of({"a.py": (text, text.replace("f(a)", "f(a, b)").replace("f(old)", "f(new)"))})
        at = session_of(State(commit, (0,)), 1, Leak.MESSAGE, None)

        async with running() as models:
            found = await Trace(models).recommend(at)

        assert [(each.start, each.after, each.confidence) for each in found] == [(21, ("f(new)\n",), 1.0)]

    async def test_a_place_is_filled_by_the_generator_from_what_the_place_says(self, running: Running) -> None:
        async with running() as models:
            editor = Trace(models)
            replaced = await editor.fill(session(0), Place("b.py", 0, ("from a import old\n",)))
            inserted = await editor.fill(session(0), Place("b.py", 1, ()))

        assert (replaced, inserted) == (("from a import new\n",), ("added\n",))

    @pytest.mark.parametrize(
        "name, source, reason, words",
        [
            pytest.param("locator", "import gone", Mishap.CRASHED, "No module named 'gone'", id="import"),
            pytest.param("locator", "def load(f, d): import os; os._exit(3)", Mishap.CRASHED, "code 3", id="exit"),
            pytest.param("invoker", "def load(f, d): return lambda t: [1]", Mishap.NONSENSE, "no answer for", id="one"),
            pytest.param("invoker", "def load(f, d): return lambda t: [[1]]", Mishap.NONSENSE, "no four", id="few"),
            pytest.param("invoker", "def load(f, d): return lambda t: [[0] * 4] * 2", Mishap.NONSENSE, "inv", id="two"),
            pytest.param(
                "invoker", "def load(f, d): return lambda t: ['0.9'] * len(t)", Mishap.NONSENSE, "inv", id="text"
            ),
            pytest.param(
                "invoker",
                "def load(f, d): return lambda t: [['0.9'] * 4] * len(t)",
                Mishap.NONSENSE,
                "no four",
                id="texts",
            ),
            pytest.param(
                "invoker",
                "def load(f, d): return lambda t: [[float('nan')] * 4] * len(t)",
                Mishap.NONSENSE,
                "no four",
                id="no-numbers",
            ),
        ],
    )
    async def test_a_checkpoint_that_fails_costs_the_question(
        self, running: Running, name: str, source: str, reason: Mishap, words: str
    ) -> None:
        async with running(**{name: source}) as models:
            with pytest.raises(EditorError, match=re.escape(words)) as error:
                await Trace(models).recommend(session(0))

        assert error.value.reason is reason

    async def test_labels_that_do_not_fit_are_nonsense(self, running: Running) -> None:
        none = "def load(folder, device): return lambda texts: [[0.1] * 4 for text in texts]"
        few = "def load(folder, device): return lambda texts: [[{}] for text in texts]"

        async with running(invoker=none, locator=few) as models:
            with pytest.raises(EditorError, match="1 labels for 3 lines"):
                await Trace(models).recommend(session(0))

    async def test_labels_with_words_for_probabilities_are_nonsense(self, running: Running) -> None:
        none = "def load(folder, device): return lambda texts: [[0.1] * 4 for text in texts]"
        words = "def load(folder, device): return lambda texts: [[{'keep': 'sure'}] for text in texts]"

        async with running(invoker=none, locator=words) as models:
            with pytest.raises(EditorError, match="the locator gives no probabilities"):
                await Trace(models).recommend(session(0))

    async def test_one_process_serves_all_commits_of_a_run(self, tmp_path: Path) -> None:
        folder = write_stubs(
            tmp_path, generator="import os\ndef load(f, d): return lambda t: [str(os.getpid())] * len(t)"
        )
        places = Checkpoints(*(folder / name for name in ("invoker", "locator", "generator")))
        system = trace_system(TraceSettings(places, modules=ModuleSettings(Path(), isolation=strongest())))
        plan = ReplayPlan(ORDERS["none"], seed=1)
        editors = [system.make(replace(COMMIT), plan) for _ in range(2)]

        told = [await each.fill(session(0), Place("b.py", 1, ())) for each in editors]
        await system.aclose()

        assert told[0] == told[1]
        assert not places.neural

    async def test_a_commit_is_replayed_to_its_end(self, running: Running) -> None:
        async with running() as models:
            replay = await replay_commit(COMMIT, Trace(models), ReplayPlan(ORDERS["none"], 1), count().__next__)

        assert sorted(replay.order) == [0, 1, 2]
        assert [step.metrics.precision for step in replay.steps] == [1.0, 1.0]


class TestCheckpoints:
    def test_a_file_of_weights_needs_the_libraries_and_another_file_is_another_checkpoint(self, tmp_path: Path) -> None:
        folder = write_stubs(tmp_path)
        parts = [folder / name for name in ("invoker", "locator", "generator")]
        before = Checkpoints(*parts)
        identity = before.identity
        (folder / "weights.bin").write_bytes(b"1")
        (folder / "locator" / "checkpoint.py").write_text("# another")

        assert not before.neural
        assert before.identity != identity
        assert Checkpoints(parts[0], parts[1], folder / "weights.bin").neural
