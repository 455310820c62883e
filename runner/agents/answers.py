"""What the answer of an agent says beside the difference of its folder: its figures, and the limit that ended it."""

from collections.abc import Mapping
from typing import Any

from runner.agents.limits import ENDINGS
from runner.json_texts import parse_json
from runner.records import Outcome


def figures_in(answer: str) -> Mapping[str, Any]:
    """Return the figures of an attempt; none of a text that has none."""
    try:
        figures = parse_json(answer).get("figures", {})
    except (ValueError, AttributeError):
        return {}
    return figures if isinstance(figures, dict) else {}


def ended_by_limit(answer: str) -> Outcome | None:
    """Return the outcome of an attempt that a limit ended; None for one that ended by itself."""
    return ENDINGS.get(str(figures_in(answer).get("ended_by")))
