"""The tasks of a run as the database keeps them, and what chains make of the answers to them."""

from collections.abc import Iterator, Sequence

from prompts.fim import FAMILIES
from runner.json_texts import stored_json
from runner.jsonl import Row
from runner.storage.store import Store
from runner.suites.completion.agent_filling import Unfilled, filling_of
from runner.suites.completion.chains import Around, Chain, taken
from runner.suites.completion.dataset import Dataset, DatasetOrigin, Task, read_task
from runner.suites.completion.forms import FIM
from runner.variant import AGENT_HOLE

_TEXTS = """
SELECT DISTINCT l.prompt, l.case_id, a.text_id FROM answers a JOIN lanes l USING (lane_id)
WHERE l.run_id = ? AND a.outcome IN ('answered', 'crashed') AND a.text_id IS NOT NULL"""


def stored_dataset(store: Store, run_id: str) -> Dataset:
    """The tasks of a run, as it knew them."""
    files: dict[str, str] = {}
    tasks: list[Task] = []
    for row in store.rows("SELECT case_id, content_id FROM cases WHERE run_id = ? ORDER BY position", run_id):
        content = stored_json(store.text(row["content_id"]) or "{}")
        tasks.append(read_task(Row(f"case {row['case_id']} of run {run_id}", content["task"])))
        files[tasks[-1].place] = content["text"]
    return Dataset(DatasetOrigin("", "", "", (), 0, 0), files, tuple(tasks))


def fillings_of(
    dataset: Dataset, task: Task, chains: Sequence[Chain], prompt: str, text: str
) -> dict[str, str] | Unfilled:
    """By chain what it makes of an answer that was given to this prompt; of an agent's the hole may not be filled."""
    around = _around(dataset, task, prompt)
    if prompt == AGENT_HOLE:
        filling = filling_of(text, task.file, around.prefix, around.suffix)
        if isinstance(filling, Unfilled):
            return filling
        text = filling
    return {chain.name: taken(chain, text, around) for chain in chains}


def stored_fillings(store: Store, run_id: str, dataset: Dataset, chains: Sequence[Chain]) -> Iterator[tuple[Task, str]]:
    """What the chains make of every answer on record."""
    tasks = {task.task_id: task for task in dataset.tasks}
    for row in store.rows(_TEXTS, run_id):
        task, text = tasks[row["case_id"]], store.text(row["text_id"]) or ""
        fillings = fillings_of(dataset, task, chains, row["prompt"], text)
        if not isinstance(fillings, Unfilled):
            yield from ((task, filling) for filling in fillings.values())


def _around(dataset: Dataset, task: Task, prompt: str) -> Around:
    family = FAMILIES.get(prompt.removeprefix(FIM)) if prompt.startswith(FIM) else None
    return Around(
        prefix=dataset.prefix(task),
        suffix=dataset.suffix(task),
        stops=family.stops if family else (),
        fenced=not prompt.startswith(FIM) and prompt != AGENT_HOLE,
    )
