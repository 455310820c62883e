"""`evals nextedit`: commits replayed edit by edit, and systems asked what comes next."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, cast

import typer

from runner.cli import options as opt
from runner.cli.nextedit_bundle import bundle
from runner.cli.nextedit_compat import replay_by_originals_rules
from runner.cli.nextedit_modules import LogDir, Network, Timeout, Variables, module_settings, tell_isolation
from runner.cli.nextedit_order import LoopOrder, Lsp, order_helpers
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
from runner.cli.nextedit_trace import Bases, Device, Folder, Generator, Interpreter, Invoker, Locator, trace_settings
from runner.cli.nextedit_variables import with_variables

if TYPE_CHECKING:
    from diff_apply.result import DiffAlgorithm
    from parsers.blocks import Parser
    from runner.run.resolve import Named
    from runner.storage.store import Row, Store
    from runner.suites.nextedit.commits import Refused
    from runner.suites.nextedit.report import Omitted
    from runner.suites.nextedit.runs import Run
    from runner.suites.nextedit.sources import Ready
    from runner.suites.nextedit.steps import CommitReplay
    from runner.suites.nextedit.systems import System

T = TypeVar("T")
_FLOW = "Historian's name for what --order says: false asks for no order."

app = typer.Typer(help="Replay commits edit by edit, and ask systems what comes next.", no_args_is_help=False)
app.command("bundle")(bundle)
app.command("order")(show_order)

Sut = Annotated[
    str, typer.Option(envvar="SUT", help="Systems, parted by commas: rules, oracle, historian:main.py, sim/careful.")
]
Leak = Annotated[
    Literal["none", "files", "message"], typer.Option(help="What the systems may know besides the edits made.")
]
OutputDir = Annotated[
    Path | None, typer.Option(metavar="DIR", envvar="OUTPUT_DIR", help="Write a result file per commit here.")
]
_TRUE = frozenset({"true", "1", "t", "y", "yes"})


@app.callback(invoke_without_command=True)
def nextedit(
    context: typer.Context,
    sut: Sut = "rules",
    cases: Cases = None,
    repo: Repo = None,
    rev: Rev = None,
    testset: Testset = None,
    repos_dir: ReposDir = None,
    clone: Clone = False,
    order: LoopOrder = None,
    lsp: Lsp = None,
    leak: Leak = "message",
    seed: Annotated[int | None, typer.Option(help="The seed of every draw. [default: 0; 42 with --compat]")] = None,
    compat: Annotated[Literal["historian"] | None, typer.Option(help="Replay and score as the original does.")] = None,
    output_dir: OutputDir = None,
    jobs: Annotated[int, typer.Option(min=1, help="Replays at once.")] = 4,
    min_edits: MinEdits = 2,
    max_edits: MaxEdits = 60,
    prompt: Annotated[str, typer.Option(help="The system prompt of models, or an .md file.")] = "basic",
    parser: Annotated[str, typer.Option(help="The parser of models' answers.")] = "xml-tools-v2",
    diff_apply: Annotated[str, typer.Option(help="The algorithm that applies models' diffs.")] = "v4",
    valid_attempts_per_step: Annotated[int, typer.Option(min=1, help="Valid answers of a model to each step.")] = 1,
    temperature: opt.Temperature = 0.0,
    max_tokens: opt.MaxTokens = 8192,
    thinking_budget: opt.ThinkingBudget = 0,
    base_url: opt.BaseUrl = "",
    insecure_http: opt.InsecureHttp = False,
    provider: Annotated[str, typer.Option(help="Read every model's id as this provider's.")] = "",
    budget: Annotated[float | None, typer.Option(min=0, help="The most that models may cost, in USD.")] = None,
    prices: opt.PriceTable = None,
    module_network: Network = False,
    module_env: Variables = None,
    module_timeout: Timeout = 180.0,
    log_dir: LogDir = None,
    trace_models: Folder = None,
    invoker_model_path: Invoker = None,
    locator_model_path: Locator = None,
    generator_model_path: Generator = None,
    trace_bases: Bases = None,
    trace_python: Interpreter = None,
    device: Device = "cpu",
    run_id: opt.RunId = "",
    resume: opt.Resume = "",
    db: opt.Db = opt.DEFAULT_DB,
    yes: opt.Yes = False,
    flow_analysis: Annotated[str, typer.Option(envvar="FLOW_ANALYSIS", hidden=True, help=_FLOW)] = "",
    json: opt.Json = False,
) -> None:
    """Replay commits edit by edit, and ask systems what comes next."""
    options: dict[str, Any] = dict(locals())
    if context.invoked_subcommand is None:
        raise typer.Exit(_run(with_variables(context, options)))


def _run(given: "dict[str, Any]") -> int:
    """Replay what the options say, and show it; the exit code."""
    from runner.cli.folders import make_folder
    from runner.suites.nextedit.commits import Limits
    from runner.suites.nextedit.ordering import check_order
    from runner.suites.nextedit.report import omitted_of

    order = given["order"]
    check_order(order or "graph")
    names = _names(given["sut"])
    systems = _systems(names, given)
    where = Where(*(given[name] for name in ("cases", "repo", "rev", "testset", "repos_dir", "clone")))
    ready, refused = parted(found_commits(where, Limits(given["min_edits"], given["max_edits"])))
    if given["output_dir"] is not None:
        make_folder("--output-dir", given["output_dir"])
    if given["compat"] is not None:
        _tell_unused(given)
        replay_by_originals_rules(ready, systems, refused, given)
        return 0
    flow = given["flow_analysis"].lower()
    given |= {"order": order or ("graph" if not flow or flow in _TRUE else "none"), "seed": given["seed"] or 0}
    run, done = _replay(ready, names, systems, given)
    _write(done, given["output_dir"])
    title = "next edit: order {order}, seed {seed}, leak {leak}".format(**given)
    told = _Told(run.run_id, title, refused, run.simulated, omitted_of(each.commit for each in ready))
    _show(done, told, as_json=given["json"])
    return run.exit_code or _told_failures(run.replays)


def _tell_unused(given: "dict[str, Any]") -> None:
    """Say which options the original's rules leave no room for."""
    from runner.console import say

    unused = [f"--order {given['order']}"] if given["order"] else []
    unused += [f"--leak {given['leak']}"] if given["leak"] != "message" else []
    if unused:
        say(
            f"{' and '.join(unused)}: without effect; --compat historian orders edits and tells systems as the original"
        )


