"""What each diff algorithm makes of one answer: what is on record, and what the present ones would make of it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from diff_apply import DIFF_ALGORITHMS
from diff_apply.result import DiffError
from runner.json_texts import stored_json
from runner.pages.outcomes import CLASSES, INFRASTRUCTURE, ClassMark
from runner.run.complexity import TooComplexError, check_diff, check_repairs, check_result
from runner.storage.store import Row, Store
from runner.view.filters import address

# The main versions; others repeat one of them with other markers.
MAIN = ("v4", "v3", "v2", "v1")
_SCORINGS = """
SELECT s.scoring_id, s.run_id, s.parser, s.diff_algorithm, s.outcome, s.blocks, c.class
FROM scorings s JOIN classes c USING (scoring_id) WHERE s.answer_id = ?
ORDER BY s.run_id != ?, s.diff_algorithm DESC, s.scoring_id"""


@dataclass(frozen=True, slots=True)
class AlgorithmCard:
    """One algorithm: how the answer ended under it, and what it did; `link` is "" where nothing is on record."""

    name: str
    kind: str
    mark: ClassMark
    outcome: str
    detail: str
    link: str
    current: bool


def algorithm_cards(
    store: Store, current: Row, file: tuple[str, Sequence[str]] | None, diff: str
) -> list[AlgorithmCard]:
    """Return the scorings of an answer, in all runs, and what the main algorithms give that did not score it.

    `current` is the scoring that is shown; `file` the file before and the expected ones, None where it is unknown.
    """
    cards = []
    for row in store.rows(_SCORINGS, current["answer_id"], current["run_id"]):
        name = row["diff_algorithm"] or row["parser"] or "scoring"
        elsewhere = f" in {row['run_id']}" if row["run_id"] != current["run_id"] else ""
        cards.append(
            AlgorithmCard(
                f"{name}{elsewhere}",
                row["class"],
                CLASSES.get(row["class"], INFRASTRUCTURE),
                row["outcome"],
                "; ".join(_did(stored_json(row["blocks"]) if row["blocks"] else None)),
                address(("run", row["run_id"], "attempt", str(row["scoring_id"]))),
                row["scoring_id"] == current["scoring_id"],
            )
        )
    if file and diff:
        present = {card.name.partition(" ")[0] for card in cards}
        cards += [_applied(name, file[0], file[1], diff) for name in MAIN if name not in present]
    return cards


def _did(blocks: object) -> Iterator[str]:
    """Yield what became of each block."""
    if isinstance(blocks, list):
        numbered = sorted(
            ((block.get("block") or at, block) for at, block in enumerate(blocks, 1)),
            key=lambda numbered_block: numbered_block[0],
        )
        for number, block in numbered[:6]:
            yield f"block {number}: {block['method']}, line {block['line']}"
        if len(blocks) > 6:
            yield f"{len(blocks) - 6} more"
    elif isinstance(blocks, dict):
        yield f"block {blocks.get('block')}: {blocks.get('reason')}"


def _applied(name: str, original: str, expected: Sequence[str], diff: str) -> AlgorithmCard:
    """Apply a diff by an algorithm of the present program; nothing of it is kept."""
    kind, outcome, detail = _result(name, original, expected, diff)
    return AlgorithmCard(
        f"{name}, computed now", kind, CLASSES.get(kind, INFRASTRUCTURE), outcome, detail, "", current=False
    )


def _result(name: str, original: str, expected: Sequence[str], diff: str) -> tuple[str, str, str]:
    algorithm = DIFF_ALGORITHMS[name]
    try:
        check_diff(original, diff)
        check_repairs(algorithm, diff)
        applied = algorithm(original, diff)
        check_result(original, applied.text)
    except TooComplexError as error:
        return "failed", "too_complex", str(error)
    except DiffError as error:
        return "failed", str(error.reason), f"block {error.block}" if error.block else ""
    blocks: list[dict[str, Any]] = [
        {"block": block.block, "method": block.method, "line": original.count("\n", 0, block.start) + 1}
        for block in applied.blocks
    ]
    did = "; ".join(_did(blocks))
    if expected:
        return ("right" if applied.text in expected else "wrong"), "applied", did
    return ("failed", "applied_nothing", did) if applied.text == original else ("applied ?", "applied", did)
