"""The trials of every edit tool: in the text and natively, over each wire, with every fault on the way."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

from runner.calls import CALLS, NATIVE, native_name
from runner.edit_tools import EDIT_TOOLS
from runner.selftest.cases import write_cases
from runner.selftest.checks import Check, checks_of_model, clock_checks, clocks_off_ms, faults_check, requests_check
from runner.selftest.parts import FAULTS, SEED, SERVED_TOOLS, Parts, Scale
from runner.selftest.server import serving
from runner.selftest.trial import TrialEvidence, evidence_of
from runner.selftest.trial_plan import Trial
from runner.storage.store import Store
from suts.simulated.journal import JournalEntry

_QUOTA = 2
Log = Callable[[], list[JournalEntry]]
TOOLS: Final = tuple(name for name in EDIT_TOOLS if not name.endswith("+"))


def checks_of_tools(
    parts: Parts, scale: Scale, folder: Path, say: Callable[[str], None], names: Iterable[str] = TOOLS
) -> Iterator[Check]:
    """Yield a check for each tool as it is called: its counts, cost and answers with the models of all wires.

    Leaves cases and a database in the folder.
    """
    with _trial(parts, replace(scale, quota=_QUOTA), folder, say, ("--fault", FAULTS)) as (trial, log):
        for run_id, evidence in _evidence(trial, log, names):
            results = [check for model in SERVED_TOOLS for check in checks_of_model(evidence, model)]
            yield _together(run_id, [*results, requests_check(evidence)])
        yield replace(faults_check(log()), sut="all tools")


def clocks_of_tools(
    parts: Parts, scale: Scale, folder: Path, say: Callable[[str], None], names: Iterable[str] = TOOLS
) -> Iterator[Check]:
    """Yield the checks of the clocks over each wire, of all tools together, as one alone has too few answers.

    One question is asked at a time: the server plans its answers one after another, which would count as the client's
    being late. Leaves cases and a database in the folder.
    """
    off_ms: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)
    with _trial(parts, replace(scale, quota=1, slots=1), folder, say, ()) as (trial, log):
        for _, evidence in _evidence(trial, log, names):
            for model in SERVED_TOOLS:
                off_ms[model.wire] += clocks_off_ms(evidence, model)
    yield from clock_checks(off_ms, "all tools")


@contextmanager
def _trial(
    parts: Parts, scale: Scale, folder: Path, say: Callable[[str], None], faults: Sequence[str]
) -> Iterator[tuple[Trial, Log]]:
    """Serve the cases of tools for the length of a block; yields a trial and what reads the server's log."""
    folder.mkdir(exist_ok=True)
    cases = folder / "tool-cases"
    write_cases(cases, scale.tool_cases)
    options = ("--cases", str(cases), "--seed", str(SEED), "--retry-after-s", "0.005", *faults)
    with serving(options) as server, closing(Store.open(folder / "tools.db")) as store:
        yield Trial(parts, scale, store, cases, server.url, say), server.log


def _evidence(trial: Trial, log: Log, names: Iterable[str]) -> Iterator[tuple[str, TrialEvidence]]:
    """Make a run of each tool as it is called; yields its id and what it left."""
    for name in names:
        for calls in CALLS:
            before = len(log())
            run_id = native_name(name) if calls == NATIVE else name
            of_tool = replace(trial, edit_tool=name, calls=calls)
            yield run_id, evidence_of(of_tool, run_id, SERVED_TOOLS, lambda before=before: log()[before:])  # type: ignore[misc]


def _together(prompt: str, checks: Iterable[Check]) -> Check:
    """Return several checks as one, with the first that fails."""
    results = tuple(checks)
    wrong = [check for check in results if not check.ok]
    why = f"; {wrong[0].name} of {wrong[0].sut}: {wrong[0].actual} for {wrong[0].expected}" if wrong else ""
    text = f"{len(results) - len(wrong)} hold{why}"
    return Check("counts, costs and answers over each wire", prompt, f"{len(results)} checks", text, not wrong)
