"""Which files systems see: the same for the same seed, found without knowledge of edits yet to come, never hidden."""

from collections.abc import Sequence
from dataclasses import replace
from math import log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.pool.processes import Processes
from runner.suites.nextedit.commit_replay import replay_commit, session_of
from runner.suites.nextedit.commits import Commit, Span
from runner.suites.nextedit.context.contexts import ContextChoice, ContextKind, touched_files
from runner.suites.nextedit.context.decoys import decoys_of
from runner.suites.nextedit.context.excerpts import View
from runner.suites.nextedit.context.ranking import Bm25, Passage, words_of
from runner.suites.nextedit.context.retrieval import project_scores, retrieved
from runner.suites.nextedit.context.seen import is_in_view
from runner.suites.nextedit.context.trees import BundleTree, other_texts
from runner.suites.nextedit.editor import EditorSession, Leak, Place, Suggestion
from runner.suites.nextedit.matching import target_of
from runner.suites.nextedit.orders import ORDERS
from runner.suites.nextedit.replay_plan import ReplayPlan
from runner.suites.nextedit.state import State
from runner.suites.nextedit.summary import summarize
from runner.suites.nextedit.systems.baselines import Resting
from tests.nextedit import commit_of

COMMIT = commit_of(
    {
        "shop/cart.py": (
            "def total(rows):\n    return 0\n" + "\n" * 60 + "x = 1\n",
            "def sum_of(rows):\n    return 0\n",
        ),
        "shop/pay.py": ("import cart\ncart.total([])\n", "import cart\ncart.sum_of([])\n"),
    },
    message="Rename total to sum_of",
)
OTHERS = {
    **{f"lib/far_{at}.py": f"# nothing of that kind {at}\n" for at in range(30)},
    "notes.md": "# Notes\n",
    "image.py": "\0",
    "empty.py": "",
}
TREE = BundleTree({file.path: file.before or "" for file in COMMIT.files}, OTHERS)
KNOWN = project_scores(COMMIT, TREE)


def _session(applied: Sequence[int] = (0,), leak: Leak = Leak.MESSAGE, commit: Commit = COMMIT) -> EditorSession:
    return session_of(State(commit, tuple(applied)), len(applied), leak, None)


def _found(
    applied: Sequence[int] = (0,), characters: int = 4000, leak: Leak = Leak.MESSAGE, commit: Commit = COMMIT
) -> EditorSession:
    scores = KNOWN if commit is COMMIT else project_scores(commit, BundleTree({}, OTHERS))
    return retrieved(_session(applied, leak, commit), State(commit, tuple(applied)).texts(), scores, characters)


class TestDecoys:
    def test_they_are_texts_that_the_commit_does_not_touch_of_its_languages_first(self) -> None:
        decoys = decoys_of(COMMIT, TREE, 0)

        assert len(decoys) == 5
        assert decoys.items() <= OTHERS.items()
        assert all(path.startswith("lib/") for path in decoys)

    def test_the_same_seed_draws_the_same_and_another_others(self) -> None:
        assert decoys_of(COMMIT, TREE, 0) == decoys_of(COMMIT, TREE, 0)
        assert decoys_of(COMMIT, TREE, 0) != decoys_of(COMMIT, TREE, 1)

    def test_a_project_with_few_texts_has_few(self) -> None:
        assert decoys_of(COMMIT, BundleTree({}, {"a.md": "a", "b.py": ""}), 0) == {"a.md": "a"}

    async def test_they_stand_among_the_touched_files_at_every_step(self) -> None:
        decoys = decoys_of(COMMIT, TREE, 0)
        choice = ContextChoice(ContextKind.DECOYS, decoys={COMMIT.case_id: decoys})

        seen = await choice.context(None)(_session(), State(COMMIT, (0,)))

        assert list(seen.texts) == sorted([*decoys, "shop/cart.py", "shop/pay.py"])
        assert seen.texts["shop/cart.py"].startswith("def sum_of")
        assert set(seen.files) == set(seen.texts)


