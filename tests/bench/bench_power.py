"""Whether planted differences are found in whole runs, at the number of cases that `evals compare` recommends.

    python -m tests.bench.bench_power [SEEDS] [NAME ...]

For each planted difference five pilot runs of 116 cases give numbers of cases for its size, of which the median is
taken. Then runs of that many cases are made with as many seeds, with the difference and with none: it is to be found in
70 of 100 of the former at least, and in 10 of 100 of the latter at most. Cases are copies of the shipped ones under
other names, or small ones that are generated.
"""

import json
import shutil
import sys
import time
from collections.abc import Iterable
from contextlib import closing, redirect_stderr, redirect_stdout
from io import StringIO
from itertools import count, islice
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from runner.report.compared_runs import compared_runs
from runner.report.pairs import VariantPair
from runner.run.execute import execute
from runner.storage.runs import find_run
from runner.storage.store import Store
from runner.suites.codrep.options import CodrepOptions
from runner.suites.codrep.suite import SUITE as CODREP
from runner.suites.diff_edit.options import DiffOptions
from runner.suites.diff_edit.suite import SUITE as DIFF
from runner.suites.nextedit.options import NextEditOptions
from runner.suites.nextedit.suite import SUITE as NEXTEDIT
from tests.bench.judged_differences import JUDGED
from tests.bench.planted import FAST, Planted, Run, model

CASES = Path(__file__).parents[2] / "cases"
PILOT, PILOTS, PILOT_SEED = 116, 5, 100_000
# Failures that no algorithm takes for an edit.
NO_DIFF = "no_match=0&ambiguous=0&malformed_diff=0&missing_diff=1&truncated=0&applied_nothing=0"


def diff_run(model_ids: str, **options: object) -> Run:
    def run(db: Path, cases: Path, seed: int) -> object:
        return execute(DIFF, DiffOptions(model_ids=model_ids, cases=cases, db=db, seed=seed, parallel=True, **options))  # type: ignore[arg-type]

    return run


def codrep_run(model_ids: str) -> Run:
    def run(db: Path, cases: Path, seed: int) -> object:
        return execute(CODREP, CodrepOptions(folders=[cases], model_ids=model_ids, db=db, seed=seed, parallel=True))

    return run


def nextedit_run(model_ids: str) -> Run:
    """Runs with commits of other names for each seed: here simulated answers do not depend on it."""

    def run(db: Path, cases: Path, seed: int) -> object:
        folder = db.parent / "bundles"
        folder.mkdir()
        for path in cases.iterdir():
            bundle = json.loads(path.read_text(encoding="utf-8"))
            bundle["sha"] = f"{seed:05x}{bundle['sha'][5:]}"
            (folder / path.name).write_text(json.dumps(bundle), encoding="utf-8")
        return execute(NEXTEDIT, NextEditOptions(cases=folder, model_ids=model_ids, db=db, parallel=True))

    return run


def copy_diff_edit(folder: Path, cases: int) -> None:
    """Write so many diff-edit cases."""
    folder.mkdir()
    shipped = sorted((CASES / "diff_edit").glob("*.json"))
    for number in range(cases):
        turn, at = divmod(number, len(shipped))
        case = json.loads(shipped[at].read_text(encoding="utf-8"))
        name = f"{shipped[at].stem}_{turn}"
        case["test_id"] = name
        (folder / f"{name}.json").write_text(json.dumps(case), encoding="utf-8")


def copy_codrep(folder: Path, cases: int) -> None:
    """Write so many CodRep tasks."""
    numbers = islice(count(1), cases)
    for name in ("Tasks", "Solutions"):
        (folder / name).mkdir(parents=True)
    shipped = sorted((CASES / "codrep" / "Tasks").glob("*.txt"))
    for number in numbers:
        task = shipped[number % len(shipped)]
        for name in ("Tasks", "Solutions"):
            shutil.copy(CASES / "codrep" / name / task.name, folder / name / f"{number}.txt")


