import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runner.errors import InputError
from runner.git import Repository
from runner.suites.nextedit.bundle_fields import BundleFile, FieldError, parse_fields
from runner.suites.nextedit.bundles import FORMAT, bundle_text, commits_of, read_bundle, read_bundles, write_bundle
from runner.suites.nextedit.commits import Commit, Limits, is_inside, read_commit
from tests.any_json import ANY_JSON
from tests.nextedit import ANY_SIZE, commit_of
from tests.repositories import make_repository


def _content(**changes: object) -> dict[str, Any]:
    files = [{"path": "a.py", "before": "1\n", "after": "2\n"}]
    return {"format": FORMAT, "sha": "a" * 40, "message": "m", "files": files} | changes


def _write(folder: Path, content: object) -> Path:
    path = folder / "bundle.json"
    path.write_text(json.dumps(content))
    return path


def test_a_bundle_gives_the_commit_that_was_bundled(tmp_path: Path) -> None:
    long = b"".join(b"line %d\n" % number for number in range(10))
    before = {"old.py": long, "gone.py": b"gone\r\n", "latin.py": b"s = '\xe9'\n", "x.png": b"\0", "\xe9.py": b"1\n"}
    after = {
        "new.py": long + b"end",
        "born.py": b"b\n",
        "latin.py": b"s = '\xe8'\n",
        "x.png": b"\0\0",
        "\xe9.py": b"2\n",
    }
    sha = make_repository(tmp_path / "tool", before, after)[-1]
    with Repository(tmp_path / "tool") as repository:
        commit = read_commit(repository, sha, ANY_SIZE, url="https://example.org/tool/commit/x")
    assert isinstance(commit, Commit)

    path = write_bundle(commit, tmp_path / "bundles")

    assert list(commits_of([read_bundle(path)], ANY_SIZE)) == [commit]
    assert path.name == f"tool-{sha[:10]}.json"


def test_the_language_that_a_list_told_is_kept(tmp_path: Path) -> None:
    commit = commit_of({"a.js": ("1\n", "2\n")})
    told = replace(commit, origin=replace(commit.origin, language="typescript"))

    path = write_bundle(told, tmp_path)

    assert list(commits_of([read_bundle(path)], ANY_SIZE)) == [told]
    assert "language" not in json.loads(bundle_text(commit))


_LINES = st.lists(st.sampled_from(["a\n", "b\n", "é\r\n", "\n", "\udcff\n", "end"]), max_size=12).map("".join)


@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(st.sampled_from(["a", "b/c", "d.py"]), st.tuples(_LINES, _LINES), min_size=1))
def test_writing_and_reading_keeps_every_commit(tmp_path: Path, files: dict[str, tuple[str, str]]) -> None:
    files = {path: pair for path, pair in files.items() if any(pair)} or {"a": ("", "x")}
    commit = commit_of(files)

    bundle = read_bundle(write_bundle(commit, tmp_path))

    assert list(commits_of([bundle], ANY_SIZE)) == [commit]


def test_bundles_of_a_folder_come_in_the_order_of_their_names(tmp_path: Path) -> None:
    for name in ("b", "a"):
        (tmp_path / f"{name}.json").write_text(json.dumps(_content(message=name, sha=name * 40)))

    assert [bundle.message for _, bundle in read_bundles(tmp_path)] == ["a", "b"]


def test_a_bundle_that_is_too_small_is_refused_like_a_commit(tmp_path: Path) -> None:
    bundle = read_bundle(_write(tmp_path, _content()))

    (refused,) = commits_of([bundle], Limits())

    assert not isinstance(refused, Commit)
    assert refused.reason == "too_few_edits"


@pytest.mark.parametrize(
    "content, message",
    [
        pytest.param([], "field format", id="a-list"),
        pytest.param(_content(format="other"), "field format", id="another-format"),
        pytest.param({"format": FORMAT, "message": "m", "files": []}, "field sha is missing", id="no-sha"),
        pytest.param(_content(sha="abc"), "field sha", id="short-sha"),
        pytest.param(_content(message=7), "field message", id="message-is-a-number"),
        pytest.param(
            _content(files=[{"path": "a", "before": None}]), r"field files\[0\].after is missing", id="no-after"
        ),
        pytest.param(
            _content(files=[{"path": "a", "before": 1, "after": ""}]),
            r"field files\[0\].before is a number: make it a string or null",
            id="no-text",
        ),
        pytest.param(_content(files=[{"path": "../a", "before": "", "after": "x"}]), "inside a tree", id="outside"),
        pytest.param(
            _content(files=[{"path": "a", "before": None, "after": None}]), "neither version", id="no-version"
        ),
        pytest.param(_content(files=[{"path": "a", "before": "x", "after": "y"}] * 2), "a path twice", id="twice"),
        pytest.param(_content(omitted={"x": "because"}), "because", id="unknown-omission"),
    ],
)
def test_a_faulty_bundle_is_named_with_its_field(tmp_path: Path, content: object, message: str) -> None:
    path = _write(tmp_path, content)

    with pytest.raises(InputError, match=message) as refused:
        read_bundle(path)
    assert str(path) in str(refused.value)


def _file(**changes: object) -> dict[str, object]:
    return {"path": "a", "before": "1\n", "after": "2\n"} | changes


