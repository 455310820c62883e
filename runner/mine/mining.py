"""Mining a repository: the cases that its commits give, in a new folder with a manifest that names their origin."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import orjson

from runner.git import Repository
from runner.mine.case import Case, CaseKind, MiningRefusal, MiningSource, Tally, Touching
from runner.mine.codrep import CODREP
from runner.mine.diff_edit import DIFF
from runner.mine.file_filter import FileFilter
from runner.mine.folder import new_folder
from runner.mine.history import project_of, read_history, refuse_empty
from runner.mine.nextedit import NEXT_EDIT

KindName = Literal["codrep", "diff", "nextedit"]
KINDS: dict[KindName, CaseKind] = {"codrep": CODREP, "diff": DIFF, "nextedit": NEXT_EDIT}
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
    files: FileFilter
    revisions: tuple[str, ...] = ()
    since: int | None = None
    limit: int | None = None


def mine(search: Search, out: Path) -> Tally:
    """Write the cases of a repository into the new folder `out`, and what gave none into its manifest.

    The same repository and search give the same bytes. Raises InputError for what is no repository, no revision, or
    no new folder; then nothing is written.
    """
    with Repository(search.repo) as repository:
        if not search.revisions:
            refuse_empty(repository)
        commits = tuple(repository.ancestry(search.revisions or ("HEAD",), search.since))
        source = MiningSource(repository, project_of(repository), search.files)
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
    """Return the counts for a manifest: what was read, written and, by reason, refused, the most frequent first."""
    by_file = {"files": tally.files, "refused_files": _ranked(tally.refused_files)} if tally.unit == "files" else {}
    return {
        "commits": tally.commits,
        "cases": tally.cases,
        "languages": _ranked(tally.languages),
        "refused_commits": _ranked(tally.refused_commits),
        **by_file,
    }


def _ranked(counter: Counter[MiningRefusal] | Counter[str]) -> dict[str, int]:
    return {str(name): count for name, count in counter.most_common()}


def _cases(source: MiningSource, search: Search, commits: Commits, tally: Tally) -> Iterator[tuple[str, Case]]:
    """Yield the cases without duplicates, up to the limit, each with its commit; `tally` counts everything."""
    kind = KINDS[search.kind]
    refused = tally.refused_commits if kind.unit == "commits" else tally.refused_files
    seen: set[bytes] = set()
    for commit, result in _results(source, kind, commits, tally):
        if isinstance(result, MiningRefusal):
            refused[result] += 1
        elif result.key in seen:
            refused[MiningRefusal.DUPLICATE] += 1
        else:
            seen.add(result.key)
            tally.cases += 1
            tally.languages.update(result.languages)
            yield commit.sha, result
            if tally.cases == search.limit:
                return


def _results(
    source: MiningSource, kind: CaseKind, commits: Commits, tally: Tally
) -> Iterator[tuple[Touching, Case | MiningRefusal]]:
    for commit in read_history(source.repository, commits):
        tally.commits += 1
        if isinstance(commit, MiningRefusal):
            tally.refused_commits[commit] += 1
            continue
        for result in kind.look(source, commit):
            tally.files += kind.unit == "files"
            yield commit, result


def _line(row: Mapping[str, object]) -> bytes:
    return orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE)
