"""Checks what a run says of its variants: signatures, simulated models, and the digests of the code at hand."""

from collections.abc import Callable

from runner.bundles.findings import BundleDifference, Verification
from runner.digests import algorithm_digest, parser_digest, same_behaviour
from runner.run.variants import variants_on_record
from runner.storage.rows import config_of
from runner.storage.runs import signature_of, variant_key, variant_rows
from runner.storage.store import Row, Store
from runner.variant import Variant

_SIMULATED = "sim/"


def check_variants(store: Store, run: Row, result: Verification) -> None:
    """Compare signatures with their parts; note parsers and algorithms that are others in this version."""
    identity = config_of(run)["identity"]
    cases = str(identity["cases"])
    for variant, row in zip(variants_on_record(store, run["run_id"]), variant_rows(store, run["run_id"]), strict=True):
        where = f"variant {', '.join(filter(None, variant_key(row)))}"
        signature = signature_of(variant, run["suite"], identity, cases, run["version"])
        if signature != row["signature"]:
            result.differs("variants", BundleDifference(where, "signature", row["signature"], signature))
        elif variant.sut.startswith(_SIMULATED) and not variant.simulated:
            result.differs("variants", BundleDifference(where, "simulated", "no", "yes"))
        else:
            result.same["variants"] += 1
        _note_digests(variant, result)


def _note_digests(variant: Variant, result: Verification) -> None:
    """Note a parser or an algorithm whose code is not that of the run: what differs may differ for that reason."""
    parts = (
        (variant.parser, variant.parser_digest, parser_digest),
        (variant.diff_algorithm, variant.algorithm_digest, algorithm_digest),
    )
    for name, digest, digest_of in parts:
        present = _present(name, digest_of)
        if digest and present and not same_behaviour(f"{name}@{digest}", f"{name}@{present}"):
            line = f"{name} was {digest} and is {present} here, so that results may differ"
            result.notes += [] if line in result.notes else [line]


def _present(name: str, digest_of: Callable[[str], str]) -> str:
    """Return the digest of a registered part; "" for what is not registered, such as a parse chain."""
    try:
        return digest_of(name)
    except KeyError:
        return ""