@dataclass(frozen=True, slots=True)
class _Done:
    """A commit replayed by a system."""

    system: str
    project: str
    replay: "CommitReplay"


@dataclass(frozen=True, slots=True)
class _Told:
    """What is said besides the figures: of which run they are, who is simulated, what was not replayed.

    `omitted` are the files of replayed commits that were left out, with their reasons, by case id.
    """

    run_id: str
    title: str
    refused: "Sequence[Refused]" = ()
    simulated: frozenset[str] = frozenset()
    omitted: "Omitted" = field(default_factory=dict)


def _names(sut: str) -> list[str]:
    """The names of systems, each once."""
    from runner.errors import InputError
    from runner.suites.nextedit.systems import own_name

    names = list(dict.fromkeys(own_name(name.strip()) for name in sut.split(",") if name.strip()))
    if not names:
        raise InputError("--sut: name a system")
    return names


def _systems(names: Sequence[str], given: "dict[str, Any]") -> "dict[str, System]":
    """The systems without a model among names: all others have a slash, or a provider is named for them."""
    from runner.errors import InputError
    from runner.suites.nextedit.systems import TRACE, is_module, is_system, system_named, trace_system

    own = [name for name in names if is_system(name) or not ("/" in name or given["provider"])]
    if given["compat"] is not None and len(own) < len(names):
        model = next(name for name in names if name not in own)
        raise InputError(f"--compat historian: {model} is a model; name rules, oracle, ... or historian:main.py")
    foreign = TRACE in own or any(map(is_module, own))
    modules = module_settings(given, wanted=foreign)
    systems = {
        name: trace_system(trace_settings(given, modules)) if name == TRACE else system_named(name, modules)
        for name in own
    }
    if foreign:
        tell_isolation(modules)
    return systems


