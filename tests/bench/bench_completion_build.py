"""Builds completion tasks from a well-tested project, proves them again, and runs a simulated model on them.

Run: python -m tests.bench.bench_completion_build [requirement] [limit]. The project's source distribution is fetched by
pip into a temporary folder; without a network there is nothing to build from, which is said.
"""

import os
import subprocess
import sys
import tarfile
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from runner.execution.copies import target
from runner.execution.isolation import strongest
from runner.execution.repository_judge import Judge
from runner.execution.verdicts import JudgeTask, Known, VerdictKind
from runner.suites.completion.build import Wanted, build
from runner.suites.completion.dataset import Dataset
from runner.suites.completion.scenes import SCENES
from runner.suites.completion.validate import validate

ORIGINAL_TYPES = ("METHOD", "IF", "FOR", "WHILE", "TRY", "CATCH", "STATEMENT")
WORKERS = 2


def say(line: str) -> None:
    """One line."""
    sys.stdout.write(line + "\n")


def fetched(requirement: str, folder: Path) -> Path | None:
    """The unpacked source distribution; None where pip cannot fetch it."""
    words = ["-q", "download", "--no-deps", "--no-binary", ":all:", "--disable-pip-version-check", "-d", str(folder)]
    done = subprocess.run(
        [sys.executable, "-m", "pip", *words, requirement], check=False, capture_output=True, timeout=300
    )
    if done.returncode != 0:
        say(f"skipped: pip cannot fetch {requirement}: {done.stderr.decode().strip().rpartition(chr(10))[2]}")
        return None
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(folder / "unpacked", filter="data")
    (root,) = (folder / "unpacked").iterdir()
    return root


def tell(dataset: Dataset) -> None:
    """How many tasks there are by scene and by type of block, and what killed their wrong fillings."""
    scenes = Counter(f"{task.scene}+" if task.with_evidence else task.scene for task in dataset.tasks)
    types = Counter(task.block_type for task in dataset.tasks)
    killers = Counter(task.proof.killed_by for task in dataset.tasks if task.proof is not None)
    for counts in (scenes, types, killers):
        say("  " + "  ".join(f"{name} {count}" for name, count in sorted(counts.items())))
    missing = [*(scene for scene in SCENES if not scenes[scene]), *(kind for kind in ORIGINAL_TYPES if not types[kind])]
    say(f"  scenes and original types without a task: {', '.join(missing) or 'none'}")


def prove(judge: Judge, dataset: Dataset) -> None:
    """Prove everything again, and count what passes with `pass` in the holes that it is recorded as killed in."""
    started = perf_counter()
    proved = [task for task in dataset.tasks if task.proof is not None]
    refuted = validate({"": judge}, dataset, WORKERS)
    seconds = perf_counter() - started
    say(f"proved again: {len(proved) - len(refuted)} of {len(proved)} in {seconds:.0f} s")
    killed = [task for task in proved if task.proof is not None and task.proof.killed_by == "pass"]
    passing = [
        judge.judge(JudgeTask(task.file, dataset.assembled(task, "pass"), task.tests, task.seconds)).outcome
        is VerdictKind.PASS
        for task in killed
        if task.block_type != "CATCH"
    ]
    say(f"`pass` passes in {sum(passing)} of {len(passing)} holes that are recorded as killed by it")


def main(requirement: str, limit: int) -> None:
    """Fetch, build, prove."""
    with TemporaryDirectory(prefix="evals-bench-") as folder:
        repo = fetched(requirement, Path(folder))
        if repo is None:
            return
        interpreter = target(sys.executable, os.environ["PATH"])
        started = perf_counter()
        known = Known()
        with Judge(repo, interpreter, strongest(), known) as judge:
            built = build(judge, Wanted(repo.name, limit=limit, workers=WORKERS), say)
            means = judge.means
        seconds = perf_counter() - started
        dataset = built.dataset
        say(f"{repo.name}: {len(dataset.tasks)} tasks, {len(dataset.survivors)} untested holes in {seconds:.0f} s")
        say(f"  {len(dataset.tasks) / seconds:.2f} tasks a second; {', '.join(means)}; load {os.getloadavg()[0]:.1f}")
        tell(dataset)
        with Judge(repo, interpreter, strongest()) as judge:
            prove(judge, dataset)


if __name__ == "__main__":
    main((sys.argv[1:] or ["toolz"])[0], int((sys.argv[2:] or ["2"])[0]))
