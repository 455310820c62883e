"""What a prediction costs and what it is worth: `python -m tests.bench.bench_codrep [TASKS] [FOLDER...]`.

Prints tasks a second of CPU for the ranker from file to answer on one core, where its time goes (best of three
rounds for each part), how much faster two processes are than one by the clock, the memory of a process at its peak,
and the loss on each dataset, with the card's figure of models that did not see it. Datasets are the folders, else
those of $EVALS_CODREP_DATASETS, else the shipped sample, whose programs are far smaller than the competition's; of
each at most so many tasks count (800).
"""

import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from runner.suites.codrep.competition import score
from runner.suites.codrep.dataset import CodrepDataset, CodrepTask, open_datasets
from runner.suites.codrep.predictors.predict import Choice, predict
from runner.suites.codrep.ranker.candidates import choose
from runner.suites.codrep.ranker.features import features_of
from runner.suites.codrep.ranker.measures import measure
from runner.suites.codrep.ranker.model import Card, model_at
from runner.suites.codrep.ranker.program import lex
from runner.suites.codrep.ranker.table import tabulate
from runner.suites.codrep.ranker.trees import lay_out

SAMPLE = Path(__file__).parents[2] / "cases" / "codrep"
RANKER = Choice("ranker")
ROUNDS = 3
TASKS = 800
# With fewer tasks than this, starting a second process takes longer than it saves.
WORTH_SHARING = 200


def line_of(name: str, figure: float, told: str) -> str:
    """A figure, its name before and its unit behind."""
    return f"  {name:<29}{figure:9.3f} {told}"


def cpu_seconds(run: Callable[[], object]) -> float:
    """The least CPU time of some rounds."""
    spent = []
    for _ in range(ROUNDS):
        start = time.process_time()
        run()
        spent.append(time.process_time() - start)
    return min(spent)


def clock_seconds(dataset: CodrepDataset, jobs: int) -> float:
    """The time by the clock that so many processes take, their start included."""
    start = time.perf_counter()
    for _ in predict(dataset, RANKER, jobs=jobs):
        pass
    return time.perf_counter() - start


def parts(dataset: CodrepDataset) -> dict[str, Callable[[], object]]:
    """What the ranker does, step by step; each step repeats those before it where it builds on them."""
    model = model_at()
    walk = lay_out(model.forest)
    tasks: Sequence[CodrepTask] = [dataset.read(path) for path in dataset.task_paths()]
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


def peak_memory(datasets: Sequence[CodrepDataset]) -> float:
    """The most megabytes that a process which predicts one of the whole datasets has held.

    To be asked first: what this process holds when it starts another counts as the other's.
    """
    command = [sys.executable, "-c", "from runner.cli import main; main()", "codrep", "predict"]
    for dataset in datasets:
        subprocess.run([*command, str(dataset.tasks)], stdout=subprocess.DEVNULL, check=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


def speed(dataset: CodrepDataset) -> Iterator[str]:
    """The figures of cost."""
    count = len(dataset.task_paths())
    spent = cpu_seconds(lambda: list(predict(dataset, RANKER)))
    yield f"{count} tasks of {dataset.name}:"
    yield line_of("file to answer", count / spent, "tasks a second of CPU")
    for name, run in parts(dataset).items():
        yield line_of(name, 1000 * cpu_seconds(run) / count, "ms a task")
    if count >= WORTH_SHARING:
        yield line_of("two processes", clock_seconds(dataset, 1) / clock_seconds(dataset, 2), "x one")


def worth(dataset: CodrepDataset, card: Card) -> str:
    """The loss on a dataset, and whether the model saw it in training."""
    row = score((f"{path} {line}" for path, line in predict(dataset, RANKER)), [dataset]).total
    unseen = card.held_out.get(dataset.name)
    told = f"seen in training; {unseen.loss:.4f} by models of the others" if unseen else "a name unknown in training"
    return line_of(dataset.name, row.loss, f"loss of {row.tasks} tasks, {told}")


def main(wanted: int, folders: Sequence[Path]) -> None:
    """Print the figures."""
    whole = open_datasets(folders)
    datasets = [replace(one, every=max(1, len(one.task_paths()) // wanted)) for one in whole]
    sys.stdout.write(line_of("memory at its peak", peak_memory(whole), "MB, of whole datasets") + "\n")
    for dataset in datasets:
        for line in speed(dataset):
            sys.stdout.write(line + "\n")
    for dataset in datasets:
        sys.stdout.write(worth(dataset, model_at().card) + "\n")


if __name__ == "__main__":
    words = sys.argv[1:]
    number = int(words.pop(0)) if words and words[0].isdecimal() else TASKS
    named = words or os.environ.get("EVALS_CODREP_DATASETS", "").split(os.pathsep)
    main(number, [Path(name) for name in named if name] or [SAMPLE])
