import json
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import ClassVar

import pytest

from runner.suites.nextedit.historian import (
    CommitContext,
    Payload,
    RefusedError,
    Snapshots,
    Surroundings,
    UnfitAnswerError,
    extract,
    replay,
    write_result,
)
from runner.suites.nextedit.historian.matching import (
    classify,
    evaluate,
    locate,
    match,
    number,
    overlap,
    place_given_bleu,
)
from runner.suites.nextedit.historian.replay import FILL, RECOMMEND
from runner.suites.nextedit.historian.snapshots import (
    EditDict,
    applied_locations,
    current_version,
    edits_of,
    not_simulated,
)

PATCH = b"""\
diff --git a/a.py b/a.py
--- a/a.py
+++ b/a.py
@@ -1,7 +1,8 @@
-import os
+import sys
 def f(a):
     x = 1
+    y = 2
     return x
 def g():
-    return f(1)
+    return f(1, 2)
 z = 1
diff --git a/b.py b/b.py
--- a/b.py
+++ b/b.py
@@ -1,3 +1,2 @@
 one
-two
 three
"""
ABOUT = CommitContext(
    "https://example.org/owner/tool/commit/0123456789abcdef", "python", "message", "repositories/tool"
)


def _edit(before: list[str], after: list[str], confidence: float | None = None) -> EditDict:
    edit = deepcopy(edits_of(extract(PATCH))[0])
    edit.update({"before": before, "after": after, "confidence": confidence})
    return edit


def _guess(path: str, before: list[str], after: list[str], at: int, confidence: float | None = None) -> Snapshots:
    """A prediction for the texts of the parent."""
    lines = current_version(extract(PATCH))[path].splitlines(keepends=True)
    guess: Snapshots = {path: [lines[:at], _edit(before, after, confidence), lines[at + len(before) :]]}
    number(guess)
    return guess


def _gold() -> Snapshots:
    snapshots = extract(PATCH)
    for edit in edits_of(snapshots):
        edit["allowed_as_next"] = True
    return snapshots


class TestExtract:
    def test_edits_are_runs_of_changed_lines_numbered_over_the_files(self) -> None:
        edits = edits_of(extract(PATCH))

        assert [(edit["idx"], edit["type"], edit["file_path"]) for edit in edits] == [
            (0, "replace", "a.py"),
            (1, "insert", "a.py"),
            (2, "replace", "a.py"),
            (3, "delete", "b.py"),
        ]
        assert edits[1]["structural_path"] == [
            {"type": "function", "name": "f", "signature": "def f(a):", "at_line": 1},
        ]

    def test_the_last_line_of_each_file_loses_its_end(self) -> None:
        texts = current_version(extract(PATCH))

        assert texts["a.py"].endswith("z = 1")
        assert texts["b.py"] == "one\ntwo\nthree"

    @pytest.mark.parametrize(
        "patch, reason",
        [
            pytest.param(PATCH.replace(b"b/b.py", b"b/c.py"), "renamed", id="rename"),
            pytest.param(PATCH.replace(b"b.py", b"b.md"), "not a source file", id="markdown"),
            pytest.param(PATCH.replace(b"b.py", b"b.d.ts"), "not a source file", id="two-dots"),
            pytest.param(PATCH.replace(b"b.py", b"Makefile"), "not a source file", id="no-dot"),
            pytest.param(PATCH.replace(b"one", b"\xff"), "no UTF-8", id="bytes"),
            pytest.param(b"diff --git a/x.py b/x.py\nnew file mode 100644\n", "no changed lines", id="empty-file"),
        ],
    )
    def test_what_the_original_refuses_is_refused(self, patch: bytes, reason: str) -> None:
        with pytest.raises(RefusedError, match=reason):
            extract(patch)


class TestDerivedSnapshots:
    def test_positions_follow_the_applied_edits(self) -> None:
        snapshots = extract(PATCH)
        edits_of(snapshots)[1]["simulated"] = True

        current_version(snapshots)

        assert [edit["currently_start_at_line"] for edit in edits_of(snapshots)] == [0, 3, 6, 1]
        assert applied_locations(snapshots)[1]["atLines"] == [3]

    def test_an_applied_edit_is_merged_into_its_surroundings(self) -> None:
        snapshots = extract(PATCH)
        edits_of(snapshots)[1]["simulated"] = True

        (_, block, _, _) = not_simulated(snapshots)["a.py"]

        assert block == ["def f(a):\n", "    x = 1\n", "    y = 2\n", "    return x\n", "def g():\n"]


