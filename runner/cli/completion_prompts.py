"""`evals completion prompts`: what fill-in-the-middle models are to be asked about a data set's tasks."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

from typer import Option

from runner.suites.completion.options import DataSet

_CODEV = "Write Codev-Bench's prompts/*.jsonl and metadatas into this folder instead."


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletionPromptsOptions:
    """The options of `evals completion prompts`."""

    file: DataSet
    family: Annotated[
        str, Option("--family", help="The family of models whose marker tokens are used, such as qwen2.5-coder.")
    ] = ""
    budget: Annotated[
        int, Option("--budget", min=0, help="The maximum number of characters of the file around the hole.")
    ] = 24_000
    codev_dir: Annotated[Path | None, Option("--codev-dir", metavar="DIR", help=_CODEV)] = None


def prompts(options: CompletionPromptsOptions) -> None:
    """Print the prompts for a fill-in-the-middle model, or write Codev-Bench's.

    Prints JSON lines of task_id, prompt, stops, cut, refused.
    """
    from runner.errors import InputError

    if bool(options.family) == (options.codev_dir is not None):
        raise InputError("--family: give either it, such as qwen2.5-coder, or --codev-dir")
    if options.codev_dir is None:
        _print(options)
    else:
        _write(options.file, options.codev_dir)


def _write(file: Path, folder: Path) -> None:
    from runner.console import say
    from runner.suites.completion.codev.export import export, lines_of
    from runner.suites.completion.dataset import read_dataset

    for line in lines_of(export(read_dataset(file), folder)):
        say(line)


def _print(options: CompletionPromptsOptions) -> None:
    import orjson

    from prompts.fim import FAMILIES
    from runner.console import put, say
    from runner.errors import InputError
    from runner.suites.completion.asking import questions_of
    from runner.suites.completion.dataset import read_dataset

    if options.family not in FAMILIES:
        raise InputError(f"--family: {options.family!r} is none of {', '.join(FAMILIES)}; give one of them")
    refused = 0
    for row in questions_of(read_dataset(options.file), FAMILIES[options.family], options.budget):
        refused += row.refused is not None
        put(orjson.dumps(asdict(row)).decode() + "\n")
    if refused:
        say(f"{refused} tasks cannot be asked: the text around them holds a mark of {options.family}")