class TestTrees:
    def test_the_other_texts_are_those_that_the_commit_does_not_touch(self) -> None:
        assert other_texts(COMMIT, TREE) == {path: text for path, text in OTHERS.items() if text != "\0"}

    def test_of_a_very_large_project_texts_with_endings_of_touched_files_come_first(self) -> None:
        text = "x\n" * 500_000
        large = BundleTree({}, {**{f"a{at}.txt": text for at in range(20)}, **{f"b{at}.py": text for at in range(20)}})

        found = other_texts(COMMIT, large)

        assert len(found) == 30
        assert all(f"b{at}.py" in found for at in range(20))

    def test_files_that_no_person_writes_are_left_out(self) -> None:
        assert other_texts(COMMIT, BundleTree({}, {"a.py": "x" * 1_000_001, "b.py": "a\0b", "c.py": "\udce9"})) == {
            "c.py": "\udce9"
        }


class TestRetrieval:
    def test_it_finds_what_has_to_do_with_the_edits_made(self) -> None:
        found = _found(leak=Leak.NONE)

        assert found.message is None
        assert {passage.path for passage in (found.passages or ())[:2]} == {"shop/cart.py", "shop/pay.py"}
        assert found.texts["shop/pay.py"] == COMMIT.files[1].before

    def test_edits_yet_to_come_change_nothing(self) -> None:
        blind = replace(KNOWN, edits=(KNOWN.edits[0], *({} for _ in KNOWN.edits[1:])))

        assert retrieved(_session(), State(COMMIT, (0,)).texts(), blind, 4000) == _found()

    def test_it_never_shows_more_than_is_permitted_but_for_the_files_edited(self) -> None:
        shown = _found(characters=40)

        assert sum(passage.span.end - passage.span.start for passage in shown.passages or ()) <= 2
        assert "shop/cart.py" in shown.texts

    def test_lines_are_those_of_the_text_as_it_is_now(self) -> None:
        before = "".join(f"line {at}\n" for at in range(80)) + "load_rows(1)\n"
        commit = commit_of({"a.py": (before, f"load_rows = 2\n\n\n{before.replace('(1)', '(2)')}")})

        passages = _found(commit=commit).passages or ()

        assert Passage("a.py", Span(83, 84)) in passages

    def test_a_file_that_went_is_not_shown(self) -> None:
        commit = commit_of({"a.py": ("def load(): 0\n", None), "b.py": ("load()\n", "0\n")})

        assert "a.py" not in _found((0,), commit=commit).texts

    async def test_a_worker_process_ranks_alike_once_for_all(self) -> None:
        choice = ContextChoice(ContextKind.RETRIEVED, 4000, trees={COMMIT.case_id: TREE})

        with Processes(1) as pool:
            context = choice.context(pool)
            seen = [await context(_session(), State(COMMIT, (0,))) for _ in range(2)]

        assert seen == [_found()] * 2

    def test_the_name_of_the_context_tells_other_files_apart(self) -> None:
        one = ContextChoice(ContextKind.RETRIEVED, 4000, trees={"a": TREE})
        other = ContextChoice(ContextKind.RETRIEVED, 4000, trees={"a": BundleTree({}, {})})

        assert ContextChoice().identity == "touched"
        assert one.identity.startswith("retrieved@")
        assert one.identity == replace(one).identity != other.identity


