"""A completion data set from a repository with tests: trace, find holes, choose tests, prove, and lay out the scenes.

What comes out depends on the repository, the interpreter and the options alone, not on the number of workers or on what
an earlier, interrupted build had found.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import islice
from pathlib import Path

from runner.errors import InputError
from runner.execution.repository_judge import Judge
from runner.pool.threads import on_threads
from runner.suites.completion.baseline import baseline
from runner.suites.completion.blocks import blocks
from runner.suites.completion.choosing import Chosen, Reach, choose
from runner.suites.completion.dataset import Dataset, DatasetOrigin, Proof, Survivor, Task
from runner.suites.completion.evidence import Index, without_tests
from runner.suites.completion.holes import Hole, distinct, holes_of
from runner.suites.completion.provenance import Provenance, commit_of, provenance_of
from runner.suites.completion.proving import Unproved, prove_by_some
from runner.suites.completion.scenes import COMMENT, SCENES, forms, proved, task_of

Group = tuple[str, bool, str]
_PROGRESS_EVERY = 100


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be built: `limit` tasks of each scene, with and without evidence, and block type; None for all.

    The strength of the tests of each hole is tried with `mutants`.
    """

    repo: str
    commit: str = ""
    scenes: frozenset[str] = frozenset(SCENES)
    limit: int | None = None
    seed: int = 0
    workers: int = 1
    allow_failing: bool = False
    mutants: int = 0
    provenance: Provenance = field(default_factory=Provenance)


@dataclass(frozen=True, slots=True)
class Built:
    """The data set, the holes that could not be judged, how many are proved, and the baseline's broken tests."""

    dataset: Dataset
    unproved: tuple[Unproved, ...]
    proved: int
    broken: tuple[tuple[str, str], ...]


@dataclass(slots=True)
class _Found:
    """What is known of the holes so far."""

    reached: Mapping[str, Reach]
    chosen: dict[Hole, Chosen]
    results: dict[Hole, Proof | Survivor | Unproved] = field(default_factory=dict)

    @property
    def proved(self) -> int:
        """How many holes are proved to be seen by tests."""
        return sum(isinstance(result, Proof) for result in self.results.values())


def noted(requested: Wanted, repo: Path) -> Wanted:
    """Return the same with what is known of the repository in a folder: its commit, and where its code comes from."""
    return replace(requested, commit=commit_of(repo), provenance=provenance_of(repo))


def build(judge: Judge, options: Wanted, say: Callable[[str], None]) -> Built:
    """Build a data set. Raises InputError for a repository whose tests cannot be run or do not reach its code."""
    files = _sources(judge)
    base = baseline(judge, allow_failing=options.allow_failing, say=say)
    say(f"{len(base.traces)} tests pass every time, {len(base.left_out)} are left out")
    for test, why in base.failing[:1]:
        say(f"{len(base.failing)} of these fail every time, such as {test}: {why}")
    if base.unsteady:
        say(f"{len(base.unsteady)} of these fail by chance, or while traced, such as {base.unsteady[0]}")
    for test, how in base.broken:
        say(f"one of these breaks all tests off: {test}: {how}")
    reached = {path: Reach(path, base.traces) for path in files}
    holes, chosen = _reached(files, reached, options.seed)
    if not chosen:
        raise InputError(f"{options.repo}: no test executes a line of it; is an installed copy tested in its stead?")
    say(f"{len(chosen)} of {len(holes)} holes are executed by tests")
    proofs = _Found(reached, chosen)
    groups = _groups([hole for hole in holes if hole in chosen or hole.type == COMMENT], files, options)
    tasks = _prove(judge, files, groups, proofs, options, say)
    survivors = [result for result in proofs.results.values() if isinstance(result, Survivor)]
    about = DatasetOrigin(
        repo=options.repo,
        commit=options.commit,
        python=".".join(map(str, judge.target.version)),
        isolation=judge.isolation.means,
        tests_passing=len(base.traces),
        tests_left_out=len(base.left_out),
        provenance=options.provenance,
    )
    used = {task.file for task in tasks} | {survivor.file for survivor in survivors}
    kept = {path: text.decode() for path, text in files.items() if path in used}
    dataset = Dataset(about, kept, tuple(tasks), tuple(sorted(survivors, key=_place)))
    return Built(
        dataset,
        unproved=tuple(result for result in proofs.results.values() if isinstance(result, Unproved)),
        proved=proofs.proved,
        broken=base.broken,
    )


def _place(survivor: Survivor) -> tuple[str, int, int, str]:
    return survivor.file, survivor.span.start, survivor.span.end, survivor.block_type


