"""The foot of a page: how the figures were made, of what, by which versions, and what was left out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from runner.report.summary import RunSummary
from runner.report.tables import SHORT_STATES, listed, too_long_notes
from runner.storage.rows import config_of, to_json
from runner.storage.runs import variant_key, variant_rows
from runner.storage.store import Row, Store

_MOST_CASES = 50


@dataclass(frozen=True, slots=True)
class VariantFacts:
    """What a variant is, with the digests of its parts."""

    model: str
    prompt: str
    parser: str
    diff: str
    endpoint: str
    served: str
    signature: str


@dataclass(frozen=True, slots=True)
class Method:
    """The facts of a run as pairs, its variants, its identity as JSON, what was left out, and the command."""

    facts: tuple[tuple[str, str], ...]
    variants: tuple[VariantFacts, ...]
    identity: str
    left_out: tuple[str, ...]
    notes: tuple[str, ...]
    command: str


def method_of(store: Store, run: Row, summary: RunSummary, notes: Sequence[str]) -> Method:
    """Return the foot of a run's page; `notes` are those of its report."""
    config = config_of(run)
    served = {variant.key: variant.served_models for variant in summary.variants}
    variants = tuple(
        VariantFacts(
            row["sut"],
            _with_digest(row["prompt"], row["prompt_digest"]),
            _with_digest(row["parser"], row["parser_digest"]),
            _with_digest(row["diff_algorithm"], row["algorithm_digest"]),
            row["endpoint"],
            ", ".join(f"{name} {count}" for name, count in served[variant_key(row)].items()),
            row["signature"],
        )
        for row in variant_rows(store, run["run_id"])
    )
    return Method(
        facts=_facts(run, summary, config),
        variants=variants,
        identity=to_json(config),
        left_out=tuple(_left_out(summary)),
        notes=tuple(notes),
        command=f"evals report {run['run_id']} --html report.html",
    )


def _facts(run: Row, summary: RunSummary, config: dict[str, dict[str, Any]]) -> tuple[tuple[str, str], ...]:
    from importlib.metadata import version

    identity, settings = config["identity"], config["settings"]
    facts = {
        "run": run["run_id"],
        "name": run["name"],
        "note": run["note"],
        "suite": run["suite"],
        "state": run["state"],
        "begun (UTC)": run["created_at"],
        "ended (UTC)": run["finished_at"],
        "replay of": run["replay_of"],
        "made by evals": run["version"],
        "shown by evals": version("evals"),
        "digest of the cases": identity.get("cases"),
        "seed": identity.get("seed", settings.get("seed")),
        "valid attempts wanted at each question": summary.quota,
    }
    return tuple((name, str(value)) for name, value in facts.items() if value not in {None, ""})


def _with_digest(name: str, digest: str) -> str:
    return f"{name}@{digest}" if name and digest else name


def _left_out(summary: RunSummary) -> list[str]:
    lines = [
        f"infrastructure: {sut}: " + ", ".join(f"{count} {outcome}" for outcome, count in outcomes.items())
        for sut, outcomes in summary.infrastructure.items()
    ]
    crashed = sum(variant.crashed for variant in summary.variants)
    lines += [f"{crashed} scorings crashed or reported nothing"] if crashed else []
    for state, ended in SHORT_STATES.items():
        names = [f"{lane.case_id} ({lane.sut}, {lane.prompt})" for lane in summary.short_lanes if lane.state == state]
        lines += [f"{ended} before the quota: {listed(names, _MOST_CASES)}"] if names else []
    lines += too_long_notes(summary)
    skipped = list(summary.skipped_cases.items())
    lines += [f"case {case_id} skipped: {reason}" for case_id, reason in skipped[:_MOST_CASES]]
    return [*lines, f"{len(skipped) - _MOST_CASES} more cases skipped"] if len(skipped) > _MOST_CASES else lines
