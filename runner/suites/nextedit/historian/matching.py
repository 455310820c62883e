"""Historian's matching of predictions with remaining edits, and the metrics of a step, defects included.

Reproduces `simulation` of code-philia/Historian (March 2026): insertions are matched by the path of enclosing
constructs, found with the Python grammar whatever the language, at line numbers that drift with every earlier edit;
the first edit that fits wins; several predictions may match one edit and each counts.
"""

from collections.abc import Iterable, Sequence
from typing import Literal, NotRequired, TypedDict

from runner.metrics.smooth_bleu import smooth_bleu
from runner.suites.nextedit.historian.paths import Construct, outline
from runner.suites.nextedit.historian.snapshots import (
    AppliedLocation,
    EditDict,
    Snapshot,
    Snapshots,
    describe,
    edits_of,
    parent_lines,
)

_OVERLAP = 0.5
_BLEU = 50.0
_CUTS = (1, 3, 5, 10)


class EditLocation(TypedDict):
    """Where an edit would take place, in lines of the texts as they now are."""

    editType: Literal["replace", "insert"]
    file_path: str
    atLines: list[int]
    after: list[str]
    confidence: float | None
    suggestionRank: int | None
    idx: int
    allowed_as_next: bool
    structural_path: NotRequired[list[Construct]]


class Matched(TypedDict):
    """A prediction and the edit it was matched with."""

    atLines: list[int]
    editType: Literal["replace", "insert"]
    confidence: float | None
    suggestionRank: int | None
    predIdx: int
    matchWith: int
    flowKeeping: bool
    # The result file has "BLEU-4" here, which is no name.
    bleu: float


class PredictionsByFlow(TypedDict):
    """Predictions by what they do to the flow, as their numbers."""

    flow_keeping: list[int]
    flow_jumping: list[int]
    flow_breaking: list[int]
    flow_reverting: list[int]


def number(predicted: Snapshots) -> None:
    """Number the predicted edits in the order of files and positions."""
    for idx, edit in enumerate(edits_of(predicted)):
        edit["idx"] = idx


def locate(snapshots: Snapshots) -> list[EditLocation]:
    """Where the edits lie: all that replace or delete lines first, then all insertions."""
    ranks = _ranks(edits_of(snapshots))
    located = []
    for path, snapshot in snapshots.items():
        # The original reads every language with its Python grammar here, and lets line numbers drift.
        describe(snapshot, path, outline("".join(parent_lines(snapshot)), "any.py"), lagging=True)
        located += _locate_in_file(snapshot, path, ranks)
    return sorted(located, key=lambda location: location["editType"] == "insert")


def _ranks(edits: Iterable[EditDict]) -> dict[float, int]:
    """The rank of each confidence, from 0; equal confidences share the best rank. Empty without confidences."""
    known = sorted((value for edit in edits if (value := edit.get("confidence")) is not None), reverse=True)
    return {value: known.index(value) for value in known}


def _locate_in_file(snapshot: Snapshot, path: str, ranks: dict[float, int]) -> list[EditLocation]:
    located: list[EditLocation] = []
    line = 0
    for window in snapshot:
        if isinstance(window, list):
            line += len(window)
            continue
        before, confidence = window["before"], window.get("confidence")
        location: EditLocation = {
            "editType": "replace" if before else "insert",
            "file_path": path,
            "atLines": [line + offset for offset in range(len(before))] or [line],
            "after": window["after"],
            "confidence": confidence,
            "suggestionRank": ranks[confidence] if confidence is not None else None,
            "idx": window["idx"],
            "allowed_as_next": window.get("allowed_as_next", False),
        }
        if not before:
            location["structural_path"] = window["structural_path"]
        located.append(location)
        line += len(before)
    return located


def match(predicted: Sequence[EditLocation], gold: Sequence[EditLocation]) -> list[Matched]:
    """The predictions that match an edit, in their order, each with the first edit that fits."""
    matches = []
    for guess in predicted:
        for truth in gold:
            bleu = smooth_bleu("".join(guess["after"]), "".join(truth["after"])) if _same_place(guess, truth) else 0.0
            if bleu > _BLEU:
                matches.append(_matched(guess, truth, bleu))
                break
    return matches


