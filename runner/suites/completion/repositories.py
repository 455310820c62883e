"""Where the repositories of a data set are, and their judges: one for each, with an interpreter of its own."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path

from runner.errors import InputError
from runner.execution.isolation import NOT_WEAK, Weak
from runner.execution.repository_judge import Judge
from runner.execution.verdicts import Known
from runner.suites.completion.dataset import Dataset
from runner.suites.completion.judge import database_files, judge_in, stated_isolation
from runner.suites.completion.judging import Arbiter
from runner.suites.completion.origin_table import facts_of
from runner.suites.completion.validate import refuse_other_files

# What stands for the name of each repository in a path that is given for several.
NAME = "{repo}"


def repositories_in(dataset: Dataset, file: Path, option: Path | None) -> Path:
    """Return the path of the repository, with `{repo}` for the name of each if there are several.

    It is that of the option, else the folder of that name beside the data set. Raises InputError where one is missing.
    """
    if option is not None:
        if dataset.joined and NAME not in str(option):
            names = ", ".join(dataset.origins)
            raise InputError(
                f"--repo {option}: is one folder, and the tasks are of {names}; write {NAME} where their names stand"
            )
        return option
    path = file.parent / (NAME if dataset.joined else dataset.about.repo)
    for name, about in dataset.origins.items():
        beside = named(path, name)
        if str(file) == "-" or not about.repo or not beside.is_dir():
            raise InputError(f"--repo: is missing, and there is no {beside}; give the root of {about.repo}")
    return path


def named(path: Path | str, repo: str) -> Path:
    """Return the path for a repository; in a set of one it is as it stands."""
    return Path(str(path).replace(NAME, repo)) if repo else Path(path)


@contextmanager
def judges_of(
    dataset: Dataset, path: Path, python: str, known: Known, weak: Weak, hidden: Sequence[Path] = ()
) -> Iterator[dict[str, Judge]]:
    """Open the judge of each repository by its name; in all else like `judge_of`.

    `path` and `python` have `{repo}` where names are to stand. Raises InputError for a repository that is not the data
    set's.
    """
    with _opened(dataset.origins, path, python, known, weak, hidden) as judges:
        refuse_other_files(judges, dataset)
        yield judges


@contextmanager
def judges_on_record(
    settings: Mapping[str, object], unjudged: int, hidden: Sequence[Path]
) -> Iterator[dict[str, Judge]]:
    """Open the judges of a run for fillings without a verdict, from what it keeps (`placed`).

    Raises InputError where a repository is missing, or has another text now.
    """
    path, trees = Path(str(settings["repo"])), trees_in(settings)
    why = f"{unjudged} fillings were never judged, and"
    for name in trees:
        if not named(path, name).is_dir():
            raise InputError(f"{why} {named(path, name)} is no longer there; restore it")
    # With our own interpreter: a database names no programs to run.
    with _opened(trees, path, "", Known(), NOT_WEAK, hidden) as judges:
        for name, judge in judges.items():
            if judge.tree != trees[name]:
                raise InputError(f"{why} {named(path, name)} has changed since; restore it")
        yield judges


@contextmanager
def _opened(
    repos: Iterable[str], path: Path, python: str, known: Known, weak: Weak, hidden: Sequence[Path]
) -> Iterator[dict[str, Judge]]:
    isolation = stated_isolation(weak)
    with ExitStack() as opened:
        judges = {}
        for repo in repos:
            own = str(named(python, repo)) if python else ""
            judges[repo] = opened.enter_context(judge_in(named(path, repo), own, isolation, known, hidden))
        yield judges


def hidden_files(file: Path, db: Path) -> tuple[Path, ...]:
    """Return what answers may not read: the data set, which has the truths, and the database."""
    return (file, *database_files(db))


def tree_of(judges: Mapping[str, Arbiter]) -> str:
    """Return the digest of the repository, or that of all of them."""
    if "" in judges:
        return judges[""].tree
    return sha256("".join(f"{name}\0{judge.tree}\n" for name, judge in sorted(judges.items())).encode()).hexdigest()


def placed(path: Path, judges: Mapping[str, Arbiter], dataset: Dataset) -> dict[str, object]:
    """Return what a run keeps of where it was judged: the path, and the digest.

    Of several repositories also the digest of each tree, and where its code comes from.
    """
    settings: dict[str, object] = {"repo": str(path.resolve()), "tree": tree_of(judges)}
    if dataset.joined:
        settings["trees"] = {name: judge.tree for name, judge in judges.items()}
        settings["repositories"] = {name: asdict(facts_of(about)) for name, about in dataset.origins.items()}
    return settings


def trees_in(settings: Mapping[str, object], dataset: Dataset | None = None) -> dict[str, str]:
    """Return the digest of each repository by its name, from what a run keeps.

    Raises InputError where it keeps none of a repository of these tasks.
    """
    kept = settings.get("trees")
    trees = {str(name): str(tree) for name, tree in kept.items()} if isinstance(kept, Mapping) else {}
    trees = trees or {"": str(settings["tree"])}
    missing = {task.repo for task in (dataset.tasks if dataset else ())} - set(trees)
    if missing:
        raise InputError(f"the run keeps no digest of repository {min(missing)!r}; take it from its source again")
    return trees
