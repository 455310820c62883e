"""Streams of attempts of coding agents, as a run stores them, of which every turn is known."""

import json
from collections.abc import Sequence

import zstandard

from runner.records import Outcome
from runner.storage.store import Store, Value
from runner.storage.streams import CODEC, pack
from suts.simulated.agent_tools import agent_turn
from suts.simulated.answer import AnswerRequest, answer
from suts.simulated.spec import parse_spec
from suts.sut import Received, Truth
from tests.agents.player import TOOLS, schema
from tests.runner.made_runs import Made, make_run, plan

BEFORE = "one\ntwo\nthree\nfour\nfive\n"
TRUTH = Truth("one", number=1, path="a.py", blocks=(("two\n", "2\n"),), before=BEFORE)
MODEL = "sim/any?wire=anthropic&fumbles=1&rereads=1&cached=.5"
RESULTS = (BEFORE, BEFORE, "Error: the text was found 0 times", "edited")
RESULT_LINE = {
    "type": "result",
    "subtype": "success",
    "is_error": False,
    "num_turns": 5,
    "total_cost_usd": 0.25,
    "usage": {"input_tokens": 1, "output_tokens": 2},
}


def agent_lines() -> list[Received]:
    """The lines of one attempt, a second apart: five turns, of which four call a tool."""
    lines: list[Received] = []

    def add(kind: str, **fields: object) -> None:
        data = json.dumps({"t": kind, **fields}).encode() + b"\n"
        lines.append(Received(1_000_000_000 * len(lines), data))

    tools = {name: schema(names) for name, names in TOOLS.items()}
    messages: list[object] = [{"role": "user", "content": "Go."}]
    add("out", d=json.dumps({"type": "system", "subtype": "init", "claude_code_version": "9.9"}))
    for position in range(len(RESULTS) + 1):
        body = json.dumps({"model": "m", "tools": [{"name": name} for name in tools], "messages": messages})
        ask = AnswerRequest(TRUTH, prompt_tokens=100, max_tokens=9000, turn=agent_turn(tools, position))
        sending = answer(parse_spec(MODEL), ask)
        add("sent", n=position + 1, wire="anthropic-messages", keep=0, body=body)
        add("got", n=position + 1, d=b"".join(sending.frames).decode())
        add("done", n=position + 1, usd=0.01)
        if position < len(RESULTS):
            text = RESULTS[position]
            call_id = json.loads(b"".join(sending.frames).split(b'"content_block":')[2].split(b"}}")[0] + b"}}")["id"]
            result = {"type": "tool_result", "tool_use_id": call_id, "content": text, "is_error": "Error" in text}
            messages.append({"role": "user", "content": [result]})
    add("out", d=json.dumps(RESULT_LINE))
    add("end", why="", code=0, tree={"changed": {"a.py": "1"}, "removed": ["b.py"], "large": []})
    return lines


def put_stream(store: Store, answer_id: int, lines: Sequence[Received]) -> None:
    packed = pack(lines, 0, zstandard.ZstdCompressor())
    row: dict[str, Value] = {"answer_id": answer_id, "wire": "agent", "codec": CODEC}
    store.insert("streams", {**row, "pieces": packed.pieces, "bytes": packed.size, "data": packed.data})


def agent_run(store: Store) -> Store:
    """A run with an attempt of an agent at the case `one`, and an ordinary one at `two`."""
    make_run(store, planned=plan(cases=("one", "two")))
    made = Made(store)
    tokens = {"input_tokens": 250, "cache_read_tokens": 200, "cache_write_tokens": 50, "output_tokens": 120}
    put_stream(store, made.attempt("one", 1, Outcome.APPLIED, '{"tree": {}}', **tokens), agent_lines())
    made.attempt("two", 1, Outcome.NO_CALL, "I would not.", input_tokens=7, output_tokens=3, served_model="m-1")
    return store