def _same_place(guess: EditLocation, truth: EditLocation) -> bool:
    if guess["editType"] != truth["editType"] or guess["file_path"] != truth["file_path"]:
        return False
    if guess["editType"] == "insert":
        return guess["structural_path"] == truth["structural_path"]
    return overlap(guess["atLines"], truth["atLines"]) > _OVERLAP


def overlap(left: Sequence[int], right: Sequence[int]) -> float:
    """The Dice coefficient of two sets of lines, 0 to 1; 0 where both are empty."""
    return 2 * len({*left} & {*right}) / (len(left) + len(right)) if left or right else 0.0


def _matched(guess: EditLocation, truth: EditLocation, bleu: float) -> Matched:
    return {
        "atLines": guess["atLines"],
        "editType": guess["editType"],
        "confidence": guess["confidence"],
        "suggestionRank": guess["suggestionRank"],
        "predIdx": guess["idx"],
        "matchWith": truth["idx"],
        "flowKeeping": truth["allowed_as_next"],
        "bleu": bleu,
    }


def classify(
    predicted: Sequence[EditLocation], matches: Sequence[Matched], applied: Iterable[AppliedLocation]
) -> PredictionsByFlow:
    """What each prediction does to the flow; whether one reverts is decided by its place, whatever its content."""
    keeping = {row["predIdx"] for row in matches if row["flowKeeping"]}
    jumping = {row["predIdx"] for row in matches if not row["flowKeeping"]}
    places = list(applied)
    flow: PredictionsByFlow = {"flow_keeping": [], "flow_jumping": [], "flow_breaking": [], "flow_reverting": []}
    for guess in predicted:
        if guess["idx"] in keeping:
            flow["flow_keeping"].append(guess["idx"])
        elif guess["idx"] in jumping:
            flow["flow_jumping"].append(guess["idx"])
        elif any(_overlaps(guess, place) for place in places):
            flow["flow_reverting"].append(guess["idx"])
        else:
            flow["flow_breaking"].append(guess["idx"])
    return flow


def _overlaps(guess: EditLocation, place: AppliedLocation) -> bool:
    return guess["file_path"] == place["file_path"] and overlap(guess["atLines"], place["atLines"]) > _OVERLAP


def evaluate(predicted: Sequence[EditLocation], matches: Sequence[Matched], allowed: int) -> dict[str, float | None]:
    """The metrics of a step with `allowed` edits allowed: recall may pass 1, and false negatives be below 0."""
    kept = [row for row in matches if row["flowKeeping"]]
    hits, guesses = len(kept), len(predicted)
    precision = hits / guesses if guesses else 0
    recall = hits / allowed if allowed else 0
    without_ranks = guesses > 0 and predicted[0]["confidence"] is None
    at_cut = {
        f"tp@{cut}": None
        if without_ranks
        else sum(row["suggestionRank"] < cut for row in kept if row["suggestionRank"] is not None)
        for cut in _CUTS
    }
    return {
        **at_cut,
        "precision@all": precision,
        "recall@all": recall,
        "f1_score@all": 2 * precision * recall / (precision + recall) if precision + recall else 0,
        "tp@all": hits,
        "fp@all": guesses - hits,
        "fn@all": allowed - hits,
    }


class UnfitAnswerError(Exception):
    """A place-given answer that ends the original's run; the message says how."""


def place_given_bleu(answer: Snapshots | None, gold: Snapshots) -> float:
    """BLEU of an answer to the question of what comes at a given place. Raises UnfitAnswerError.

    The first edit of the answer counts; its file must be cut into windows just as the expected one.
    """
    for path, snapshot in (answer or {}).items():
        if path not in gold:
            raise UnfitAnswerError(f"KeyError: {path} is not expected to change")
        expected = gold[path]
        if [isinstance(window, list) for window in snapshot] != [isinstance(window, list) for window in expected]:
            raise UnfitAnswerError(f"AssertionError: the answer for {path} has other windows than expected")
        for window, window_lines in zip(snapshot, expected, strict=True):
            if isinstance(window, dict) and isinstance(window_lines, dict):
                return smooth_bleu("".join(window["after"]), "".join(window_lines["after"]))
            if window != window_lines:
                return 0.0
    if answer:
        raise UnfitAnswerError("TypeError: the answer has no edit")
    return 0.0
