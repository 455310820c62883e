"""Replays of many stored answers: `python -m tests.bench.scale [SIZE...]`, 10,000, 100,000 and 1,000,000 by default.

The answers are those of one run of simulated models, copied in bulk with their scorings; their texts are shared, as
copies are. Each size is replayed with v3 and v4 by `evals replay`, and reported by `evals report`, each in a process of
its own: the replay, whose figures its own last table has computed, and the run itself, whose figures nobody has. Fails
where CPU grows by more than 25 % over linear, where a replay or a report takes 400 MB, or the report on the replay 3 s.
"""

import json
import os
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

EVALS = Path(sys.executable).parent / "evals"
_MODEL = "sim/any?time=virtual&valid=1&applied=0.9"
_MOST_GROWTH, _MOST_MB, _MOST_REPORT_S = 1.25, 400, 3.0
_NUMBERS = "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i <= ?1 / ?2)"


@dataclass(frozen=True)
class Used:
    """What a process took."""

    cpu_s: float
    wall_s: float
    peak_mb: float
    printed: bytes


@dataclass(frozen=True)
class Measured:
    """A replay of so many answers, the report on it, and the first report on the run."""

    answers: int
    replay: Used
    report: Used
    first_report: Used

    @property
    def peak_mb(self) -> float:
        """The most memory that a process took."""
        return max(self.replay.peak_mb, self.report.peak_mb, self.first_report.peak_mb)

    def __str__(self) -> str:
        """The figures."""
        return (
            f"{self.answers:>9,} answers: replay {self.replay.cpu_s:7.1f} s of CPU, {self.replay.wall_s:7.1f} s,"
            f" {self.replay.peak_mb:4.0f} MB; report {self.report.wall_s:5.2f} s, {self.report.cpu_s:5.2f} s of CPU,"
            f" {self.report.peak_mb:4.0f} MB; first report on the run {self.first_report.wall_s:6.1f} s,"
            f" {self.first_report.cpu_s:6.1f} s of CPU, {self.first_report.peak_mb:4.0f} MB"
        )


def used(*words: object) -> Used:
    """Run `evals`; raises if it fails."""
    began = time.perf_counter()
    process = subprocess.Popen([EVALS, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdout is not None
    printed = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{words}: exit code {process.returncode}")
    return Used(usage.ru_utime + usage.ru_stime, time.perf_counter() - began, usage.ru_maxrss / 1024, printed)


def make_answers(db: Path, count: int) -> None:
    """Make a run whose answers, with their scorings, are copied until there are `count`."""
    used("diff", _MODEL, "--run-id", "scale", "--diff-apply", "v4", "--db", db)
    with closing(sqlite3.connect(db)) as connection, connection:
        connection.execute("PRAGMA synchronous = OFF")
        (first,) = connection.execute("SELECT count(*) FROM answers").fetchone()
        for table, key in (("answers", "answer_id"), ("scorings", "scoring_id")):
            names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})") if row[1] != key]
            new = {"number": "t.number + n.i", "answer_id": "t.answer_id + n.i * ?2"}
            values = ", ".join(new.get(name, f"t.{name}") for name in names)
            rows = f"SELECT {values} FROM n CROSS JOIN {table} t WHERE n.i * ?2 + t.answer_id <= ?1"  # noqa: S608 - names of ours
            connection.execute(f"{_NUMBERS} INSERT INTO {table} ({', '.join(names)}) {rows}", (count, first))


def measured(folder: Path, count: int) -> Measured:
    """Replay and report so many answers."""
    db = folder / f"{count}.db"
    make_answers(db, count)
    replay = used("replay", "--run-id", "scale", "--diff-apply", "v3,v4", "--db", db, "--json")
    replayed = json.loads(replay.printed)
    if replayed["answers"] != count:
        raise SystemExit(f"{replayed['answers']} answers were replayed, not {count}")
    report, first = (used("report", run_id, "--db", db) for run_id in (replayed["run_id"], "scale"))
    result = Measured(count, replay, report, first)
    sys.stdout.write(f"{result}\n")
    sys.stdout.flush()
    return result


def main(*sizes: int) -> None:
    """Print the figures; fail where a limit is exceeded."""
    with TemporaryDirectory() as folder:
        base = used("replay", "--help").cpu_s
        results = [measured(Path(folder), size) for size in sizes or (10_000, 100_000, 1_000_000)]
    first, last = results[0], results[-1]
    growth = (last.replay.cpu_s - base) / (first.replay.cpu_s - base) / (last.answers / first.answers)
    sys.stdout.write(f"CPU grows by {growth:.2f} of linear (at most {_MOST_GROWTH})\n")
    if growth > _MOST_GROWTH or last.peak_mb >= _MOST_MB or last.report.wall_s >= _MOST_REPORT_S:
        raise SystemExit("a limit is exceeded")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
