"""What a build of completion tasks came to, as tables."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from runner.document import Document, Table
from runner.suites.completion.blocks import TYPES
from runner.suites.completion.build import Built
from runner.suites.completion.dataset import Survivor, Task
from runner.suites.completion.rates import form_of

_SHOWN = 20


def document(built: Built, out: str, seconds: float) -> Document:
    """Tasks by scene and block type, by what killed them, and the holes that nothing tests; how long it took."""
    tasks = built.dataset.tasks
    tables = [_by_scene(tasks), _by_killer(tasks)]
    if any(task.weak is not None for task in tasks):
        tables.append(_by_strength(tasks))
    if built.dataset.survivors:
        tables.append(_survivors(built.dataset.survivors))
    tried = built.proved + len(built.dataset.survivors) + len(built.unproved)
    rate = f" ({built.proved / tried:.0%})" if tried else ""
    notes = (
        f"{len(tasks)} tasks, {len(built.dataset.survivors)} untested holes, {len(built.unproved)} without a proof",
        *(f"without a proof: {reason}: {count}" for reason, count in _reasons(built).items()),
        f"{built.proved} of {tried} holes that were tried are proved{rate}",
        built.dataset.about.provenance.line,
        f"{seconds:.0f} s, {len(tasks) / seconds:.2f} tasks a second",
    )
    return Document(out, tuple(tables), notes)


def as_json(built: Built, seconds: float) -> dict[str, Any]:
    """The same as data."""
    scenes: dict[str, dict[str, int]] = {}
    for task in built.dataset.tasks:
        counts = scenes.setdefault(_form(task), {})
        counts[task.block_type] = counts.get(task.block_type, 0) + 1
    about = built.dataset.about
    return {
        "tasks": len(built.dataset.tasks),
        "scenes": scenes,
        "killed_by": Counter(task.proof.killed_by for task in built.dataset.tasks if task.proof is not None),
        "strength": dict(_strengths(built.dataset.tasks)),
        "proved": built.proved,
        "survivors": len(built.dataset.survivors),
        "unproved": _reasons(built),
        "tests": {
            "passing": about.tests_passing,
            "left_out": about.tests_left_out,
            "broken": dict(built.broken),
        },
        "provenance": asdict(about.provenance),
        "seconds": round(seconds, 1),
    }


def _form(task: Task) -> str:
    return form_of(task.scene, with_evidence=task.with_evidence)


def _reasons(built: Built) -> dict[str, int]:
    return dict(sorted(Counter(result.reason for result in built.unproved).items()))


def _by_scene(tasks: tuple[Task, ...]) -> Table:
    counts = Counter((_form(task), task.block_type) for task in tasks)
    forms = sorted({form for form, _ in counts})
    rows = [
        (form, *(str(counts[form, kind]) for kind in TYPES), str(sum(counts[form, kind] for kind in TYPES)))
        for form in forms
    ]
    return Table("tasks by scene and block type", ("scene", *TYPES, "all"), tuple(rows))


def _by_killer(tasks: tuple[Task, ...]) -> Table:
    counts = Counter((task.proof.killed_by, task.proof.outcome) for task in tasks if task.proof is not None)
    rows = tuple((filling, outcome, str(count)) for (filling, outcome), count in sorted(counts.items()))
    return Table("the first wrong filling that its tests refused", ("filling", "ended as", "tasks"), rows)


def _strengths(tasks: Iterable[Task]) -> Counter[str]:
    """Count the tasks whose tests refuse most of their mutants, and the others; `unknown` where none was tried."""
    names = {True: "weak", False: "strong", None: "unknown"}
    return Counter(names[task.weak] for task in tasks if task.proof is not None)


def _by_strength(tasks: tuple[Task, ...]) -> Table:
    rows = []
    for form in sorted({_form(task) for task in tasks}):
        counts = _strengths(task for task in tasks if _form(task) == form)
        rows.append((form, *(str(counts[name]) for name in ("strong", "weak", "unknown"))))
    title = "strength of tests; weak: at least half of the mutants pass"
    return Table(title, ("scene", "strong", "weak", "unknown"), tuple(rows))


def _survivors(survivors: tuple[Survivor, ...]) -> Table:
    rows = [
        (
            f"{survivor.file}:{survivor.span.start_line}",
            survivor.block_type,
            str(len(survivor.tests)),
            str(len(survivor.fillings)),
        )
        for survivor in survivors[:_SHOWN]
    ]
    title = f"untested: the first {len(rows)} of {len(survivors)} holes that every wrong filling passes in"
    return Table(title, ("place", "block", "tests", "fillings"), tuple(rows))
