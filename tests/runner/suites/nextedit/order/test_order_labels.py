import json
import lzma
from pathlib import Path
from typing import Any

import pytest

from runner.errors import InputError
from runner.suites.nextedit.order import order_graph
from runner.suites.nextedit.order.label_files import read_labels
from runner.suites.nextedit.order.labels import Agreement, LabelledCommit, agreement, cross_validate, total
from tests.nextedit import commit_of
from tests.vectors import files

BEFORE, AFTER = "a = 1\nx\nb = 2\n", "a = 3\nx\nb = 4\n"


def _row(**changes: object) -> dict[str, Any]:
    spans = [{"start": 0, "end": 1}, {"start": 2, "end": 3}]
    edits = [{"file_path": "a.py", "parent_version_range": span} for span in spans]
    texts = [{"path": "a.py", "before": BEFORE, "after": AFTER}]
    return {"id": "one", "message": "m", "files": texts, "edits": edits, "pairs": {"0-1": "bi-directional"}} | changes


def _edit(parent: tuple[int, int], child: tuple[int, int], path: str = "a.py") -> dict[str, Any]:
    spans = {"parent_version_range": parent, "child_version_range": child}
    return {"file_path": path, **{name: dict(zip(("start", "end"), span, strict=True)) for name, span in spans.items()}}


def _write(path: Path, *rows: dict[str, Any]) -> Path:
    data = "".join(json.dumps(row) + "\n" for row in rows).encode()
    path.write_bytes(lzma.compress(data) if path.suffix == ".xz" else data)
    return path


@pytest.mark.parametrize("name", ["labels.jsonl", "labels.jsonl.xz"])
def test_labels_are_read_with_gits_edits(tmp_path: Path, name: str) -> None:
    (labelled,) = read_labels(_write(tmp_path / name, _row()))

    assert (labelled.name, labelled.related) == ("one", frozenset({(0, 1)}))
    assert [edit.before for edit in labelled.commit.edits] == [("a = 1\n",), ("b = 2\n",)]


@pytest.mark.parametrize(
    "line, message",
    [
        ({"id": "x"}, "field files is missing"),
        ({key: value for key, value in _row().items() if key != "pairs"}, "field pairs is missing"),
        (_row(id=5), "field id is a number"),
        (_row(message=5), "field message is a number"),
        (_row(files={"path": 1}), "field files is an object"),
        (_row(files=[{"path": "a.py", "before": 1, "after": AFTER}]), r"field files\[0\].before is a number"),
        (_row(files=[{"path": "a.py", "before": None, "after": None}]), "a text in neither version"),
        (_row(files=[{"path": "../a.py", "before": BEFORE, "after": AFTER}]), "no relative path"),
        (_row(files=[{"path": "./a.py", "before": BEFORE, "after": AFTER}]), "no relative path"),
        (_row(files=_row()["files"] * 2), "names a path twice"),
        (_row(edits=[], pairs={}), "does not list the edits"),
        (_row(edits="ab"), "field edits is a string: make it an array"),
        (_row(edits=[{"file_path": "a.py"}]), r"field edits\[0\].parent_version_range is missing"),
        (_row(edits=[_edit((0, 1), (0, 1)) | {"parent_version_range": [0, "x"]}]), "parent_version_range is an array"),
        (_row(edits=[{"parent_version_range": {"start": 0, "end": 1}}]), r"field edits\[0\].file_path is missing"),
        (_row(pairs={"0-1": "sometimes"}), "field pairs says 'sometimes' of '0-1'; the words are 'bi-directional'"),
        (_row(pairs={"0-1": 5}), "field pairs says 5 of '0-1'"),
        (_row(pairs={"0-1": None}), "field pairs says None of '0-1'"),
        (_row(pairs={"0-1": "0 before 1", "1-0": "no relation"}), "calls '1-0' related and unrelated"),
        (_row(pairs={f"0-{'1' * 5000}": ""}), "names no two of the 2 edits"),
        (_row(pairs={"0-1-1": ""}), "names no two of the 2 edits"),
        (_row(pairs={"0-7": ""}), "names no two of the 2 edits"),
        (_row(pairs={"0-0": ""}), "names no two"),
        (_row(pairs={"a": ""}), "names no two"),
        (_row(pairs=[["0", "1"]]), "field pairs is an array: make it an object"),
        ([1], "no JSON object"),
    ],
)
def test_a_faulty_line_is_named(tmp_path: Path, line: object, message: str) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text(json.dumps(_row()) + "\n\n" + json.dumps(line) + "\n")

    with pytest.raises(InputError, match=f"labels.jsonl: line 3: .*{message}"):
        list(read_labels(path))


@pytest.mark.parametrize(
    "word, related",
    [("bi-directional", True), ("0 before 1", True), ("1 before 0", True), ("no relation", False)],
)
def test_the_word_of_a_pair_says_whether_it_is_related(tmp_path: Path, word: str, related: bool) -> None:
    (labelled,) = read_labels(_write(tmp_path / "labels.jsonl", _row(pairs={"1-0": word})))

    assert labelled.related == (frozenset({(0, 1)}) if related else frozenset())


