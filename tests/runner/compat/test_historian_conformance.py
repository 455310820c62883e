"""Compares with recordings of the original program; every `recorded*` file of the vectors is read."""

import asyncio
import hashlib
import json
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

import pytest

from runner.git import Repository
from runner.metrics.smooth_bleu import smooth_bleu, tokenize
from runner.suites.nextedit.historian import (
    CommitContext,
    HistorianRun,
    Payload,
    RefusedError,
    Snapshots,
    Surroundings,
    System,
    extract,
    replay,
    write_result,
)
from runner.suites.nextedit.historian.snapshots import current_version, edits_of, not_simulated, only_edit
from runner.suites.nextedit.new_repositories import write_pairs
from tests.vectors import files, rows, vectors

pytestmark = pytest.mark.conformance

Row = dict[str, Any]
Simulated = tuple[Row, HistorianRun, list[Row]]
Texts = dict[bytes, bytes]


def _trees(commit: Row) -> tuple[Texts, Texts]:
    before, after = (
        {each["path"].encode(): each[side].encode() for each in commit["files"] if each[side] is not None}
        for side in ("before", "after")
    )
    return before, after


def _patches(folder: Path, pairs: list[tuple[Texts, Texts]]) -> Iterator[bytes]:
    ids = write_pairs(folder, pairs)
    with Repository(folder) as repository:
        for parent, child in ids:
            yield repository.patch(parent, child)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Row, bytes]]:
    """Every recorded commit with its diff."""
    commits = {row["id"]: row for path in files("historian", "*commits*.jsonl.xz") for row in rows(path)}
    recordings = [row for path in files("historian", "*recorded*.jsonl.xz") for row in rows(path)]
    known = [row for row in recordings if row["id"] in commits]
    assert known, "no recording is of a commit at hand"
    pairs = [_trees(commits[row["id"]]) for row in known]
    return list(zip(known, _patches(tmp_path_factory.mktemp("pairs"), pairs), strict=True))


def _tell(line: str) -> None:
    print(line)  # noqa: T201 - how many of how many is asked for


def _without_paths(edits: list[Any]) -> list[dict[str, Any]]:
    return [{key: value for key, value in edit.items() if key != "structural_path"} for edit in edits]


def test_every_field_of_every_edit_is_extracted_as_recorded(recorded: list[tuple[Row, bytes]]) -> None:
    differing = [
        row["id"] for row, patch in recorded if _without_paths(edits_of(extract(patch))) != _without_paths(row["edits"])
    ]

    _tell(f"extraction: {len(recorded) - len(differing)} of {len(recorded)} commits, differing {differing}")
    assert not differing


def test_the_texts_are_those_the_original_reconstructs(recorded: list[tuple[Row, bytes]]) -> None:
    for row, patch in recorded:
        snapshots = extract(patch)
        before = _digests(current_version(snapshots))
        for edit in edits_of(snapshots):
            edit["simulated"] = True
        after = _digests(current_version(snapshots))

        assert before == {path: each["parent_sha256_snapshot"] for path, each in row["files"].items()}
        assert after == {path: each["child_sha256_snapshot"] for path, each in row["files"].items()}


def test_structural_paths_agree_nearly_always(recorded: list[tuple[Row, bytes]]) -> None:
    agreed = [
        mine["structural_path"] == theirs["structural_path"]
        for row, patch in recorded
        for mine, theirs in zip(edits_of(extract(patch)), row["edits"], strict=True)
    ]

    _tell(f"structural paths: {sum(agreed)} of {len(agreed)}")
    assert sum(agreed) >= 0.95 * len(agreed)


def test_bleu_cells_are_as_recorded(recorded: list[tuple[Row, bytes]]) -> None:
    cells = 0
    for row, _ in recorded:
        texts = ["".join(edit["after"]) for edit in row["edits"]]
        for text, line in zip(texts, row["bleu_after_matrix"], strict=True):
            assert [smooth_bleu(text, other) for other in texts] == pytest.approx(line, abs=1e-5)
            cells += len(line)

    _tell(f"BLEU: {cells} of {cells} cells")


def test_bleu_of_the_odd_cases_is_as_recorded() -> None:
    cases = json.loads((vectors("historian") / "_bleu_cases.json").read_text())

    for case in cases:
        assert tokenize(case["pred"]) == case["pred_tokens"]
        assert smooth_bleu(case["pred"], case["gold"]) == pytest.approx(case["historian"], abs=1e-4)


def _stub(name: str, snapshots: Snapshots) -> System:
    async def answer(payload: Payload) -> Snapshots:
        if payload["status"] == "init" or name == "StubEmpty":
            return {}
        remaining = [edit["idx"] for edit in edits_of(snapshots) if not edit["simulated"]]
        predicted = not_simulated(snapshots) if name == "StubAllRemaining" else only_edit(snapshots, remaining[0])
        for edit in edits_of(predicted):
            edit["confidence"] = 1.0
            edit["allowed_as_next"] = False
        return predicted

    return answer


class _Watch:
    """Keeps the state after each edit, in the form of the recordings."""

    def __init__(self, snapshots: Snapshots) -> None:
        self.snapshots = snapshots
        self.states: list[Row] = []

    def __call__(self, texts: dict[str, str]) -> None:
        edits = edits_of(self.snapshots)
        state = {
            "simulated": [edit["idx"] for edit in edits if edit["simulated"]],
            "allowed": [edit["idx"] for edit in edits if edit["allowed_as_next"]],
            "current_start": {str(edit["idx"]): edit["currently_start_at_line"] for edit in edits},
            "file_sha256": _digests(texts),
        }
        self.states.append(deepcopy(state))


