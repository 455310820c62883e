"""What is recorded of a nextedit run: its identity, settings, variants and commits."""

import hashlib
from collections.abc import Iterator, Sequence

from runner.case_digests import digest_of_cases
from runner.storage.runs import CaseRow, RunPlan
from runner.suites.nextedit.bundles import bundle_text
from runner.suites.nextedit.commits import Commit, Refused
from runner.suites.nextedit.detail import SUITE, NextEditDetail
from runner.suites.nextedit.entries import Entry
from runner.suites.nextedit.measure import MEASURE
from runner.suites.nextedit.ordering import Ordering

_DETAIL = ": "


def run_plan(detail: NextEditDetail, entries: Sequence[Entry], order: Ordering) -> RunPlan:
    """The record of a run of these systems in this order."""
    options = detail.options
    rows = [_case_row(ready.commit) for ready in detail.commits]
    digest = digest_of_cases(rows)
    return RunPlan(
        suite=SUITE,
        identity={
            "suts": list({f"{entry.sut.name} at {entry.sut.endpoint.base_url}": None for entry in entries}),
            "measure": MEASURE,
            "cases": digest,
            "order": order.name,
            "leak": options.leak,
            "context": detail.context.identity,
            "seed": options.seed,
            **(detail.models.identity if detail.models else {}),
        },
        settings={
            "valid_attempts_per_case": 1,
            "valid_attempts_per_step": options.valid_attempts_per_step,
            "slots": options.slots,
            **({"edges": order.edges} if order.edges else {}),
        },
        variants=tuple(variant for entry in entries for variant in entry.variants),
        cases=(*rows, *_refused_rows(detail.refused)),
        cases_digest=digest,
        name=options.name or None,
        note=options.note or None,
    )


def case_digest(content: str) -> str:
    """12 hexadecimal digits of SHA-256 over the JSON text of a commit."""
    return hashlib.sha256(content.encode("utf-8", "replace")).hexdigest()[:12]


def _case_row(commit: Commit) -> CaseRow:
    content = bundle_text(commit)
    return CaseRow(
        commit.case_id,
        case_digest(content),
        path=commit.files[0].path,
        source=commit.origin.url or None,
        content=content,
    )


def _refused_rows(refused: Sequence[Refused]) -> Iterator[CaseRow]:
    """Commits that are not replayed, by their full ids; one that is named twice is refused once."""
    for refusal in {refusal.sha: refusal for refusal in refused}.values():
        reason = f"{refusal.reason}{_DETAIL}{refusal.detail}" if refusal.detail else str(refusal.reason)
        yield CaseRow(refusal.sha, "", skipped=reason)


def refusal_of(sha: str, skipped: str) -> dict[str, str]:
    """A commit that was not replayed, as it is on record, with reason and detail apart."""
    reason, _, detail = skipped.partition(_DETAIL)
    return {"sha": sha, "reason": reason, "detail": detail}
