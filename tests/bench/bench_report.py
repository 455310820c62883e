"""What `evals report --html` takes of a large run: `python -m tests.bench.bench_report [MODELS CASES ATTEMPTS]`.

A small run of three simulated models is copied within its database: to so many times the models, the cases and the
attempts. The default is 103,680 attempts: 9 models, 290 cases, 36 valid attempts at each. Nothing waits, so that
processor seconds are what it takes on an idle machine; they are what is limited.
"""

import resource
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

from runner.pages.rendering import MOST_BYTES, write_page
from runner.pages.run_page import page_of
from runner.storage.runs import find_run
from runner.storage.store import Store
from runner.suites import suite_named

MODELS = ",".join(f"sim/{name}?time=virtual" for name in ("careful", "chatty", "sloppy"))
COPIES = (3, 10, 12)
MOST_S = 10.0
_COPIES = "WITH RECURSIVE copies(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM copies WHERE n < ?)"


def make(path: Path) -> None:
    """Make the small run: three models, 29 cases, three valid attempts at each."""
    words = ("diff", "--model-ids", MODELS, "-n", "3", "--parallel", "--db", str(path))
    command = (sys.executable, "-c", "from runner.cli import main; main()", *words)
    subprocess.run(command, check=True, capture_output=True)


def multiply(store: Store, models: int, cases: int, attempts: int) -> None:
    """Copy what the run has to so many times the models, the cases, and the attempts of each lane."""
    with store.transaction():
        copy(store, "variants", {"sut": "sut || '-' || n"}, models)
        copy(store, "lanes", {"sut": "sut || '-' || n", "lane_id": "lane_id + n * 1000000"}, models)
        copy(store, "cases", {"case_id": "case_id || '-' || n"}, cases)
        copy(store, "lanes", {"case_id": "case_id || '-' || n", "lane_id": "lane_id + n * 100000000"}, cases)
        spread(store, models, 1_000_000)
        spread(store, cases, 100_000_000)
        copy(store, "answers", {"answer_id": "answer_id + n * 1000000000000", "number": "number + n * 100"}, attempts)
        scored = {"scoring_id": "scoring_id + n * 1000000000000", "answer_id": "answer_id + n * 1000000000000"}
        copy(store, "scorings", scored, attempts)
    store.execute("ANALYZE")


def spread(store: Store, times: int, step: int) -> None:
    """Copy answers and scorings to the lanes that were copied with this step of their ids."""
    ids = {name: f"{name} + n * {step}" for name in ("answer_id", "lane_id", "scoring_id")}
    copy(store, "answers", {name: ids[name] for name in ("answer_id", "lane_id")}, times)
    copy(store, "scorings", {name: ids[name] for name in ("scoring_id", "answer_id")}, times)


def copy(store: Store, table: str, changed: dict[str, str], times: int) -> None:
    """Add copies of all rows, with expressions over the number `n` of the copy in place of some columns."""
    columns = [row["name"] for row in store.rows(f"PRAGMA table_info({table})")]
    values = ", ".join(changed.get(name, name) for name in columns)
    into = f"INSERT INTO {table} ({', '.join(columns)})"
    sql = f"{into} {_COPIES} SELECT {values} FROM {table}, copies WHERE n > 0"  # noqa: S608 - all of it is ours
    store.execute(sql, times - 1)


def main(models: int, cases: int, attempts: int) -> None:
    """Print what each part takes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "evals.db")
        make(path)
        with closing(Store.open(path)) as store:
            multiply(store, models, cases, attempts)
        with closing(Store.open(path)) as store:
            wall, began = time.perf_counter(), time.process_time()
            run = find_run(store, "latest")
            suite = suite_named(run["suite"])
            report = suite.report(store, run, None)
            reported = time.process_time()
            page = page_of(store, [(run, report)], suite.cluster(run))
            built = time.process_time()
            size = write_page(page, Path(folder, "report.html"))
            wall, ended = time.perf_counter() - wall, time.process_time()
    count = sum(variant.attempts for variant in report.summary.variants)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    parts = f"figures {reported - began:.1f}, page {built - reported:.1f}, HTML {ended - built:.1f}"
    sys.stdout.write(
        f"{count:,} attempts: {ended - began:.1f} processor seconds ({parts}), {wall:.1f} s of wall time, "
        f"{size / 1e6:.2f} MB, {memory:.0f} MB of memory\n"
    )
    if ended - began > MOST_S or size > MOST_BYTES:
        raise SystemExit(f"more than {MOST_S:g} s or {MOST_BYTES / 1e6:g} MB")


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[1:4]]
    main(*(given or COPIES))