class TestWords:
    def test_names_count_whole_and_by_their_parts(self) -> None:
        assert words_of("maxRows(_max_rows, HTTPServer)") == [
            *("maxrows", "max", "rows", "_max_rows", "max", "rows", "httpserver")
        ]

    def test_rare_words_count_more_and_repeated_ones_add_up(self) -> None:
        index = Bm25([["a", "b"], ["a"], ["a", "c"]])

        once, twice = index.scores(["b"]), index.scores(["b", "b"])

        assert list(once.nonzero()[0]) == [0]
        assert once[0] > index.scores(["a"])[0]
        assert twice[0] == pytest.approx(2 * once[0])

    @settings(max_examples=25)
    @given(st.lists(st.lists(st.sampled_from("abcde"), max_size=6), min_size=1, max_size=6), st.text("abcde"))
    def test_the_scores_are_those_of_the_published_formula(self, documents: list[list[str]], words: str) -> None:
        mean = sum(map(len, documents)) / len(documents)

        def score(document: list[str]) -> float:
            total = 0.0
            for word in words:
                having = sum(word in other for other in documents)
                rarity = log(1 + (len(documents) - having + 0.5) / (having + 0.5))
                length = len(document) / mean if mean else 0.0
                times = document.count(word)
                total += rarity * times * 2.5 / (times + 1.5 * (0.25 + 0.75 * length)) if times else 0.0
            return total

        assert Bm25(documents).scores(words).tolist() == pytest.approx([score(each) for each in documents], abs=1e-9)

    @pytest.mark.parametrize("documents", [[], [[]], [[], ["a"]]])
    def test_texts_without_words_score_nothing(self, documents: list[list[str]]) -> None:
        assert not Bm25(documents).scores(["b"]).any()


class TestInView:
    STATE = State(
        commit_of(
            {
                "a.py": ("1\n2\n3\n4\n5\n6\n", "1\n2\nx\ny\n5\n6\n"),
                "b.py": ("1\n2\n3\n", "1\n2\n3\n4\n"),
                "c.py": (None, "1\n"),
                "d.py": ("1\n", None),
            }
        )
    )

    @pytest.mark.parametrize(
        "idx, view, expected",
        [
            pytest.param(0, {"a.py": (Span(2, 3),)}, True, id="half-of-the-lines"),
            pytest.param(0, {"a.py": (Span(0, 2), Span(4, 6))}, False, id="lines-around"),
            pytest.param(0, {}, False, id="another-file"),
            pytest.param(1, {"b.py": (Span(2, 3),)}, True, id="next-to-an-insertion"),
            pytest.param(1, {"b.py": (Span(0, 1),)}, False, id="far-from-an-insertion"),
            pytest.param(2, {}, True, id="a-new-file-has-no-place"),
            pytest.param(3, {"d.py": ()}, True, id="of-a-deleted-file-the-name"),
            pytest.param(3, {}, False, id="a-deleted-file-unseen"),
        ],
    )
    def test_a_place_is_in_view_if_it_could_be_found(self, idx: int, view: View, expected: bool) -> None:
        assert is_in_view(target_of(self.STATE, idx), self.STATE, view) is expected


class Blindfold(Resting):
    """An editor that shows the files that it names, at every step."""

    def __init__(self, *paths: str) -> None:
        self.view = {path: (Span(0, 1000),) for path in paths}

    async def recommend(self, session: EditorSession) -> Sequence[Suggestion]:
        assert session.texts
        return ()

    async def fill(self, session: EditorSession, place: Place) -> None:
        """Nothing."""


class TestCeiling:
    PLAN = ReplayPlan(ORDERS["none"], seed=1, context=touched_files)

    async def test_it_is_the_share_of_steps_and_of_allowed_edits_that_were_seen(self) -> None:
        files = {f"{at}.py": (f"{at}\n", "x\n") for at in range(4)}

        replay = await replay_commit(commit_of(files), Blindfold("0.py", "1.py"), self.PLAN, lambda: 0)

        figures = {name: figure.micro for name, figure in summarize([replay]).items() if "in view" in name}
        seen = [set(step.allowed) & {0, 1} for step in replay.steps]
        assert [set(step.in_view or ()) for step in replay.steps] == seen
        assert {name: interval and interval.estimate for name, interval in figures.items()} == {
            "in view": sum(map(bool, seen)) / 3,
            "edits in view": sum(map(len, seen)) / 6,
        }

    async def test_without_a_context_it_is_unknown(self) -> None:
        replay = await replay_commit(COMMIT, Blindfold(), replace(self.PLAN, context=None), lambda: 0)

        assert {step.in_view for step in replay.steps} == {None}
        assert summarize([replay])["in view"].micro is None