class TestMatching:
    def test_a_replacement_matches_by_overlap_and_bleu(self) -> None:
        located = locate(_guess("a.py", ["import os\n"], ["import sys\n"], 0))

        (matched,) = match(located, locate(_gold()))

        assert matched["matchWith"] == 0
        assert matched["bleu"] == pytest.approx(100)

    def test_a_replacement_widened_by_a_line_each_side_matches_nothing(self) -> None:
        before = ["def g():\n", "    return f(1)\n", "z = 1"]

        located = locate(_guess("a.py", before, ["def g():\n", "    return f(1, 2)\n", "z = 1"], 4))

        assert match(located, locate(_gold())) == []

    def test_an_insertion_matches_anywhere_within_the_same_constructs(self) -> None:
        located = locate(_guess("a.py", [], ["    y = 2\n"], 2))

        assert [each["matchWith"] for each in match(located, locate(_gold()))] == [1]

    def test_several_predictions_may_match_one_edit_and_recall_passes_1(self) -> None:
        guess = _guess("b.py", ["two\n"], [], 1)
        guess["b.py"][2:] = []
        located = locate(guess) * 2
        gold = [each for each in locate(_gold()) if each["idx"] == 3]

        metrics = evaluate(located, match(located, gold), allowed=1)

        assert (metrics["recall@all"], metrics["precision@all"], metrics["fn@all"]) == (2.0, 1.0, -1)

    def test_ranks_come_from_confidence_and_ties_share_the_best(self) -> None:
        guess = _guess("a.py", ["import os\n"], ["import sys\n"], 0, confidence=0.5)
        guess["b.py"] = [["one\n"], _edit(["two\n"], [], 0.9), ["three"]]
        number(guess)

        located = locate(guess)

        assert [each["suggestionRank"] for each in located] == [1, 0]
        assert evaluate(located, match(located, locate(_gold())), 4)["tp@1"] == 1

    def test_without_confidence_there_is_no_hit_at_a_cut(self) -> None:
        located = locate(_guess("a.py", ["import os\n"], ["import sys\n"], 0))

        metrics = evaluate(located, match(located, locate(_gold())), 4)

        assert (metrics["tp@1"], metrics["tp@all"]) == (None, 1)

    def test_a_miss_on_the_lines_of_an_applied_edit_reverts(self) -> None:
        snapshots = _gold()
        edits_of(snapshots)[0]["simulated"] = True
        guess = _guess("a.py", ["import os\n"], ["import os, sys\n"], 0)
        guess["b.py"] = [["one\n", "two\n"], _edit(["three"], ["four"])]
        number(guess)

        flow = classify(locate(guess), [], applied_locations(snapshots).values())

        assert (flow["flow_reverting"], flow["flow_breaking"]) == ([0], [1])

    def test_overlap_is_the_dice_coefficient(self) -> None:
        assert overlap([1, 2, 3], [2]) == 0.5
        assert overlap([], []) == 0.0


class TestPlaceGiven:
    GOLD: ClassVar[Snapshots] = {"a.py": [["x\n"], _edit(["y\n"], ["z = foo(1)\n"])], "b.py": [["one\n"]]}

    def test_the_first_edit_is_scored(self) -> None:
        answer: Snapshots = {"b.py": [["one\n"]], "a.py": [["x\n"], _edit(["y\n"], ["z = foo(1)\n"])]}

        assert place_given_bleu(answer, self.GOLD) == pytest.approx(100)

    @pytest.mark.parametrize("answer", [None, {}, {"a.py": [["other\n"], _edit(["y\n"], ["z"])]}])
    def test_no_answer_or_another_text_scores_nothing(self, answer: Snapshots | None) -> None:
        assert place_given_bleu(answer, self.GOLD) == 0

    @pytest.mark.parametrize(
        "answer, error",
        [
            ({"c.py": [["x"]]}, "KeyError"),
            ({"a.py": [["x\n", "y\n"]]}, "AssertionError"),
            ({"b.py": [["one\n"]]}, "TypeError"),
        ],
    )
    def test_what_ends_the_originals_run_is_an_error(self, answer: Snapshots, error: str) -> None:
        with pytest.raises(UnfitAnswerError, match=error):
            place_given_bleu(answer, self.GOLD)


class TestReplay:
    async def test_a_silent_system_is_asked_for_the_content_at_every_place(self) -> None:
        asked: list[Payload] = []

        async def silent(payload: Payload) -> None:
            asked.append(deepcopy(payload))

        texts: list[dict[str, str]] = []
        run = await replay(ABOUT, extract(PATCH), silent, Surroundings(Random(42), lambda: 1.0, texts.append))

        assert [payload["status"] for payload in asked] == ["init", *([RECOMMEND, FILL] * 3)]
        assert asked[2]["target_edit"]["idx"] == run.order[1]
        assert [len(payload["prior_edits"]) for payload in asked] == [1, 1, 1, 2, 2, 3, 3]
        assert (run.order[0], sorted(run.order)) == (0, [0, 1, 2, 3])
        assert texts[-1]["b.py"] == "one\nthree"

    async def test_the_result_file_has_the_originals_name_and_is_plain_json(self, tmp_path: Path) -> None:
        async def silent(_payload: Payload) -> None:
            return None

        run = await replay(ABOUT, extract(PATCH), silent, Surroundings(Random(42), lambda: 1.0, lambda _: None))
        path = write_result(run, tmp_path / "results", "Silent")

        assert path.name == "tool-0123456789-Silent-simulation-results.json"
        content = json.loads(path.read_text())
        assert [record["status"] for record in content["SUT_prediction_records"]] == [
            "init",
            RECOMMEND,
            RECOMMEND,
            "done",
        ]
        assert content["SUT_prediction_records"][1]["evaluations"]["latency"] == 0.0