def _replay(
    ready: "Sequence[Ready]", names: Sequence[str], systems: "Mapping[str, System]", given: "dict[str, Any]"
) -> "tuple[Run, list[_Done]]":
    """The commits replayed by every system, in the order of their names, and the run that they are."""
    from runner.suites.nextedit.commit_replay import Plan, remembered
    from runner.suites.nextedit.editor import Leak
    from runner.suites.nextedit.entries import contestants_of
    from runner.suites.nextedit.models import ModelOptions, models_named
    from runner.suites.nextedit.ordering import ordering
    from runner.suites.nextedit.runs import RunOptions, run_systems

    made = ordering(ready, given["order"], *order_helpers(given["order"], given), given["jobs"])
    if made.exit_code:
        raise typer.Exit(made.exit_code)
    plan = Plan(remembered(made.order), given["seed"], Leak(given["leak"]))
    asked = _options(ModelOptions, given, valid_attempts="valid_attempts_per_step")
    found = [
        *contestants_of(systems, ready, plan, time.monotonic_ns),
        *models_named([name for name in names if name not in systems], plan, asked),
    ]
    found.sort(key=lambda each: names.index(each.sut.name) if each.sut.name in names else len(names))
    left = None if given["budget"] is None else max(0.0, given["budget"] - made.cost_usd)
    options = _options(
        RunOptions,
        {**given, "order": made.name, "edges": made.edges, "budget": left, "models": asked},
        slots="jobs",
        budget_usd="budget",
        quiet="json",
    )
    run = run_systems([each.commit for each in ready], found, plan, options)
    projects = {each.commit.case_id: each.commit.origin.project for each in ready}
    done = [
        _Done(name, projects[replay.case_id], replay) for name, replays in run.replays.items() for replay in replays
    ]
    return run, done


def _options(kind: type[T], given: "dict[str, Any]", **renamed: str) -> T:
    """Options as one value, each field from the option of its name, or of the one it is renamed to."""
    from dataclasses import fields

    values = {field.name: renamed.get(field.name, field.name) for field in fields(cast("Any", kind))}
    return kind(**{field: given[name] for field, name in values.items()})


def _told_failures(replays: "Mapping[str, Sequence[CommitReplay]]") -> int:
    """Tell which systems failed at every question; the exit code for that, 0 if there are none."""
    from runner.console import say
    from runner.suites.nextedit.summary import failure

    failures = {name: trouble for name, those in replays.items() if (trouble := failure(those)) is not None}
    for name, trouble in failures.items():
        # The last line of a traceback is what happened.
        say(f"{name} failed at every question: {trouble.reason}: {trouble.message.splitlines()[-1]}")
    return int(bool(failures))


def _write(done: Sequence[_Done], folder: Path | None) -> None:
    from runner.suites.nextedit.results import write_replay

    for each in done:
        if folder is not None:
            write_replay(each.replay, each.system, each.project, folder)


def _show(done: Sequence[_Done], told: _Told, *, as_json: bool) -> None:
    from dataclasses import replace

    from runner.console import put_json, show
    from runner.suites.nextedit.report import document, omitted_notes, systems_json

    by_system: dict[str, list[CommitReplay]] = {}
    for each in done:
        by_system.setdefault(each.system, []).append(each.replay)
    if as_json:
        left = [{"sha": each.sha, "reason": str(each.reason), "detail": each.detail} for each in told.refused]
        systems = systems_json(by_system, told.simulated)
        put_json({"run_id": told.run_id, "systems": systems, "not_replayed": left, "omitted": told.omitted})
    else:
        shown = document(by_system, told.refused, told.title, told.simulated)
        show(replace(shown, notes=(*shown.notes, *omitted_notes(told.omitted))))


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

    from runner.suites.nextedit.replay import reread

    found = asyncio.run(reread(store, run, parser, algorithms))
    done = [_Done(name, "", replay) for name, replays in found.items() for replay in replays]
    rows = store.rows("SELECT DISTINCT sut FROM variants WHERE run_id = ? AND simulated", run["run_id"])
    title = f"next edit: run {run['run_id']} read again"
    suts = {row["sut"] for row in rows}
    # With several algorithms the name of one stands behind the system's.
    simulated = frozenset(name for name in found if name in suts or name.rpartition(" ")[0] in suts)
    told = _Told(run["run_id"], title, simulated=simulated)
    _show(done, told, as_json=as_json)
