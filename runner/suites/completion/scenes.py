"""The scenes of Codev-Bench: how much of the file is seen around a hole, and what else is shown."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from runner.errors import InputError
from runner.run.resolve import split_names
from runner.suites.completion.choosing import Chosen
from runner.suites.completion.dataset import Evidence, Proof, Task
from runner.suites.completion.evidence import Index, near
from runner.suites.completion.holes import EMPTY, INNER, WHOLE, Hole

SCENES: Mapping[str, str] = {
    "1.1": WHOLE,
    "1.2": WHOLE,
    "1.3": WHOLE,
    "2.1": INNER,
    "2.2": EMPTY,
    "3": WHOLE,
    "4": WHOLE,
}
_IN_FUNCTIONS = frozenset({"1.2"})
COMMENT = "COMMENT"


def scenes_of(names: str) -> frozenset[str] | None:
    """The scenes of an option, None for all of them. Raises InputError for an unknown one."""
    if names.strip() == "all":
        return None
    chosen = frozenset(split_names(names, "--scenes"))
    unknown = sorted(chosen - frozenset(SCENES))
    if unknown:
        raise InputError(f"--scenes: {unknown[0]!r} is none of {', '.join(SCENES)}; leave it out")
    return chosen


def forms(scenes: Iterable[str]) -> tuple[tuple[str, bool], ...]:
    """The scenes, sorted, each with whether evidence is given: scenes 1.x come without, and again with it."""
    return tuple(
        (scene, with_evidence)
        for scene in sorted(scenes)
        for with_evidence in ((False, True) if scene[0] == "1" else (False,))
    )


def task_of(hole: Hole, data: bytes, index: Index, scene: str, *, with_evidence: bool) -> Task | None:
    """The task of a hole in a scene, not yet proved and without tests; None where the hole does not fit the scene.

    Evidence is given where the visible text imports from other files. A hole that only similarity can judge is a task
    of scene 1.1 only.
    """
    if SCENES[scene] != hole.kind or not _fits(scene, hole):
        return None
    if scene.startswith("2") or (scene.startswith("1") and not with_evidence):
        return _task(hole, data, scene, ())
    if hole.type != COMMENT and (evidence := _evidence(scene, hole, data, index)):
        return _task(hole, data, scene, evidence)
    return None


def _fits(scene: str, hole: Hole) -> bool:
    if hole.type == COMMENT:
        return scene == "1.1"
    return hole.function is not None or scene not in _IN_FUNCTIONS


def _evidence(scene: str, hole: Hole, data: bytes, index: Index) -> tuple[Evidence, ...]:
    span = hole.span
    around = hole.function.span if hole.function is not None else None
    if scene == "3":
        return index.imported(hole.file, data[span.start : span.end].decode())
    if scene == "4":
        return index.alike(hole.file, around, near(data, span, span.end))
    seen_from = {"1.2": around.end if around else span.end, "1.3": len(data)}.get(scene, span.end)
    seen = data[: span.start] + b"\n" + data[max(span.end, seen_from) :]
    return index.imported(hole.file, seen.decode())


def _task(hole: Hole, data: bytes, scene: str, evidence: tuple[Evidence, ...]) -> Task:
    with_evidence = scene.startswith("1") and bool(evidence)
    form = f"{scene}+evidence" if with_evidence else scene
    function = hole.function
    return Task(
        task_id=f"{form}/{hole.type}/{hole.file}:{hole.span.start}-{hole.span.end}",
        file=hole.file,
        scene=scene,
        with_evidence=with_evidence,
        block_type=hole.type,
        span=hole.span,
        function=function.name if function is not None else "",
        function_end=function.span.end if function is not None else len(data),
        tests=(),
        tests_total=0,
        seconds=0,
        evidence=evidence,
    )


def proved(task: Task, chosen: Chosen, proof: Proof) -> Task:
    """The task with its tests and the proof that they see the hole."""
    return replace(task, tests=chosen.tests, tests_total=chosen.total, seconds=chosen.seconds, proof=proof)
