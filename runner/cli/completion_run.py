"""`evals completion run`: ask models for completions until every task has its samples, judge and score them."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from runner.cli import options as opt
from runner.cli.planted import show_planted

if TYPE_CHECKING:
    from runner.storage.store import Row, Store

_MODELS = "Models to ask, parted by commas, such as openai/gpt-x or sim/careful (also: --model-ids)."
_PROMPTS = "Ways of asking, parted by commas: basic, an .md file, fim/FAMILY such as fim/qwen2.5-coder, fim/suffix."
_CHAINS = "Parse chains, each scored on its own: raw, repaired, trimmed, block, whole, codev (also: --parser)."
_SCENES = "Scenes, parted by commas: 1.1, 1.2, 1.3, 2.1, 2.2, 3, 4; `all` for every one."
_REPO = "The repository's root; the folder beside FILE that has its name if not given."
_CONTEXT = "At most so many tokens a question: text is left out at the far ends [default: 16000]."
_LIMIT = "So many tasks at most, taken by turns from each scene and type of block."


def run(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A data set.")],
    sut: Annotated[str, typer.Option("--sut", "--model-ids", help=_MODELS)] = "",
    repo: Annotated[Path | None, typer.Option("--repo", help=_REPO)] = None,
    python: Annotated[str, typer.Option(help="The interpreter that has pytest and what the tests need.")] = "",
    prompts: Annotated[str, typer.Option(help=_PROMPTS)] = "basic",
    chains: Annotated[str, typer.Option("--chains", "--parser", help=_CHAINS)] = "raw,repaired",
    samples: Annotated[
        int, typer.Option("--samples", "--valid-attempts-per-case", "-n", min=1, help="Answers to each task.")
    ] = 1,
    scenes: Annotated[str, typer.Option(help=_SCENES)] = "all",
    limit: Annotated[int | None, typer.Option("--limit", "--max-cases", min=1, help=_LIMIT)] = None,
    max_context: Annotated[int | None, typer.Option(min=1, help=_CONTEXT)] = None,
    parallel: opt.Parallel = False,
    max_concurrency: opt.FewCalls = None,
    workers: opt.Workers = 2,
    weak_sandbox: opt.WeakSandbox = False,
    provider: opt.Provider = "",
    base_url: opt.BaseUrl = "",
    insecure_http: opt.InsecureHttp = False,
    temperature: opt.Temperature = 0.0,
    max_tokens: opt.MaxTokens = 2048,
    thinking_budget: opt.ThinkingBudget = 0,
    seed: opt.Seed = 0,
    run_id: opt.RunId = "",
    resume: opt.Resume = "",
    name: opt.Name = "",
    note: opt.Note = "",
    first_byte_timeout: opt.FirstByteTimeout = 120.0,
    idle_timeout: opt.IdleTimeout = 60.0,
    total_timeout: opt.TotalTimeout = 900.0,
    budget: opt.Budget = None,
    prices: opt.PriceTable = None,
    rpm: opt.Rpm = None,
    tpm: opt.Tpm = None,
    db: opt.Db = opt.DEFAULT_DB,
    dry_run: opt.DryRun = False,
    yes: opt.Yes = False,
    json: opt.Json = False,
    verbose: opt.Verbose = False,
) -> None:
    """Ask models for completions, put each answer into its hole, and judge it by the tests that execute the hole."""
    given: dict[str, Any] = dict(locals())
    from runner.cli.completion import judge_of, scenes_of
    from runner.execution.isolation import Weak
    from runner.suites.completion.options import CompletionOptions
    from runner.suites.completion.running import run_completion

    given["scenes"] = None if scenes == "all" else scenes_of(scenes)
    options = opt.asked_for(CompletionOptions, given, quota="samples", suts="sut")
    hidden = (options.file, *database_files(options.db))
    weak = Weak(weak_sandbox, yes)
    done = run_completion(options, lambda root, known: judge_of(root, interpreter_of(python), known, weak, hidden))
    if done.run_id:
        show_planted(db, done.run_id, done.planted, as_json=json)
    raise typer.Exit(done.exit_code)


def interpreter_of(told: str) -> str:
    """The path of an interpreter that was told by a path from here or by name; ours where none was.

    Links stay: an environment's interpreter is one.
    """
    import shutil

    wanted = told or sys.executable
    found = shutil.which(wanted, path=os.environ.get("PATH", os.defpath))
    return wanted if found is None else str(Path(found).absolute())


def database_files(db: Path) -> tuple[Path, ...]:
    """A database, and the files beside it that it has while it is written."""
    return tuple(db.with_name(db.name + end) for end in ("", "-wal", "-shm"))


def hidden_of(store: "Store", source: "Row") -> tuple[Path, ...]:
    """Where the truths of a run are, which answers may not read: its data set, if that is there, and the database."""
    from runner.storage.rows import config_of

    told = str(config_of(source)["settings"].get("cases", ""))
    return (*([Path(told).resolve()] if told not in {"", "-"} else []), *database_files(store.path.resolve()))


def replay_completion(store: "Store", source: "Row", chains: str, *, as_json: bool) -> None:
    """Take a run's answers by other chains, and show the new run; raw and repaired where none are named."""
    from runner.cli.completion import judge_of
    from runner.console import put_json, say, show
    from runner.execution.isolation import NOT_WEAK
    from runner.run.resolve import split_names
    from runner.storage.runs import find_run, new_run_id, utc_now
    from runner.suites.completion.chains import choose_chains
    from runner.suites.completion.replay import reread
    from runner.suites.of_run import report_of

    chosen = choose_chains(split_names(chains or "raw,repaired", "--parser"), "--parser")
    new_id = new_run_id()
    hidden = hidden_of(store, source)
    done = reread(
        store, source, chosen, lambda root, known: judge_of(root, interpreter_of(""), known, NOT_WEAK, hidden),
        new_id, utc_now(),
    )  # fmt: skip
    report = report_of(store, find_run(store, new_id))
    if as_json:
        put_json({"run_id": new_id, "answers": done.answers, "judged": done.judged, "summary": report.data})
        return
    say(
        f"run {new_id}: {done.answers} stored answers of {source['run_id']} scored again, 0 calls, "
        f"{done.judged} fillings judged that never were"
    )
    show(report.document)
