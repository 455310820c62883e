"""What a prediction costs: `python -m tests.bench.bench_codrep [DATASET_FOLDER] [TASKS]`.

Prints tasks a second of CPU for the ranker from file to answer on one core, where its time goes (best of three
rounds for each part), how much faster two processes are than one by the clock, and the memory at its peak. Without
a folder it reads the shipped sample, whose programs are far smaller than the competition's.
"""

import resource
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from runner.suites.codrep.candidates import choose
from runner.suites.codrep.dataset import Dataset, Task, open_dataset
from runner.suites.codrep.features import features_of
from runner.suites.codrep.measures import measure
from runner.suites.codrep.model import model_at
from runner.suites.codrep.predict import Choice, predict
from runner.suites.codrep.program import lex
from runner.suites.codrep.table import tabulate
from runner.suites.codrep.trees import lay_out

SAMPLE = Path(__file__).parents[2] / "cases" / "codrep"
ROUNDS = 3


def cpu_seconds(run: Callable[[], object]) -> float:
    """The least CPU time of some rounds."""
    spent = []
    for _ in range(ROUNDS):
        start = time.process_time()
        run()
        spent.append(time.process_time() - start)
    return min(spent)


def clock_seconds(dataset: Dataset, jobs: int) -> float:
    """The time by the clock that so many processes take, their start included."""
    start = time.perf_counter()
    for _ in predict(dataset, Choice("ranker"), jobs=jobs):
        pass
    return time.perf_counter() - start


def parts(dataset: Dataset) -> dict[str, Callable[[], object]]:
    """What the ranker does, step by step; each step repeats those before it where it builds on them."""
    model = model_at()
    walk = lay_out(model.forest)
    tasks: Sequence[Task] = [dataset.read(path) for path in dataset.task_paths()]
    programs = [lex(task.new_line, task.lines) for task in tasks]
    candidates = [found for task in tasks if len((found := choose(task, model.chooser)).at)]
    tables = [tabulate(features_of(found), model.features) for found in candidates]
    return {
        "read": lambda: [dataset.read(path) for path in dataset.task_paths()],
        "lex": lambda: [lex(task.new_line, task.lines) for task in tasks],
        "measure": lambda: [measure(program) for program in programs],
        "choose (lex and measure too)": lambda: [choose(task, model.chooser) for task in tasks],
        "features": lambda: [features_of(found) for found in candidates],
        "forest": lambda: [walk.scores(table) for table in tables],
    }


def main(folder: Path = SAMPLE, wanted: int = 800) -> None:
    """Print the figures."""
    whole = open_dataset(folder)
    dataset = replace(whole, every=max(1, len(whole.task_paths()) // wanted))
    count = len(dataset.task_paths())
    spent = cpu_seconds(lambda: list(predict(dataset, Choice("ranker"))))
    lines = [f"{count} tasks of {folder}", f"{'file to answer':<30}{count / spent:9.1f} tasks a second of CPU"]
    lines += [f"{name:<30}{1000 * cpu_seconds(run) / count:9.3f} ms a task" for name, run in parts(dataset).items()]
    lines.append(f"{'two processes':<30}{clock_seconds(dataset, 1) / clock_seconds(dataset, 2):9.2f} x one")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    lines.append(f"{'memory at its peak':<30}{peak:9.0f} MB, with all tasks of the parts held at once")
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else SAMPLE, int(sys.argv[2]) if sys.argv[2:] else 800)