def _digests(texts: dict[str, str]) -> dict[str, str]:
    return {path: hashlib.sha256(text.encode()).hexdigest() for path, text in texts.items()}


async def _simulate(row: Row, patch: bytes, name: str) -> tuple[HistorianRun, list[Row]]:
    snapshots = extract(patch)
    watch = _Watch(snapshots)
    about = CommitContext(row["commit_url"], row["language"], row["commit_message"], "repositories/tool")
    around = Surroundings(Random(42), lambda: 0.0, watch)
    return await replay(about, snapshots, _stub(name, snapshots), around), watch.states


def _evaluations(record: Row) -> Row:
    evaluations = {key: value for key, value in record["evaluations"].items() if key != "latency"}
    return {key: round(value, 9) if isinstance(value, float) else value for key, value in evaluations.items()}


STUBS = ("StubEmpty", "StubAllRemaining", "StubOneNext")


@pytest.fixture(
    scope="module",
    params=[
        *(pytest.param((name, 3), id=name) for name in STUBS),
        *(pytest.param((name, 1), id=f"{name}, all commits", marks=pytest.mark.slow) for name in STUBS),
    ],
)
def simulated(request: pytest.FixtureRequest, recorded: list[tuple[Row, bytes]]) -> tuple[str, list[Simulated]]:
    """Each recorded commit, or one of three, replayed against one stub system."""
    runs: list[Simulated] = []
    name, one_of = request.param

    async def simulate_all() -> None:
        # Returns nothing: what is returned is written out as a text, twice, for an error that nobody sees.
        for row, patch in recorded[::one_of]:
            runs.append((row, *await _simulate(row, patch, name)))

    asyncio.run(simulate_all())
    return name, runs


def test_every_step_of_the_stub_systems_is_as_recorded(simulated: tuple[str, list[Simulated]]) -> None:
    name, runs = simulated
    steps = 0
    for row, run, states in runs:
        expected = row["simulations"][name]
        assert run.order == expected["simulation_order"], row["id"]
        for step, record, state in zip(expected["steps"], run.records, states, strict=True):
            assert _evaluations(record) == _evaluations(step), (row["id"], step["step"])
            assert state == {**step["after"], "simulated": sorted(step["after"]["simulated"])}, row["id"]
            assert record["status"] == step["status"]
            steps += 1

    _tell(f"{name}: {steps} of {steps} steps")


def test_predictions_are_placed_as_recorded(simulated: tuple[str, list[Simulated]]) -> None:
    """Ranges agree in full; paths as far as the grammars do, and with them which of two like insertions is matched."""
    name, runs = simulated
    paths = matches = total = 0
    for row, run, _ in runs:
        for step, record in zip(row["simulations"][name]["steps"][1:], run.records[1:], strict=True):
            predicted: Any = record["pred_snapshots"]
            for mine, theirs in zip(edits_of(predicted), step["predictions"], strict=True):
                assert mine["idx"] == theirs["idx"]
                assert mine["parent_version_range"] == theirs["parent_version_range"]
                paths += mine["structural_path"] == theirs["structural_path"]
                matches += mine.get("matchWith") == theirs["matchWith"]
                total += 1

    _tell(f"{name}: {matches} of {total} matches, {paths} of {total} structural paths by the Python grammar")
    assert matches >= 0.98 * total
    assert paths >= 0.75 * total


def test_a_result_has_the_name_and_keys_of_the_original(simulated: tuple[str, list[Simulated]], tmp_path: Path) -> None:
    name, runs = simulated
    for row, run, _ in runs:
        path = write_result(run, tmp_path, name)
        content = json.loads(path.read_text())

        assert path.name == f"{row['project_name']}-{row['commit_sha']}-{name}-simulation-results.json"
        assert list(content) == row["results_json_top_keys"]
        assert [list(record) for record in content["SUT_prediction_records"][:2]] == row["results_json_record_keys"]


def test_the_synthetic_commits_give_the_recorded_snapshots_or_refusals(tmp_path: Path) -> None:
    cases: dict[str, Row] = json.loads((vectors("historian") / "_edge_cases.json").read_text())
    trees = [
        tuple(
            {path.encode(): text.encode("latin-1") for path, text in case[side].items()} for side in ("parent", "child")
        )
        for case in cases.values()
    ]
    pairs = [(before, after) for before, after in trees]

    for (name, case), patch in zip(cases.items(), _patches(tmp_path, pairs), strict=True):
        if "error" in case:
            # A change of mode alone is nothing that two texts can tell: its diff is written out.
            with pytest.raises(RefusedError):
                extract(patch or b"diff --git a/a.py b/a.py\nold mode 100644\nnew mode 100755\n")
            continue
        snapshots = extract(patch)
        assert snapshots == case["snapshots"], name
        edits_of(snapshots)[0]["simulated"] = True
        on_disk = {path: text.encode().decode("latin-1") for path, text in current_version(snapshots).items()}
        assert on_disk == case.get("after_edit0_on_disk", on_disk), name
    _tell(f"edge cases: {len(cases)} of {len(cases)}")
