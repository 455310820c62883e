"""Forms vary between versions of the agents: nearly all calls are read whatever is added, left out or repeated."""

import json
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from runner.recordings.finding import form_of
from runner.recordings.vocabulary import CallStatus
from tests.planted_sessions import plan, write

# What no reader may depend on: a session can lack them, and the planted ones have them.
OPTIONAL = {"version", "cwd", "usage", "timestamp", "tokens", "metrics", "modelInfo", "model", "ts", "structuredPatch"}
JSON_LINES = ("claude-code", "codex", "gemini-cli")
AGENTS = (*JSON_LINES, "cline", "cline-cli", "atif")

Vary = Callable[[random.Random, Any], Any]


def with_unknown_fields(draw: random.Random, value: Any) -> Any:  # noqa: ANN401 - JSON
    """Add fields that nobody knows, before and behind the others."""
    if isinstance(value, list):
        return [with_unknown_fields(draw, item) for item in value]
    # The names of some objects are data: paths of files.
    if not isinstance(value, dict) or any("/" in name for name in value):
        return value
    varied = {name: with_unknown_fields(draw, item) for name, item in value.items()}
    return {"newIn3": [None], **varied, "alsoNew": {"deep": [1]}} if draw.random() < 0.3 else varied


def without_optional_fields(draw: random.Random, value: Any) -> Any:  # noqa: ANN401 - JSON
    """Leave out what versions may lack."""
    if isinstance(value, list):
        return [without_optional_fields(draw, item) for item in value]
    if not isinstance(value, dict):
        return value
    kept = {name: item for name, item in value.items() if name not in OPTIONAL or draw.random() < 0.5}
    return {name: without_optional_fields(draw, item) for name, item in kept.items()}


def in_another_order(draw: random.Random, value: Any) -> Any:  # noqa: ANN401 - JSON
    """Write the fields of each object in another order."""
    if isinstance(value, list):
        return [in_another_order(draw, item) for item in value]
    if not isinstance(value, dict):
        return value
    names = draw.sample(list(value), len(value))
    return {name: in_another_order(draw, value[name]) for name in names}


def with_texts_in_parts(draw: random.Random, value: Any) -> Any:  # noqa: ANN401 - JSON
    """Write the texts of results as lists of parts, as every form permits that has parts at all."""
    if isinstance(value, list):
        return [with_texts_in_parts(draw, item) for item in value]
    if not isinstance(value, dict):
        return value
    varied = {name: with_texts_in_parts(draw, item) for name, item in value.items()}
    is_result = value.get("type") == "tool_result" or "source_call_id" in value
    if is_result and isinstance(value.get("content"), str):
        varied["content"] = [{"type": "text", "text": value["content"]}]
    return varied


def in_every_way(draw: random.Random, value: Any) -> Any:  # noqa: ANN401 - JSON
    """Vary a value in all of these ways."""
    for vary in (with_texts_in_parts, without_optional_fields, with_unknown_fields, in_another_order):
        value = vary(draw, value)
    return value


VARIATIONS = (with_unknown_fields, without_optional_fields, in_another_order, with_texts_in_parts, in_every_way)


def varied_file(path: Path, draw: random.Random, vary: Vary) -> None:
    if path.suffix != ".jsonl":
        indent = draw.choice([None, 1])
        path.write_text(json.dumps(vary(draw, json.loads(path.read_text())), indent=indent))
        return
    first, *rows = path.read_text().splitlines()
    lines = [first]
    for row in rows:
        lines.append(json.dumps(vary(draw, json.loads(row)), ensure_ascii=draw.random() < 0.5))
        if draw.random() < 0.2:
            # A type of a later version, a blank line, a line that was written twice, one that was cut.
            lines.append(draw.choice(['{"type":"new-in-3","payload":{"a":1}}', "", lines[-1], '{"type":"user","mess']))
    path.write_text(draw.choice(["\n", "\r\n"]).join([*lines, ""]), newline="")


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("vary", VARIATIONS)
def test_nearly_all_calls_of_varied_sessions_are_read(tmp_path: Path, agent: str, vary: Vary) -> None:
    planted = right = 0
    for seed in range(8):
        edits = plan(agent, 100 + seed, 25)
        path = write(tmp_path / f"{agent}{seed}", agent, edits)
        varied_file(path, random.Random(f"{agent} {seed}"), vary)
        form = form_of(path)
        assert form is not None
        calls = [call for call in form.read(path).calls if call.status is not CallStatus.NO_RESULT]
        expected = Counter((Path(edit.path).name, edit.cause) for edit in edits)
        planted += len(edits)
        right += (expected & Counter((Path(call.paths[0]).name, call.cause) for call in calls if call.paths)).total()
        assert len(calls) <= len(edits)

    assert right >= 0.99 * planted
