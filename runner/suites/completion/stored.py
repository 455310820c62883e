"""The tasks of a run as the database keeps them, and where their answers belong."""

import orjson

from prompts.fim import FAMILIES
from runner.storage.store import Store
from runner.suites.completion.chains import Around
from runner.suites.completion.dataset import About, Dataset, Task, read_task
from runner.suites.completion.forms import FIM


def stored_dataset(store: Store, run_id: str) -> Dataset:
    """The tasks of a run, as it knew them."""
    files: dict[str, str] = {}
    tasks: list[Task] = []
    for row in store.rows("SELECT case_id, content_id FROM cases WHERE run_id = ? ORDER BY position", run_id):
        content = orjson.loads(store.text(row["content_id"]) or "{}")
        values = {name: value for name, value in content["task"].items() if name != "kind"}
        tasks.append(read_task(f"case {row['case_id']} of run {run_id}", values))
        files[tasks[-1].file] = content["text"]
    return Dataset(About("", "", "", (), 0, 0), files, tuple(tasks))


def around_of(dataset: Dataset, task: Task, prompt: str) -> Around:
    """What the chains know of the place of an answer to this prompt."""
    family = FAMILIES.get(prompt.removeprefix(FIM)) if prompt.startswith(FIM) else None
    return Around(
        prefix=dataset.prefix(task),
        suffix=dataset.suffix(task),
        stops=family.stops if family else (),
        fenced=not prompt.startswith(FIM),
    )
