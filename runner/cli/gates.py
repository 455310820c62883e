"""The gates of `evals report`: limits that a run must keep, and where CI reads how it did."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

if TYPE_CHECKING:
    from runner.report.gates import GateResult
    from runner.report.run_report import Report
    from runner.storage.store import Row, Store

Judged = Sequence[tuple["Row", "Report"]]


@dataclass(frozen=True, slots=True, kw_only=True)
class GateOptions:
    """The options of gates."""

    fail_under: Annotated[
        list[str] | None,
        Option(
            "--fail-under",
            metavar="FIGURE=LIMIT",
            help="Exit with 1 if a variant's point is below it, such as right=90%; may be repeated.",
        ),
    ] = None
    max_regression: Annotated[
        list[str] | None,
        Option(
            "--max-regression",
            metavar="FIGURE=LIMIT",
            help="Exit with 1 if a variant is worse than in the baseline by more, such as right=3pp; may be repeated.",
        ),
    ] = None
    baseline: Annotated[
        str, Option("--baseline", metavar="RUN", help="The run that --max-regression compares with.")
    ] = ""
    strict: Annotated[bool, Option("--strict", help="Inconclusive gates fail, too.")] = False
    junit: Annotated[Path | None, Option("--junit", metavar="FILE", help="Write what the gates say as JUnit XML.")] = (
        None
    )
    github: Annotated[
        bool, Option("--github", help="Add to the summary of a step of GitHub Actions, and print annotations.")
    ] = False

    @property
    def present(self) -> bool:
        """Whether there is a gate."""
        return bool(self.fail_under or self.max_regression)

    def check(self) -> None:
        """Raise InputError for options that do not fit together."""
        from runner.errors import InputError

        if self.max_regression and not self.baseline:
            raise InputError("--max-regression: compares with a run; name it with --baseline")
        if self.baseline and not self.max_regression:
            raise InputError("--baseline: is for --max-regression; give a limit such as --max-regression right=3pp")
        for name, value in (("--strict", self.strict), ("--junit", self.junit), ("--github", self.github)):
            if value and not self.present:
                raise InputError(f"{name}: there is no gate; give --fail-under or --max-regression")


def judged(store: "Store", reports: Judged, options: GateOptions) -> "list[GateResult]":
    """Return what the gates say of the runs.

    Raises InputError for a limit that cannot be read or judged, and for a baseline that is no run of the same kind.
    """
    from runner.report.gates import fail_under, judge_points, judge_regressions, judge_state, max_regression
    from runner.storage.runs import find_run, refuse_incomparable
    from runner.suites import suite_named

    points = [fail_under(text) for text in options.fail_under or ()]
    regressions = [max_regression(text) for text in options.max_regression or ()]
    baseline = find_run(store, options.baseline) if regressions else None
    results: list[GateResult] = []
    for run, report in reports:
        results += judge_state(report.summary)
        results += judge_points(report.summary, points)
        if baseline is not None:
            refuse_incomparable([baseline, run])
            cluster = suite_named(run["suite"]).cluster(run)
            results += judge_regressions(store, run, baseline, regressions, cluster)
    return results


def publish(results: "Sequence[GateResult]", title: str, options: GateOptions) -> bool:
    """Print and write what the gates say; returns whether one is missed."""
    from runner.console import put, say
    from runner.report.gate_files import annotations, append_summary, gate_line, is_missed, write_junit

    if options.junit:
        write_junit(results, options.junit, strict=options.strict)
    if options.github:
        summary = os.environ.get("GITHUB_STEP_SUMMARY", "")
        if summary:
            append_summary(results, title, Path(summary))
        put("".join(f"{line}\n" for line in annotations(results, strict=options.strict)))
    for result in results:
        say(gate_line(result))
    return is_missed(results, strict=options.strict)
