"""Where commits come from: folders of bundles, ranges of a repository, or Historian's list of commits."""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from runner.errors import InputError
from runner.git import GitError, Repository
from runner.json_texts import input_json
from runner.suites.nextedit.bundles import Bundle, commits_of, read_bundles, trees_of
from runner.suites.nextedit.commits import Commit, Limits, Refusal, Refused, read_commit
from runner.suites.nextedit.context.trees import BundleTree, RepositoryTree, Tree
from runner.suites.nextedit.new_repositories import clone, write_pairs

_PARTS = 5


@dataclass(frozen=True, slots=True)
class Ready:
    """A commit; the tree before it; and its diff with whole files as context."""

    commit: Commit
    tree: Tree
    patch: Callable[[], bytes]


Found = Ready | Refused


def from_cases(source: Path, limits: Limits) -> Iterator[Found]:
    """The commits of a folder of bundles, or of one. Raises InputError for a faulty one."""
    bundles = [bundle for _, bundle in read_bundles(source)]
    for bundle, commit in zip(bundles, commits_of(bundles, limits), strict=True):
        yield _of_bundle(bundle, commit) if isinstance(commit, Commit) else commit


def _of_bundle(bundle: Bundle, commit: Commit) -> Ready:
    def patch() -> bytes:
        with tempfile.TemporaryDirectory(prefix="bundle-") as folder:
            ((parent, child),) = write_pairs(Path(folder), [trees_of(bundle)])
            with Repository(Path(folder), made_here=True) as repository:
                return repository.patch(parent, child)

    texts = {touched.path: touched.before for touched in commit.files if touched.before is not None}
    return Ready(commit, BundleTree(texts, bundle.tree), patch)


def from_repository(repository: Repository, revisions: Sequence[str], limits: Limits) -> Iterator[Found]:
    """The commits of revisions or ranges, in the order given, oldest first. Raises InputError for an unknown one."""
    for revision in revisions:
        for sha in repository.revisions(revision):
            yield _of_repository(repository.path, read_commit(repository, sha, limits))


def _of_repository(path: Path, commit: Commit | Refused) -> Found:
    if isinstance(commit, Refused):
        return commit
    origin = commit.origin

    def patch() -> bytes:
        with Repository(path) as repository:
            return repository.patch(origin.parent, origin.sha)

    return Ready(commit, RepositoryTree(path, origin.parent), patch)


@dataclass(frozen=True, slots=True)
class Listed:
    """A commit of a list: its address, and what follows from it."""

    url: str
    language: str
    project: str
    sha: str

    @property
    def repository(self) -> str:
        """The address to clone from; of a repository on this machine git knows both `tool` and `tool.git` by `tool`."""
        address, _, _ = self.url.rpartition("/commit/")
        if address.startswith("/"):
            return f"file://{address}"
        return address if address.startswith("file://") else f"{address}.git"


def read_testset(path: Path) -> tuple[Listed, ...]:
    """The commits of Historian's list, `{language: [{"commit_url": ...}]}`. Raises InputError naming the entry."""
    content = input_json(path)
    if not isinstance(content, dict):
        raise InputError(f"{path}: no object of languages with lists of commits")
    return tuple(
        _listed(path, f"{language}[{number}]", language, entry)
        for language, entries in content.items()
        for number, entry in enumerate(entries if isinstance(entries, list) else [None])
    )


def _listed(path: Path, where: str, language: str, entry: object) -> Listed:
    url = entry.get("commit_url") if isinstance(entry, dict) else None
    parts = url.rstrip("/").split("/") if isinstance(url, str) else []
    if not isinstance(url, str) or len(parts) < _PARTS or parts[-2] != "commit" or parts[-3] in {"", ".", ".."}:
        raise InputError(
            f"{path}: {where}: field commit_url is no address of the form https://host/owner/project/commit/id"
        )
    return Listed(url.rstrip("/"), language, parts[-3], parts[-1])


def from_testset(listed: Sequence[Listed], folder: Path, limits: Limits, *, fetch: bool) -> Iterator[Found]:
    """The listed commits from the repositories in `folder`, one per project; with `fetch` missing ones are cloned."""
    for row in listed:
        place = folder / row.project
        try:
            if fetch and not place.exists():
                clone(row.repository, place).close()
            with Repository(place) as repository:
                (sha,) = repository.revisions(row.sha)
                commit = read_commit(repository, sha, limits, project=row.project, url=row.url)
                yield _of_repository(place, _in_language(commit, row.language))
        except (InputError, GitError, ValueError) as error:
            yield Refused(row.sha, Refusal.NO_REPOSITORY, str(error))


def _in_language(commit: Commit | Refused, language: str) -> Commit | Refused:
    return commit if isinstance(commit, Refused) else replace(commit, origin=replace(commit.origin, language=language))
