"""Mining a repository: the cases that its commits give, in a new folder with a manifest that tells where from."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import orjson

from runner.git import Repository
from runner.mine.case import Case, Kind, Refusal, Source, Tally, Touching
from runner.mine.codrep import CODREP
from runner.mine.diff_edit import DIFF
from runner.mine.folder import new_folder
from runner.mine.history import project_of, read_history, refuse_empty
from runner.mine.nextedit import NEXT_EDIT
from runner.mine.wanted import Wanted

KindName = Literal["codrep", "diff", "nextedit"]
KINDS: dict[KindName, Kind] = {"codrep": CODREP, "diff": DIFF, "nextedit": NEXT_EDIT}
Commits = Sequence[tuple[str, tuple[str, ...]]]
MANIFEST = "manifest.jsonl"


@dataclass(frozen=True, slots=True)
class Search:
    """What is looked for and where.

    `revisions` are read as by git log, HEAD if there are none; `since` is the least commit time, in seconds; `limit` is
    the number of cases, of which the newest are taken.
    """

    kind: KindName
    repo: Path
    wanted: Wanted
    revisions: tuple[str, ...] = ()
    since: int | None = None
    limit: int | None = None


def mine(search: Search, out: Path) -> Tally:
    """Write the cases of a repository into the new folder `out`, and what gave none into its manifest.

    The same repository and search give the same bytes. Raises InputError for what is no repository, no revision, or
    no new folder; then nothing is left behind.
    """
    with Repository(search.repo) as repository:
        if not search.revisions:
            refuse_empty(repository)
        commits = tuple(repository.ancestry(search.revisions or ("HEAD",), search.since))
        source = Source(repository, project_of(repository), search.wanted)
        with new_folder(out) as folder:
            tally, rows = Tally(KINDS[search.kind].unit), []
            for folder_name in KINDS[search.kind].folders:
                (folder / folder_name).mkdir()
            for sha, case in _cases(source, search, commits, tally):
                for name, content in case.files(tally.cases).items():
                    (folder / name).write_bytes(content)
                rows.append({"case": tally.cases, "commit": sha, **case.about})
            head = {"format": 1, "kind": search.kind, "repo": source.project, **counts(tally)}
            (folder / MANIFEST).write_bytes(b"".join(_line(row) for row in (head, *rows)))
    return tally


def counts(tally: Tally) -> dict[str, object]:
    """The tally for a manifest: what was read and given, and what was refused by reason, the most frequent first."""
    by_file = {"files": tally.files, "refused_files": _ranked(tally.refused_files)} if tally.unit == "files" else {}
    return {
        "commits": tally.commits,
        "cases": tally.cases,
        "languages": _ranked(tally.languages),
        "refused_commits": _ranked(tally.refused_commits),
        **by_file,
    }


def _ranked(counter: Counter[Refusal] | Counter[str]) -> dict[str, int]:
    return {str(name): count for name, count in counter.most_common()}


def _cases(source: Source, search: Search, commits: Commits, tally: Tally) -> Iterator[tuple[str, Case]]:
    """The cases that are no duplicates, as many as are wanted, each with its commit; all is counted on the way."""
    kind = KINDS[search.kind]
    refused = tally.refused_commits if kind.unit == "commits" else tally.refused_files
    seen: set[bytes] = set()
    for commit, found in _found(source, kind, commits, tally):
        if isinstance(found, Refusal):
            refused[found] += 1
        elif found.key in seen:
            refused[Refusal.DUPLICATE] += 1
        else:
            seen.add(found.key)
            tally.cases += 1
            tally.languages.update(found.languages)
            yield commit.sha, found
            if tally.cases == search.limit:
                return


def _found(source: Source, kind: Kind, commits: Commits, tally: Tally) -> Iterator[tuple[Touching, Case | Refusal]]:
    for commit in read_history(source.repository, commits):
        tally.commits += 1
        if isinstance(commit, Refusal):
            tally.refused_commits[commit] += 1
            continue
        for found in kind.look(source, commit):
            tally.files += kind.unit == "files"
            yield commit, found


def _line(row: Mapping[str, object]) -> bytes:
    return orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE)
