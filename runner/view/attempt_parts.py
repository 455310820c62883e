"""Parts of the page of an attempt: the conversation, and its clocks, tokens and cost by name."""

from dataclasses import dataclass
from typing import Any

from runner.prices import SIMULATED_USD
from runner.report.attempt import with_question
from runner.report.export import Record, scored_record
from runner.report.served_notes import served_line
from runner.report.transcripts import stored_lines
from runner.report.turns import attempt_turns
from runner.storage.store import Row, Store

# Of a longer text the beginning and the end are shown, unless all is asked for.
LONGEST = 200_000
_CLOCKS = {
    "time_to_first_token_ms": "first token",
    "time_to_first_edit_ms": "first edit",
    "time_to_first_line_ms": "first line",
    "call_closed_ms": "call closed",
    "round_trip_ms": "end",
}
_TOKENS = {
    "input": "in",
    "cache_read": "cached",
    "cache_write": "written to the cache",
    "output": "out",
    "reasoning": "reasoning",
}


@dataclass(frozen=True, slots=True)
class ConversationPart:
    """A part of the conversation."""

    role: str
    text: str


def whole_record(store: Store, run: Row, scoring_id: int) -> Record:
    """Return the record of a scoring with the question."""
    return with_question(store, run, scored_record(store, scoring_id))


def transcript_part(store: Store, run: Row, record: Record) -> tuple[str, ...]:
    """Return the transcript of a coding agent's attempt as lines; () for any other attempt."""
    return stored_lines(store, run, record)


def turns_part(store: Store, run: Row, record: Record) -> tuple[tuple[str, str], ...]:
    """Return the further turns of an attempt by name; () where no refused edit was sent back."""
    return tuple(attempt_turns(store, run, record))


def shortened(text: str, *, whole: bool) -> tuple[str, bool]:
    """Return a text, or its two ends, and whether anything is left out."""
    if whole or len(text) <= LONGEST:
        return text, False
    half = LONGEST // 2
    return f"{text[:half]}\n[{len(text) - LONGEST:,} characters are left out]\n{text[-half:]}", True


def conversation(record: Record, *, whole: bool) -> list[ConversationPart]:
    """Return the system prompt and the messages that were sent; of long ones the two ends, unless all is asked for."""
    parts = [("system prompt", record["system_prompt"])] if record["system_prompt"] else []
    parts += [(message["role"], message["text"]) for message in record["messages"]]
    return [ConversationPart(role, shortened(text or "", whole=whole)[0]) for role, text in parts]


def attempt_facts(record: Record) -> list[tuple[str, str]]:
    """Return what is known of an attempt, by name; clocks first."""
    facts = [(name, f"{record[key]:,.0f} ms") for key, name in _CLOCKS.items() if record[key] is not None]
    tokens = [
        f"{record[f'{name}_tokens']:,} {word}" for name, word in _TOKENS.items() if record[f"{name}_tokens"] is not None
    ]
    cost = record["cost_usd"]
    price = SIMULATED_USD if record["simulated"] else None if cost is None else f"${cost:.4f}"
    served = served_line(record) or record["served_model"]
    others: list[tuple[str, Any]] = [
        ("tokens", ", ".join(tokens)),
        ("cost", price),
        ("served", served),
        ("endpoint", record["endpoint"]),
        ("finish", record["finish_reason"]),
        ("parser", record["parser"]),
        ("blocks", record["num_edits"]),
        ("retries", record["retries"] or None),
        ("sent", f"{record['sent_at']} UTC"),
        *((name, f"{value:.3f}") for name, value in (record["scores"] or {}).items()),
    ]
    return facts + [(name, str(value)) for name, value in others if value not in {None, ""}]
