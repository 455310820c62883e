"""`evals nextedit`: commits replayed edit by edit, and systems asked what comes next."""

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from runner.cli.nextedit_bundle import bundle
from runner.cli.nextedit_order import order as show_order
from runner.cli.nextedit_sources import (
    Cases,
    Clone,
    MaxEdits,
    MinEdits,
    Repo,
    ReposDir,
    Rev,
    Testset,
    Where,
    found_commits,
    parted,
)
from runner.cli.options import DEFAULT_DB, Db, Json

if TYPE_CHECKING:
    from diff_apply.result import DiffAlgorithm
    from parsers.blocks import Parser
    from runner.choices import Named
    from runner.compat.historian import Run as HistorianRun
    from runner.store import Row, Store
    from runner.suites.next_edit.commits import Refused
    from runner.suites.next_edit.replay import Plan
    from runner.suites.next_edit.running import Pair
    from runner.suites.next_edit.sources import Ready
    from runner.suites.next_edit.steps import CommitReplay

_FLOW = "Historian's name for what --order says: false asks for no order."

app = typer.Typer(help="Replay commits edit by edit, and ask systems what comes next.", no_args_is_help=False)
app.command("bundle")(bundle)
app.command("order")(show_order)

_TRUE = frozenset({"true", "1", "t", "y", "yes"})