def _sources(judge: Judge) -> dict[str, bytes]:
    """The source files that are UTF-8, as are their names."""
    sources = {}
    for path in without_tests(judge.files):
        data = judge.files[path].read()
        try:
            path.encode()
            data.decode()
        except UnicodeError:
            continue
        sources[path] = data
    return sources


def _reached(files: dict[str, bytes], reached: Mapping[str, Reach], seed: int) -> tuple[list[Hole], dict[Hole, Chosen]]:
    """All holes, in an order by chance that the seed draws, and the tests of those that any test executes."""
    holes = [
        hole for path, data in files.items() for block in blocks(data) for hole in holes_of(path, data, block, seed)
    ]
    holes = distinct(sorted(holes, key=lambda hole: _draw(hole, seed)))
    chosen = {}
    for hole in holes:
        tests = None if hole.type == COMMENT else choose(hole.block, hole.span, reached[hole.file])
        if tests is not None and tests.tests:
            chosen[hole] = tests
    return holes, chosen


def _draw(hole: Hole, seed: int) -> str:
    seed_text = f"{seed}|{hole.file}|{hole.type}|{hole.kind}|{hole.block.span.start}|{hole.block.span.end}"
    return sha256(seed_text.encode()).hexdigest()


def _groups(
    holes: Sequence[Hole], files: dict[str, bytes], options: Wanted
) -> dict[Group, Iterator[tuple[Hole, Task]]]:
    """For each scene and type the tasks there could be, in the order of their holes, laid out as they are taken."""
    index = Index({path: data.decode() for path, data in files.items()})
    types = sorted({hole.type for hole in holes})
    return {
        (scene, with_evidence, kind): _laid_out((scene, with_evidence, kind), holes, files, index)
        for scene, with_evidence in forms(options.scenes)
        for kind in types
    }


def _laid_out(
    group: Group, holes: Sequence[Hole], files: dict[str, bytes], index: Index
) -> Iterator[tuple[Hole, Task]]:
    scene, with_evidence, kind = group
    for hole in holes:
        if hole.type == kind and (task := task_of(hole, files[hole.file], index, scene, with_evidence=with_evidence)):
            yield hole, task


def _prove(
    judge: Judge,
    files: dict[str, bytes],
    groups: dict[Group, Iterator[tuple[Hole, Task]]],
    results: _Found,
    options: Wanted,
    say: Callable[[str], None],
) -> list[Task]:
    """Fill each group up to its limit, all groups at once, in rounds of as many holes as are still missing."""
    kept: dict[Group, list[Task]] = {group: [] for group in groups}
    open_groups = dict(groups)
    while open_groups:
        batch = {group: list(islice(rest, _missing(kept[group], options))) for group, rest in open_groups.items()}
        fresh = _untried(batch.values(), results)
        proofs = on_threads(
            options.workers,
            lambda hole: prove_by_some(judge, hole, files[hole.file], results.reached[hole.file], options.mutants),
            fresh,
        )
        for hole, (chosen, result) in zip(fresh, proofs, strict=True):
            results.chosen[hole], results.results[hole] = chosen, result
            if len(results.results) % _PROGRESS_EVERY == 0:
                say(f"{len(results.results)} holes are tried, {results.proved} proved")
        for group, pairs in batch.items():
            kept[group] += _kept(pairs, results)
        ended = {group for group, pairs in batch.items() if not pairs or _missing(kept[group], options) == 0}
        open_groups = {group: rest for group, rest in open_groups.items() if group not in ended}
    return [task for group in kept for task in sorted(kept[group], key=lambda task: (task.file, task.span.start))]


def _untried(batch: Iterable[Sequence[tuple[Hole, Task]]], results: _Found) -> list[Hole]:
    """The holes of all groups that tests execute and that are not tried yet, each of them one time, in order."""
    holes: dict[Hole, None] = {}
    for pairs in batch:
        holes |= dict.fromkeys(hole for hole, _ in pairs)
    return [hole for hole in holes if hole in results.chosen and hole not in results.results]


def _missing(kept: Sequence[Task], options: Wanted) -> int | None:
    return None if options.limit is None else options.limit - len(kept)


def _kept(pairs: Sequence[tuple[Hole, Task]], results: _Found) -> Iterator[Task]:
    for hole, task in pairs:
        result = results.results.get(hole)
        if hole.type == COMMENT:
            yield task
        elif isinstance(result, Proof):
            yield proved(task, results.chosen[hole], result)