@pytest.mark.parametrize(
    "changes, message",
    [
        pytest.param({"project": ["a"]}, "field project is an array: make it a string", id="project-is-a-list"),
        pytest.param({"url": 3}, "field url is a number", id="url-is-a-number"),
        pytest.param({"parent": None}, "field parent is null", id="parent-is-null"),
        pytest.param({"message": "a\ud800"}, "field message holds half a character", id="half-a-character"),
        pytest.param({"authored": "then"}, "field authored is a string: make it seconds", id="authored-is-a-word"),
        pytest.param({"authored": None}, "field authored is null", id="authored-is-null"),
        pytest.param({"authored": 10**30}, "field authored is 1000", id="authored-is-too-late"),
        pytest.param({"files": 5}, "field files is a number", id="files-is-a-number"),
        pytest.param({"files": None}, "field files is null", id="files-is-null"),
        pytest.param({"files": {"a": 1}}, "field files is an object: make it an array", id="files-is-an-object"),
        pytest.param({"files": [5]}, r"field files\[0\] is a number: make it an object", id="a-file-is-a-number"),
        pytest.param({"files": ["a"]}, r"field files\[0\] is a string", id="a-file-is-a-text"),
        pytest.param({"files": [_file(path="./src//a")]}, r"field files\[0\].path", id="empty-parts"),
        pytest.param({"files": [_file(path="src/")]}, r"field files\[0\].path", id="a-folder"),
        pytest.param({"files": [_file(path="a\ud800b")]}, r"field files\[0\].path", id="no-path-of-bytes"),
        pytest.param({"files": [_file(before="a\ud800")]}, r"field files\[0\].before of 'a'", id="no-text-of-bytes"),
        pytest.param(
            {"files": [_file(old_path=5)]}, r"field files\[0\].old_path is a number", id="old-path-is-a-number"
        ),
        pytest.param({"files": [_file(old_path="../x")]}, r"field files\[0\].old_path", id="old-path-is-outside"),
        pytest.param({"files": [_file(old_path="x", before=None)]}, "was not renamed", id="a-new-file-renamed"),
        pytest.param({"files": [_file(), _file(path="a/y")]}, "'a' and for 'a/y'", id="a-file-in-a-file"),
        pytest.param({"omitted": ["a"]}, "field omitted is an array: make it an object", id="omitted-is-a-list"),
        pytest.param(
            {"omitted": {"a": 3}}, r"field omitted\['a'\] is a number: make it one of 'binary', ", id="reason-is-3"
        ),
    ],
)
def test_what_a_field_says_is_checked(tmp_path: Path, changes: dict[str, object], message: str) -> None:
    path = _write(tmp_path, _content(**changes))

    with pytest.raises(InputError, match=message) as refused:
        read_bundle(path)
    assert str(refused.value).startswith(f"{path}: ")
    assert "\n" not in str(refused.value)


@given(
    st.dictionaries(st.sampled_from(BundleFile.__struct_fields__), ANY_JSON),
    st.dictionaries(st.sampled_from(["path", "before", "after", "old_path", "\ud800"]), ANY_JSON),
)
def test_whatever_the_fields_hold_is_a_bundle_or_one_error(fields: dict[str, Any], file: dict[str, Any]) -> None:
    try:
        found = parse_fields(_content(files=[_file(**file)]) | fields)
    except FieldError as error:
        assert "\n" not in str(error)  # noqa: PT017 - a bundle is as good an end
    else:
        assert found.origin.sha == "a" * 40


def test_json_without_end_is_bad_input(tmp_path: Path) -> None:
    path = tmp_path / "deep.json"
    path.write_text("[" * 100_000)

    with pytest.raises(InputError, match="no readable JSON"):
        read_bundle(path)


def test_a_commit_in_two_files_is_refused_by_both_names(tmp_path: Path) -> None:
    for name in ("b", "c"):
        (tmp_path / f"{name}.json").write_text(json.dumps(_content(message=name)))

    with pytest.raises(InputError, match=r"c\.json: field sha: b\.json holds commit aaaaaaaaaa too"):
        list(read_bundles(tmp_path))


def test_a_file_that_becomes_a_folder_is_refused_like_a_commit(tmp_path: Path) -> None:
    files = [_file(after=None), _file(path="a/y", before=None)]

    (refused,) = commits_of([read_bundle(_write(tmp_path, _content(files=files)))], Limits())

    assert not isinstance(refused, Commit)
    assert (refused.reason, refused.detail) == ("file_and_folder", "a and a/y")


@pytest.mark.parametrize(
    "files, ready",
    [
        pytest.param([_file(path="a/y", old_path="a"), _file(path="b")], True, id="into-a-folder-of-its-name"),
        pytest.param([_file(path="c", old_path="a"), _file(path="a/y", before=None)], False, id="another-in-its-place"),
        pytest.param([_file(path="a", before=None), _file(path="c", old_path="a/y")], False, id="out-of-the-way"),
    ],
)
def test_a_file_that_moves_may_be_in_its_own_way(tmp_path: Path, files: list[dict[str, object]], ready: bool) -> None:
    (found,) = commits_of([read_bundle(_write(tmp_path, _content(files=files)))], Limits())

    assert isinstance(found, Commit) is ready


def test_an_unreadable_file_and_an_empty_folder_are_bad_input(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("{")

    with pytest.raises(InputError, match="no readable JSON"):
        read_bundle(tmp_path / "x.json")
    with pytest.raises(InputError, match="no readable JSON"):
        read_bundle(tmp_path / "none.json")
    (tmp_path / "x.json").unlink()
    with pytest.raises(InputError, match=r"no \*\.json"):
        list(read_bundles(tmp_path))


@pytest.mark.parametrize("path", ["/etc/passwd", "../x", "a/../../x", ".git/config", "a/.git/hooks/x", "a\0b", ""])
def test_paths_out_of_the_tree_are_found(path: str) -> None:
    assert not is_inside(path)


@pytest.mark.parametrize("path", ["a", "a/b.py", ".github/x", "a..b", "é/ü"])
def test_paths_in_the_tree_pass(path: str) -> None:
    assert is_inside(path)