@app.callback(invoke_without_command=True)
def nextedit(
    context: typer.Context,
    sut: Annotated[
        str,
        typer.Option(envvar="SUT", help="Systems, parted by commas: rules, oracle, historian:main.py, sim/careful."),
    ] = "rules",
    cases: Cases = None,
    repo: Repo = None,
    rev: Rev = None,
    testset: Testset = None,
    repos_dir: ReposDir = None,
    clone: Clone = False,
    order: Annotated[
        Literal["graph", "file", "none"] | None, typer.Option(help="Which edits are allowed next. [default: graph]")
    ] = None,
    leak: Annotated[
        Literal["none", "files", "message"], typer.Option(help="What the systems may know besides the edits made.")
    ] = "message",
    seed: Annotated[int | None, typer.Option(help="The seed of every draw. [default: 0; 42 with --compat]")] = None,
    compat: Annotated[Literal["historian"] | None, typer.Option(help="Replay and score as the original does.")] = None,
    output_dir: Annotated[
        Path | None, typer.Option(metavar="DIR", envvar="OUTPUT_DIR", help="Write a result file per commit here.")
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Replays at once.")] = 4,
    min_edits: MinEdits = 2,
    max_edits: MaxEdits = 60,
    prompt: Annotated[str, typer.Option(help="The system prompt of models, or an .md file.")] = "basic",
    parser: Annotated[str, typer.Option(help="The parser of models' answers.")] = "xml-tools-v2",
    diff_apply: Annotated[str, typer.Option(help="The algorithm that applies models' diffs.")] = "v4",
    valid_attempts_per_step: Annotated[int, typer.Option(min=1, help="Valid answers of a model to each step.")] = 1,
    temperature: Annotated[float, typer.Option(min=0, help="Sampling temperature.")] = 0.0,
    max_tokens: Annotated[int, typer.Option(min=1, help="The longest answer; always sent.")] = 8192,
    thinking_budget: Annotated[int, typer.Option(min=0, help="Tokens to think with.")] = 0,
    base_url: Annotated[str, typer.Option(help="Where an OpenAI-compatible server answers.")] = "",
    provider: Annotated[str, typer.Option(help="Read every model's id as this provider's.")] = "",
    budget: Annotated[float | None, typer.Option(min=0, help="The most that models may cost, in USD.")] = None,
    prices: Annotated[Path | None, typer.Option(help="A price table in place of the snapshot.")] = None,
    run_id: Annotated[str, typer.Option(help="Create this run of models, or go on with it.")] = "",
    resume: Annotated[str, typer.Option(help="Go on with a run of models: its id, or `latest`.")] = "",
    db: Db = DEFAULT_DB,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before a paid run.")] = False,
    flow_analysis: Annotated[str, typer.Option(envvar="FLOW_ANALYSIS", hidden=True, help=_FLOW)] = "",
    json: Json = False,
) -> None:
    """Replay commits edit by edit, and ask systems what comes next."""
    given: dict[str, Any] = dict(locals())
    if context.invoked_subcommand is not None:
        return
    from runner.environment import environment
    from runner.suites.next_edit.commits import Limits
    from runner.suites.next_edit.running import pairs_of
    from runner.suites.next_edit.systems import system_named

    names, models = _parted_names(sut, modelled=provider != "")
    env = environment(Path.cwd(), os.environ)
    systems = {name: system_named(name, env) for name in names}
    ready, refused = parted(
        found_commits(Where(cases, repo, rev, testset, repos_dir, clone), Limits(min_edits, max_edits))
    )
    pairs = pairs_of(ready, systems)
    if compat is not None:
        _as_historian(pairs, models, refused, seed, output_dir, jobs)
        return
    given["order"] = order or ("graph" if not flow_analysis or flow_analysis.lower() in _TRUE else "none")
    given["seed"] = seed or 0
    done = _replay(pairs, given)
    code = _ask_models(ready, models, given, done)
    _write(done, output_dir)
    _show(done, refused, "next edit: order {order}, seed {seed}, leak {leak}".format(**given), as_json=json)
    raise typer.Exit(code)


@dataclass(frozen=True, slots=True)
class _Done:
    """A commit replayed by a system."""

    system: str
    project: str
    replay: "CommitReplay"


def _parted_names(sut: str, *, modelled: bool) -> tuple[list[str], list[str]]:
    """The systems without a model, and the models: ids with a slash, or with a provider whatever is no system."""
    from runner.errors import InputError
    from runner.suites.next_edit.systems import is_system

    names = list(dict.fromkeys(name.strip() for name in sut.split(",") if name.strip()))
    if not names:
        raise InputError("--sut: name a system")
    models = [name for name in names if not is_system(name) and (modelled or "/" in name)]
    return [name for name in names if name not in models], models


def _plan(given: "dict[str, Any]") -> "Plan":
    from runner.suites.next_edit.editor import Leak
    from runner.suites.next_edit.orders import ORDERS
    from runner.suites.next_edit.replay import Plan

    return Plan(ORDERS[given["order"]], given["seed"], Leak(given["leak"]))


def _replay(pairs: "Sequence[Pair]", given: "dict[str, Any]") -> list[_Done]:
    """The commits replayed by systems without a model."""
    import asyncio

    from runner.suites.next_edit.running import replay_pair, run_all

    plan = _plan(given)
    replays = asyncio.run(run_all(pairs, given["jobs"], lambda pair: replay_pair(pair, plan, time.monotonic_ns)))
    return [
        _Done(pair.name, pair.ready.commit.origin.project, replay) for pair, replay in zip(pairs, replays, strict=True)
    ]


def _ask_models(ready: "Sequence[Ready]", models: list[str], given: "dict[str, Any]", done: list[_Done]) -> int:
    """Add the commits replayed by models; the exit code of their run."""
    from dataclasses import fields

    from runner.suites.next_edit.models import ModelOptions, run_models

    if not models:
        return 0
    renamed = {"valid_attempts_per_step": "valid_attempts", "jobs": "slots", "budget": "budget_usd", "json": "quiet"}
    known = {field.name for field in fields(ModelOptions)}
    values = {renamed.get(name, name): value for name, value in given.items()}
    options = ModelOptions(models=models, **{name: value for name, value in values.items() if name in known})
    run = run_models([each.commit for each in ready], _plan(given), options)
    projects = {each.commit.case_id: each.commit.origin.project for each in ready}
    done += [
        _Done(name, projects[replay.case_id], replay) for name, replays in run.replays.items() for replay in replays
    ]
    return run.exit_code


def _write(done: Sequence[_Done], folder: Path | None) -> None:
    from runner.suites.next_edit.results import write_replay

    for each in done:
        if folder is not None:
            write_replay(each.replay, each.system, each.project, folder)


def _show(done: Sequence[_Done], refused: "Sequence[Refused]", title: str, *, as_json: bool) -> None:
    from runner.console import put_json, show
    from runner.report.next_edit import document
    from runner.suites.next_edit.results import figures_json
    from runner.suites.next_edit.summary import summarize, troubles

    by_system: dict[str, list[CommitReplay]] = {}
    for each in done:
        by_system.setdefault(each.system, []).append(each.replay)
    if as_json:
        systems = {
            name: {"commits": len(those), "figures": figures_json(summarize(those)), "troubles": troubles(those)}
            for name, those in by_system.items()
        }
        left = [{"sha": each.sha, "reason": str(each.reason), "detail": each.detail} for each in refused]
        put_json({"systems": systems, "not_replayed": left})
    else:
        show(document(by_system, refused, title))


def _as_historian(
    pairs: "Sequence[Pair]",
    models: Sequence[str],
    refused: "Sequence[Refused]",
    seed: int | None,
    folder: Path | None,
    jobs: int,
) -> None:
    """Replay as the original does; a commit that it refuses, or that ends its run, is told and the others go on."""
    from runner.errors import InputError

    if models:
        raise InputError(f"--compat historian: {models[0]} is a model; name rules, oracle, ... or historian:main.py")
    import asyncio

    from runner.compat.historian import RefusedError, UnfitAnswerError, write_result
    from runner.console import put, say
    from runner.suites.next_edit.historian_mode import DEFAULT_SEED, replay_as_historian, totals_of
    from runner.suites.next_edit.results import file_name
    from runner.suites.next_edit.running import run_all
    from runner.suites.next_edit.systems.historian_module import main_language

    async def one(pair: "Pair") -> None:
        commit = pair.ready.commit
        try:
            replayed = await replay_as_historian(
                pair, main_language(commit), DEFAULT_SEED if seed is None else seed, time.monotonic_ns
            )
        except (RefusedError, UnfitAnswerError) as error:
            say(f"{commit.case_id} of {pair.name}: {error}")
            return
        for trouble in replayed.troubles:
            say(f"{commit.case_id} of {pair.name}: {trouble}")
        runs.setdefault(pair.name, []).append(replayed.run)
        if folder is not None:
            write_result(replayed.run, folder, file_name(pair.name))

    runs: dict[str, list[HistorianRun]] = {}
    asyncio.run(run_all(pairs, jobs, one))
    for each in refused:
        say(f"not replayed: {each.sha[:10]}: {each.reason} {each.detail}".rstrip())
    for name, those in runs.items():
        put(f"{name}: {totals_of(those)}\n")


def show_reread(
    store: "Store",
    run: "Row",
    parser: "Named[Parser]",
    algorithms: "Sequence[Named[DiffAlgorithm]]",
    *,
    as_json: bool,
) -> None:
    """Show a run's answers read again, each on the state in which it was given."""
    import asyncio

    from runner.suites.next_edit.rerun import reread

    found = asyncio.run(reread(store, run, parser, algorithms))
    done = [_Done(name, "", replay) for name, replays in found.items() for replay in replays]
    _show(done, [], f"next edit: run {run['run_id']} read again", as_json=as_json)