def copy_nextedit(folder: Path, cases: int) -> None:
    """Write so many bundles of commits."""
    folder.mkdir()
    shipped = sorted((CASES / "nextedit").glob("*.json"))
    for number in range(cases):
        bundle = json.loads(shipped[number % len(shipped)].read_text(encoding="utf-8"))
        bundle["sha"] = f"{0:05x}{number:05x}{bundle['sha'][10:]}"
        (folder / f"{bundle['project']}-{number}.json").write_text(json.dumps(bundle), encoding="utf-8")


PLANTED = {
    "model": Planted(
        "model",
        0.2,
        diff_run(model("applied=.85&spread=.1", "applied=.65&spread=.1"), quota=2),
        diff_run(model("applied=.75&spread=.1", "applied=.75&spread=.1"), quota=2),
        copy_diff_edit,
        PILOT,
    ),
    "prompt": Planted(
        "prompt",
        0.2,
        diff_run(f"sim/any?{FAST}&applied=.65&strict.applied=.85", prompts="basic,strict"),
        diff_run(f"sim/any?{FAST}&applied=.75&strict.applied=.75", prompts="basic,strict"),
        copy_diff_edit,
        PILOT,
    ),
    "algorithm": Planted(
        "algorithm",
        0.11,
        diff_run(f"sim/any?{FAST}&{NO_DIFF}&applied=.8&drift=.2", quota=2, diff_apply="v3,v4"),
        diff_run(f"sim/any?{FAST}&{NO_DIFF}&applied=.8", quota=2, diff_apply="v3,v4"),
        copy_diff_edit,
        PILOT,
    ),
    "codrep": Planted(
        "model",
        0.2,
        codrep_run(model("applied=.85", "applied=.65")),
        codrep_run(model("applied=.75", "applied=.75")),
        copy_codrep,
        PILOT,
    ),
    "nextedit": Planted(
        "model",
        0.22,
        nextedit_run(model("applied=.85", "applied=.65")),
        nextedit_run(model("applied=.75", "applied=.75")),
        copy_nextedit,
        26,
    ),
    **JUDGED,
}


def pair_of(planted: Planted, run: Run, cases: Path, seed: int) -> VariantPair:
    """The comparison that one run has."""
    with TemporaryDirectory() as folder, redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        db = Path(folder) / "evals.db"
        run(db, cases, seed)
        with closing(Store.open(db)) as store:
            metrics = (planted.metric,) if planted.metric else ()
            compared = compared_runs(store, [find_run(store, "latest")], planted.by, metrics, planted.cluster)
    (family,) = compared.families
    (pair,) = family.pairs
    return pair


def rate(name: str, planted: Planted, run: Run, cases: Path, seeds: Iterable[int]) -> int:
    """How many of the runs show a difference."""
    pairs = [pair_of(planted, run, cases, seed) for seed in seeds]
    mean = sum(pair.difference.interval.estimate for pair in pairs) / len(pairs)
    shown = sum(pair.differs for pair in pairs)
    sys.stdout.write(f"{name}: shown in {shown} of {len(pairs)}, mean difference {100 * mean:+.1f} points\n")
    sys.stdout.flush()
    return shown


def measured(name: str, planted: Planted, seeds: int, folder: Path) -> tuple[int, int]:
    """How often the difference is found, and how often one that is none."""
    planted.copies(folder / "pilot", planted.pilot)
    pilots = [pair_of(planted, planted.with_it, folder / "pilot", PILOT_SEED + at) for at in range(PILOTS)]
    size = round(median(pilot.difference.cases_for(planted.effect) for pilot in pilots))
    sys.stdout.write(f"{name}: {size} cases recommended for {100 * planted.effect:g} points\n")
    planted.copies(folder / "cases", size)
    return (
        rate(f"{name}, planted", planted, planted.with_it, folder / "cases", range(seeds)),
        rate(f"{name}, none", planted, planted.without, folder / "cases", range(seeds)),
    )


def main(seeds: int, names: Iterable[str]) -> None:
    """Print what is found of each planted difference."""
    for name in names or PLANTED:
        began = time.perf_counter()
        with TemporaryDirectory() as folder:
            measured(name, PLANTED[name], seeds, Path(folder))
        sys.stdout.write(f"{name}: {time.perf_counter() - began:.0f} s\n")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100, sys.argv[2:])
