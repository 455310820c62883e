"""Compares the figures that a bundle claims with those of its rows."""

from typing import Any

from runner.bundles.computing import BundledRun
from runner.bundles.findings import BundleDifference, Verification
from runner.bundles.lines import json_data
from runner.bundles.same_values import differences


def check_report(run: BundledRun, claimed: dict[str, Any] | None, result: Verification) -> None:
    """Compare the figures that the bundle claims with those of its rows."""
    if claimed is None:
        result.left.append(f"the report of {run.run_id}: the bundle holds none, as it is redacted")
        return
    computed: dict[str, Any] = json_data(run.suite.report(run.store, run.row, None).data)
    known = {name: value for name, value in computed.items() if name in claimed or run.row["version"] == _version()}
    differing = list(differences(claimed, known))
    for path, recorded, value in differing:
        result.differs("figures", BundleDifference(f"report of {run.run_id}", path, recorded, value))
    result.same["figures"] += _count(claimed) - len(differing)


def _count(value: object) -> int:
    """Return how many figures JSON data holds."""
    if isinstance(value, dict | list):
        return sum(map(_count, value.values() if isinstance(value, dict) else value))
    return int(isinstance(value, int | float) and not isinstance(value, bool))


def _version() -> str:
    from importlib.metadata import version

    return version("evals")
