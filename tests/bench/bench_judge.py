"""What a verdict costs beside a bare run of pytest, and how many there are in a second.

Run: python -m tests.bench.bench_judge [verdicts] [workers]. The test takes 50 ms of processor time. Ratios of processor
time hold on a busy machine too; verdicts a second do not, so the load is told, and what two free processors would do.
"""

import os
import resource
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

from runner.execution.copies import Copy, target, tree_files
from runner.execution.isolation import Cell, strongest
from runner.execution.repository_judge import Judge
from runner.execution.sandbox import ProcessLimits, Ran
from runner.execution.verdicts import JudgeTask, VerdictKind

CODE = "def double(x):\n    return x + x\n"
TESTS = """\
import time
from pair import double

def test_double():
    end = time.process_time() + 0.05
    while time.process_time() < end:
        pass
    assert double(3) == 6
"""
TEST = "test_pair.py::test_double"
WORDS = ["-q", "-x", "--", TEST]
LIMITS = ProcessLimits(wall_s=60, cpu_s=60, memory_bytes=4 << 30)
RUNS = 7


def say(line: str) -> None:
    """One line."""
    sys.stdout.write(line + "\n")


@contextmanager
def repository() -> Iterator[Path]:
    """A folder with one module and one test."""
    with TemporaryDirectory(prefix="evals-bench-") as folder:
        repo = Path(folder) / "repo"
        repo.mkdir()
        (repo / "pair.py").write_text(CODE)
        (repo / "test_pair.py").write_text(TESTS)
        yield repo


def spent() -> float:
    """Processor seconds of our own so far."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def cost(repo: Path, folder: str, *, shut_in: bool, forked: bool) -> float:
    """Processor seconds of one run, ours included: the median of several."""
    isolation = strongest()
    with TemporaryDirectory(prefix=f"evals-{folder}-") as place:
        cell = Cell(Path(place), isolation) if shut_in else Cell(Path(place))
        copy = Copy(cell, tree_files(repo), target(sys.executable, os.environ["PATH"]))
        runs: list[float] = []
        for number in range(RUNS + 1):
            before = spent()
            text = f"{CODE}# {number}\n"
            ran: Ran = copy.run("pair.py", text, WORDS, LIMITS, {} if forked else {"any.py": b""})
            assert ran.exit_code == 0, ran.stdout
            assert copy.forks is forked
            runs.append(ran.cpu_s + spent() - before)
        copy.close()
    # The first one starts the process that the others are forked from.
    return median(runs[1:])


def verdict_cost(repo: Path) -> float:
    """Processor seconds of one run that is witnessed, ours included, as a verdict takes: the median of several."""
    with TemporaryDirectory(prefix="evals-witnessed-") as place:
        copy = Copy(Cell(Path(place), strongest()), tree_files(repo), target(sys.executable, os.environ["PATH"]))
        words = ["-q", "-x", f"--junit-xml={copy.reports / 'junit.xml'}", "--", TEST]
        runs: list[float] = []
        for number in range(RUNS + 1):
            before = spent()
            ran, doubt = copy.witnessed("pair.py", f"{CODE}# {number}\n", words, LIMITS, (TEST,))
            assert (ran.exit_code, doubt) == (0, None), ran.stdout
            runs.append(ran.cpu_s + spent() - before)
        copy.close()
    return median(runs[1:])


def verdicts(repo: Path, count: int, workers: int) -> None:
    """Ask for verdicts, half of them of wrong answers."""
    texts = [CODE.replace("x + x", f"{1 + number % 2} * x") + f"# {number}\n" for number in range(count)]
    with (
        Judge(repo, target(sys.executable, os.environ["PATH"]), strongest()) as judge,
        ThreadPoolExecutor(workers) as pool,
    ):
        list(pool.map(judge.judge, [JudgeTask("pair.py", f"{CODE}# first {n}\n", (TEST,)) for n in range(workers)]))
        load, started = os.getloadavg()[0], perf_counter()
        found = list(pool.map(judge.judge, [JudgeTask("pair.py", text, (TEST,)) for text in texts]))
        seconds = perf_counter() - started
    right = sum(one.outcome is (VerdictKind.PASS if n % 2 else VerdictKind.FAIL) for n, one in enumerate(found))
    say(f"{count} verdicts by {workers} workers: {count / seconds:.1f} a second, {right} right; load before {load:.1f}")


def main(count: int, workers: int) -> None:
    """Print what a run costs in each way, and the rate."""
    with repository() as repo:
        bare = cost(repo, "bare", shut_in=False, forked=False)
        say(f"{'bare':24}{bare * 1000:7.0f} ms of processor time")
        for name, forked in (("in a cell", False), ("in a cell, forked", True)):
            seconds = cost(repo, "cell", shut_in=True, forked=forked)
            say(f"{name:24}{seconds * 1000:7.0f} ms, {seconds / bare:.2f} times a bare run")
        seconds = verdict_cost(repo)
        say(f"{'a verdict':24}{seconds * 1000:7.0f} ms: {2 / seconds:.1f} a second where two processors are free")
        verdicts(repo, count, workers)


if __name__ == "__main__":
    main(int((sys.argv[1:] or ["60"])[0]), int((sys.argv[2:] or ["2"])[0]))
