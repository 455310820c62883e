"""Counts the causes of failed answers by variant, and what each leniency would gain and break."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from diff_apply.tools.refusal import Cause as ToolCause
from runner.diagnosis.attempts import Attempt
from runner.diagnosis.causes import Relaxation, Unforgivable
from runner.diagnosis.failure import Cause

Asked = tuple[str, str]
"""A model and a prompt."""


@dataclass(slots=True)
class CauseCount:
    """The failed answers of one cause: by model and prompt, the blocks that failed, and the results once forgiven."""

    answers: Counter[Asked] = field(default_factory=Counter)
    blocks: int = 0
    right: int = 0
    wrong: int = 0
    unknown: int = 0

    def add(self, attempt: Attempt) -> None:
        """Count a failed answer."""
        assert attempt.diagnosis is not None
        self.answers[attempt.model, attempt.prompt] += 1
        self.blocks += len(attempt.diagnosis.blocks)
        if is_forgivable(attempt.diagnosis.cause):
            self.right += attempt.diagnosis.right is True
            self.wrong += attempt.diagnosis.right is False
            self.unknown += attempt.diagnosis.right is None


@dataclass(slots=True)
class AlgorithmCounts:
    """What became of the answers under one algorithm: all, the valid and the failed ones by model and prompt."""

    algorithm: str
    parser: str
    answers: Counter[Asked] = field(default_factory=Counter)
    valid: Counter[Asked] = field(default_factory=Counter)
    failed: Counter[Asked] = field(default_factory=Counter)
    causes: dict[Cause, CauseCount] = field(default_factory=dict)

    def in_order(self) -> Iterator[tuple[Cause, CauseCount]]:
        """Yield the causes: those that can be forgiven first, in their fixed order."""
        return iter(sorted(self.causes.items(), key=lambda item: _rank(item[0])))


def counted(attempts: Iterable[Attempt]) -> list[AlgorithmCounts]:
    """Return the counts of each algorithm and parser, in the order in which they occur."""
    counts = dict[tuple[str, str], AlgorithmCounts]()
    for attempt in attempts:
        key = attempt.algorithm, attempt.parser
        count = counts.setdefault(key, AlgorithmCounts(*key))
        lane = attempt.model, attempt.prompt
        count.answers[lane] += 1
        count.valid[lane] += attempt.valid
        count.failed[lane] += attempt.diagnosis is not None
        if attempt.diagnosis is not None:
            count.causes.setdefault(attempt.diagnosis.cause, CauseCount()).add(attempt)
    return list(counts.values())


def is_forgivable(cause: Cause) -> bool:
    """Return whether a cause is a set of relaxations."""
    return isinstance(cause, tuple)


def cause_name(cause: Cause) -> str:
    """Return the name of a cause; relaxations that are all necessary are joined by "+"."""
    return " + ".join(cause) if isinstance(cause, tuple) else str(cause).replace("_", " ")


def as_data(counts: Iterable[AlgorithmCounts]) -> list[dict[str, Any]]:
    """Return the counts as JSON values."""
    return [
        {
            "diff_algorithm": count.algorithm,
            "parser": count.parser,
            **_totals(count),
            "by_variant": [
                {"model": model, "prompt": prompt, **_totals(count, (model, prompt))} for model, prompt in count.answers
            ],
            "causes": [_cause_data(cause, row) for cause, row in count.in_order()],
        }
        for count in counts
    ]


def _totals(count: AlgorithmCounts, lane: Asked | None = None) -> dict[str, int]:
    """Return how many answers there are, and how many of them are valid and failed, in all or of one variant."""
    counters = {"answers": count.answers, "valid": count.valid, "failed": count.failed}
    return {name: counter.total() if lane is None else counter[lane] for name, counter in counters.items()}


def failure_data(attempt: Attempt) -> dict[str, Any]:
    """Return a failed answer as JSON values."""
    diagnosis = attempt.diagnosis
    assert diagnosis is not None
    return {
        "answer_id": attempt.answer_id,
        "model": attempt.model,
        "prompt": attempt.prompt,
        "parser": attempt.parser,
        "diff_algorithm": attempt.algorithm,
        "case_id": attempt.case_id,
        "number": attempt.number,
        "outcome": attempt.outcome,
        "valid": attempt.valid,
        "cause": _names(diagnosis.cause),
        "right": diagnosis.right,
        "blocks": [
            {"block": block.block, "cause": _names(block.cause), "line": block.line} for block in diagnosis.blocks
        ],
    }


def _names(cause: Cause) -> list[str]:
    return [str(name) for name in cause] if isinstance(cause, tuple) else [str(cause)]


def _cause_data(cause: Cause, count: CauseCount) -> dict[str, Any]:
    forgivable = is_forgivable(cause)
    return {
        "cause": _names(cause),
        "forgivable": forgivable,
        "answers": count.answers.total(),
        "blocks": count.blocks,
        "right": count.right if forgivable else None,
        "wrong": count.wrong if forgivable else None,
        "unknown": count.unknown if forgivable else None,
        "by_variant": [
            {"model": model, "prompt": prompt, "answers": answers}
            for (model, prompt), answers in sorted(count.answers.items())
        ],
    }


_RANKS: dict[str, int] = {name: rank for rank, name in enumerate([*Relaxation, *ToolCause, *Unforgivable])}


def _rank(cause: Cause) -> tuple[int, int, list[int]]:
    names = _names(cause)
    return int(not is_forgivable(cause)), len(names), [_RANKS[name] for name in names]
