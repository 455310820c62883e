"""Commit bundles: a commit in one JSON file, so that it can be replayed where its repository is not.

A bundle holds texts, not edits: the edits are git's own diff of the texts, computed on reading as for a repository.
"""

import json
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from runner.errors import InputError
from runner.git import Repository
from runner.json_texts import input_json
from runner.suites.nextedit.bundle_fields import FieldError, parse_fields
from runner.suites.nextedit.commits import Commit, Limits, Omission, Origin, Refused, Touched, gather
from runner.suites.nextedit.new_repositories import write_pairs

FORMAT = "next-edit-bundle-v1"


@dataclass(frozen=True, slots=True)
class Bundle:
    """What a bundle file says: texts and metadata, not yet edits; `tree` are texts that no edit changes."""

    origin: Origin
    message: str
    files: tuple[Touched, ...]
    omitted: Mapping[str, Omission] = field(default_factory=dict)
    tree: Mapping[str, str] | None = None


def write_bundle(commit: Commit, folder: Path, tree: Mapping[str, str] | None = None) -> Path:
    """Write the commit as `folder/<case id>.json` and return that path; the same commit gives the same bytes.

    `tree` are the texts of the project that the commit does not touch, if the bundle is to carry them.
    """
    path = folder / f"{commit.case_id}.json"
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text(bundle_text(commit, tree), encoding="utf-8", newline="\n")
    return path


def bundle_text(commit: Commit, tree: Mapping[str, str] | None = None) -> str:
    """The commit as the JSON text of a bundle, which carries `tree` if it is given."""
    origin = commit.origin
    content = {
        "format": FORMAT,
        "sha": origin.sha,
        "parent": origin.parent,
        "project": origin.project,
        "url": origin.url,
        "authored": origin.authored,
        **({"language": origin.language} if origin.language else {}),
        "message": commit.message,
        "files": [_file_fields(touched) for touched in commit.files],
        "omitted": {path: str(reason) for path, reason in commit.omitted.items()},
        **({} if tree is None else {"tree": dict(sorted(tree.items()))}),
    }
    text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
    try:
        text.encode()
    except UnicodeEncodeError:
        # Bytes that are no UTF-8 are kept as lone surrogates, which only escapes can carry.
        return json.dumps(content, indent=1) + "\n"
    return text


def read_bundle(path: Path) -> Bundle:
    """Return the bundle in one file. Raises InputError naming file, field and fix."""
    content = input_json(path)
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise InputError(f"{path}: field format is not {FORMAT!r}; write bundles with `evals nextedit bundle`")
    try:
        return Bundle(*parse_fields(content))
    except FieldError as error:
        raise InputError(f"{path}: {error}; write bundles with `evals nextedit bundle`") from error


def read_bundles(source: Path) -> Iterator[tuple[Path, Bundle]]:
    """The bundles of a folder in the order of their names, or of one file.

    Raises InputError, also where two are the same commit.
    """
    if not source.exists():
        raise InputError(f"{source}: no such file or folder; name a folder of commit bundles")
    paths = sorted(source.glob("*.json")) if source.is_dir() else [source]
    if not paths:
        raise InputError(f"{source}: no *.json in this folder; name a folder of commit bundles")
    seen: dict[str, Path] = {}
    for path in paths:
        bundle = read_bundle(path)
        twin = seen.setdefault(bundle.origin.case_id, path)
        if twin != path:
            raise InputError(f"{path}: field sha: {twin.name} holds commit {bundle.origin.case_id} too; remove one")
        yield path, bundle


def commits_of(bundles: Sequence[Bundle], limits: Limits) -> Iterator[Commit | Refused]:
    """The bundles as commits, in order, with the edits that git's diff gives for their texts."""
    with tempfile.TemporaryDirectory(prefix="bundles-") as folder:
        ids = write_pairs(Path(folder), [trees_of(bundle) for bundle in bundles])
        with Repository(Path(folder), made_here=True) as repository:
            for bundle, (parent, child) in zip(bundles, ids, strict=True):
                yield _commit_of(repository, bundle, parent, child, limits)


def trees_of(bundle: Bundle) -> tuple[dict[bytes, bytes], dict[bytes, bytes]]:
    """Both versions of a bundle's texts as {path: content}."""
    return _tree(bundle.files, "before"), _tree(bundle.files, "after")


def _commit_of(repository: Repository, bundle: Bundle, parent: str, child: str, limits: Limits) -> Commit | Refused:
    runs = repository.runs(parent, child, renames=False)
    changes = {os.fsdecode(change.new_path): change for change in repository.changes(parent, child, renames=False)}
    files = []
    for touched in bundle.files:
        change = changes.get(touched.path)
        files.append((touched, runs.get((change.old_id, change.new_id), ()) if change else ()))
    return gather(bundle.origin, bundle.message, files, bundle.omitted, limits)


def _tree(files: Sequence[Touched], side: Literal["before", "after"]) -> dict[bytes, bytes]:
    """One version of the texts; a renamed file stands at its new path on both sides, so that it is compared."""
    texts = ((touched.path, touched.before if side == "before" else touched.after) for touched in files)
    return {os.fsencode(path): text.encode("utf-8", "surrogateescape") for path, text in texts if text is not None}


def _file_fields(touched: Touched) -> dict[str, str | None]:
    renamed = {"old_path": touched.old_path} if touched.old_path else {}
    return {"path": touched.path, **renamed, "before": touched.before, "after": touched.after}