def test_edits_are_known_by_their_place_however_they_are_listed(tmp_path: Path) -> None:
    texts = [{"path": "a.py", "before": "1\n2\n3\n4\n5\n", "after": "x\n2\ny\n4\nz\n"}]
    spans = ((4, 5), (0, 1), (2, 3))
    row = _row(files=texts, edits=[_edit(span, span) for span in spans], pairs={"0-1": "bi-directional"})

    (labelled,) = read_labels(_write(tmp_path / "labels.jsonl", row))

    assert labelled.related == frozenset({(0, 2)})


def test_edits_cut_otherwise_than_gits_count_if_they_make_one_version_the_other(tmp_path: Path) -> None:
    texts = [{"path": "a.py", "before": "1\n2\n3\n", "after": "x\ny\n3\n"}]
    row = _row(files=texts, edits=[_edit((0, 1), (0, 1)), _edit((1, 2), (1, 2))])

    (labelled,) = read_labels(_write(tmp_path / "labels.jsonl", row))

    assert [(edit.before, edit.after) for edit in labelled.commit.edits] == [(("1\n",), ("x\n",)), (("2\n",), ("y\n",))]
    assert labelled.related == frozenset({(0, 1)})


@pytest.mark.parametrize(
    "edits",
    [
        pytest.param([_edit((0, 1), (0, 1))], id="one-is-missing"),
        pytest.param([_edit((1, 2), (1, 2)), _edit((2, 3), (2, 3))], id="moved"),
        pytest.param([_edit((0, 1), (0, 1)), _edit((0, 3), (0, 3))], id="one-in-the-other"),
        pytest.param([_edit((0, 1), (0, 1)), _edit((2, 9), (2, 9))], id="behind-the-end"),
        pytest.param([_edit((0, 1), (0, 1)), _edit((2, 3), (2, 3), "b.py")], id="of-another-file"),
        pytest.param([{"file_path": "a.py", "parent_version_range": {"start": 0, "end": 3}}] * 2, id="half-told"),
    ],
)
def test_a_line_whose_edits_fit_neither_way_is_left_out(tmp_path: Path, edits: list[dict[str, Any]]) -> None:
    path = _write(tmp_path / "labels.jsonl", _row(edits=edits, pairs={}), _row(id="two"))
    skipped: list[str] = []

    assert [each.name for each in read_labels(path, skipped.append)] == ["two"]
    (told,) = skipped
    assert told.startswith(f"{path}: line 1: field edits does not list the edits that git's diff gives")


@pytest.mark.parametrize("content, message", [("", "holds no labels"), ('{"id":', "line 1: no readable JSON")])
def test_a_file_without_labels_is_refused(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "labels.jsonl").write_text(content)

    with pytest.raises(InputError, match=message):
        list(read_labels(tmp_path / "labels.jsonl"))


def test_an_unreadable_file_is_bad_input(tmp_path: Path) -> None:
    (tmp_path / "x.xz").write_bytes(b"no archive")

    with pytest.raises(InputError, match="no readable labels"):
        list(read_labels(tmp_path / "x.xz"))


def test_agreement_counts_pairs() -> None:
    result = agreement(4, pairs={(0, 1), (0, 2)}, related={(0, 1), (1, 3)})

    assert result == Agreement(hits=1, false=1, missed=1, rejected=3)
    assert result.as_json() == {
        "pairs": 6,
        "precision": 0.5,
        "recall": 0.5,
        "f1": 0.5,
        "accuracy": pytest.approx(4 / 6),
    }


def test_nothing_found_and_nothing_to_find_score_0() -> None:
    assert (Agreement().precision, Agreement().recall, Agreement().f1, Agreement().accuracy) == (0, 0, 0, 0)


def test_a_fold_is_judged_at_the_strength_that_serves_the_others() -> None:
    commit = commit_of({"a.py": (BEFORE, AFTER)})
    related, unrelated = frozenset({(0, 1)}), frozenset[tuple[int, int]]()
    labelled = [LabelledCommit(name, commit, related) for name in "abcd"]
    found = [*[{0.5: related, 0.9: unrelated}] * 3, {0.5: unrelated, 0.9: related}]

    assert cross_validate(labelled, found, folds=4) == Agreement(hits=3, missed=1)


@pytest.mark.conformance
@pytest.mark.wide
def test_our_rules_agree_with_people_better_than_a_language_servers_edges() -> None:
    labelled = [each for path in files("historian", "*labelled_order*.jsonl.xz") for each in read_labels(path)]

    result = total(
        agreement(len(each.commit.edits), order_graph(each.commit).pairs(), each.related) for each in labelled
    )

    print(f"{len(labelled)} commits: {result.as_json()}")  # noqa: T201 - the figures are asked for
    assert result.f1 > 0.8
