"""Computes every figure of a bundle again with the code at hand, in a database of its own that is thrown away."""

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from runner.bundles.computing import BundledRun, compute_answers, compute_cases, compute_scorings
from runner.bundles.container import Container
from runner.bundles.findings import BundleDifference, Verification
from runner.bundles.form import REPLAY
from runner.bundles.importing import import_bundle, report_on_record
from runner.bundles.lines import json_data
from runner.bundles.same_values import differences
from runner.bundles.scorings import noted
from runner.bundles.variants import check_variants
from runner.errors import InputError
from runner.storage.rows import config_of, to_json
from runner.storage.store import Store

# What a replay needs of the machine that made the run.
_REPOSITORY = "repo"


@dataclass(frozen=True, slots=True)
class VerifyOptions:
    """How a bundle is verified: plug-ins' wires, and whether tests are run, on which repository if not on none."""

    wires: tuple[str, ...] = ()
    run_tests: bool = False
    repository: Path | None = None


def verify_bundle(bundle: Container, options: VerifyOptions) -> Verification:
    """Compare what a bundle says with what follows from its bytes. Raises InputError for rows that are none.

    Where digests differ the rows are compared all the same, as far as they can be read.
    """
    manifest = bundle.manifest
    result = Verification([*manifest.runs.values()], manifest.suite, manifest.evals, [*manifest.redacted])
    bundle.check_digests()
    for fault in bundle.faults:
        result.differs("digests", BundleDifference(*fault.split(": ", 1)))
    result.same["digests"] = 1 + len(manifest.members) - len(bundle.faults)
    with TemporaryDirectory(prefix="evals-verify-") as folder, closing(Store.open(Path(folder, "evals.db"))) as store:
        try:
            imported = import_bundle(store, bundle)
            for part, run in zip(manifest.runs, imported, strict=True):
                _name_repository(store, run.run_id, options)
                bundled = BundledRun.of(store, run.run_id, options.wires, run_tests=options.run_tests)
                with noted(result, "variants"):
                    check_variants(store, bundled.row, result)
                claimed = report_on_record(bundle, part)
                with noted(result, "figures"):
                    _check_report(bundled, claimed, result)
                _compute(bundled, part, result)
        except InputError as error:
            if not bundle.faults:
                raise
            result.left.append(f"the rest: {error}")
    return result


def _name_repository(store: Store, run_id: str, options: VerifyOptions) -> None:
    """Have the tests of a run looked up in a folder of this machine. Raises InputError where one is missing."""
    (row,) = store.rows("SELECT run_id, config FROM runs WHERE run_id = ?", run_id)
    config = config_of(row)
    needed = _REPOSITORY in config["settings"]
    if options.run_tests and needed and options.repository is None:
        raise InputError("--run-tests: the tests are those of a repository, which is not in the bundle; give --repo")
    if options.repository is None:
        return
    if not needed:
        raise InputError(f"--repo: the tests of run {run_id} need no repository; leave it out")
    config["settings"][_REPOSITORY] = str(options.repository.resolve())
    with store.transaction():
        store.update("runs", {"run_id": run_id}, {"config": to_json(config)})


def _compute(run: BundledRun, part: str, result: Verification) -> None:
    """Compute what a part of a bundle holds; a replay has cases and answers in common with the run before it."""
    if part != REPLAY:
        compute_cases(run, result)
        with noted(result, "answers"):
            compute_answers(run, result)
    with noted(result, "scorings"):
        compute_scorings(run, result)


def _check_report(run: BundledRun, claimed: dict[str, Any] | None, result: Verification) -> None:
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
