"""Computes every figure of a bundle again with the code at hand, in a database of its own that is thrown away."""

from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from runner.bundles.computing import BundledRun, compute_answers, compute_cases, compute_scorings
from runner.bundles.container import Container
from runner.bundles.figures import check_report
from runner.bundles.findings import BundleDifference, Verification
from runner.bundles.form import REPLAY
from runner.bundles.importing import import_bundle, report_on_record
from runner.bundles.scorings import noted
from runner.bundles.variants import check_variants
from runner.bundles.verify_options import VerifyOptions, prepare
from runner.errors import InputError
from runner.storage.store import Store


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
            prepare(store, [run.run_id for run in imported], options)
            for part, run in zip(manifest.runs, imported, strict=True):
                bundled = BundledRun.of(store, run.run_id, options.scoring)
                with noted(result, "variants"):
                    check_variants(store, bundled.row, result)
                claimed = report_on_record(bundle, part)
                with noted(result, "figures"):
                    check_report(bundled, claimed, result)
                _compute(bundled, part, result)
        except InputError as error:
            if not bundle.faults:
                raise
            result.left.append(f"the rest: {error}")
    return result


def _compute(run: BundledRun, part: str, result: Verification) -> None:
    """Compute what a part of a bundle holds; a replay has cases and answers in common with the run before it."""
    if part != REPLAY:
        compute_cases(run, result)
        with noted(result, "answers"):
            compute_answers(run, result)
    with noted(result, "scorings"):
        compute_scorings(run, result)
