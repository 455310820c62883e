"""The trials of every edit tool: in the text and natively, over each wire, with every fault on the way.

Clocks are checked over all tools together: one alone has too few answers for a percentile.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Final

from runner.calls import CALLS, NATIVE, native_name
from runner.edit_tools import EDIT_TOOLS
from runner.selftest.cases import write_cases
from runner.selftest.checks import Check, checks_of_model, clock_checks, clocks_off_ms, faults_check, requests_check
from runner.selftest.parts import FAULTS, SEED, SERVED_TOOLS, Parts, Scale
from runner.selftest.server import serving
from runner.selftest.trial import evidence_of
from runner.selftest.trial_plan import Trial
from runner.storage.store import Store

_QUOTA = 2
TOOLS: Final = tuple(name for name in EDIT_TOOLS if not name.endswith("+"))


def checks_of_tools(
    parts: Parts, scale: Scale, folder: Path, say: Callable[[str], None], names: Iterable[str] = TOOLS
) -> Iterator[Check]:
    """Yield a check for each tool as it is called: its counts, cost and answers with the models of all wires.

    Leaves cases and a database in the folder.
    """
    cases = folder / "tool-cases"
    write_cases(cases, scale.tool_cases)
    options = ("--cases", str(cases), "--seed", str(SEED), "--fault", FAULTS, "--retry-after-s", "0.005")
    with serving(options) as server, closing(Store.open(folder / "tools.db")) as store:
        trial = Trial(parts, replace(scale, quota=_QUOTA), store, cases, server.url, say)
        off_ms: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)
        for name in names:
            for calls in CALLS:
                before = len(server.log())
                of_tool = replace(trial, edit_tool=name, calls=calls)
                run_id = native_name(name) if calls == NATIVE else name
                evidence = evidence_of(of_tool, run_id, SERVED_TOOLS, lambda before=before: server.log()[before:])  # type: ignore[misc]
                results = [check for model in SERVED_TOOLS for check in checks_of_model(evidence, model)]
                yield _together(run_id, [*results, requests_check(evidence)])
                for model in SERVED_TOOLS:
                    off_ms[model.wire] += clocks_off_ms(evidence, model)
        yield from clock_checks(off_ms, "all tools")
        yield replace(faults_check(server.log()), sut="all tools")


def _together(prompt: str, checks: Iterable[Check]) -> Check:
    """Return several checks as one, with the first that fails."""
    results = tuple(checks)
    wrong = [check for check in results if not check.ok]
    why = f"; {wrong[0].name} of {wrong[0].sut}: {wrong[0].actual} for {wrong[0].expected}" if wrong else ""
    text = f"{len(results) - len(wrong)} hold{why}"
    return Check("counts, costs and answers over each wire", prompt, f"{len(results)} checks", text, not wrong)
