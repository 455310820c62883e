"""Every recorded message, by every version of the parser, whole and in pieces."""

import sys
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from parsers import PARSERS
from parsers.blocks import Block, Parser, Text
from tests.vectors import files, rows

pytestmark = pytest.mark.conformance

ORIGINALS = {
    "eval/v2": "xml-tools-v2",
    "core/v2": "xml-tools-v2-core",
    "hist/v1": "xml-tools-v1",
    "hist/v2": "xml-tools-v2",
    "hist/v3": "xml-tools-v3",
}


def _recorded(block: Block) -> dict[str, Any]:
    """The block as the original wrote it; parameters as pairs, for their order."""
    if isinstance(block, Text):
        return {"type": "text", "content": block.content, "partial": block.partial}
    return {"type": "tool_use", "name": block.name, "params": list(block.params.items()), "partial": block.partial}


def _expected(cases: Path) -> dict[tuple[str, str], list[dict[str, Any]]]:
    found = {(row["id"], row["algo"]): row for row in rows(cases.with_name(cases.name.replace("cases", "expected", 1)))}
    outputs = {}
    for (case, algo), row in found.items():
        blocks = found[case, row["same_as"]]["output"] if "same_as" in row else row["output"]
        outputs[case, algo] = [
            block | {"params": list(block["params"].items())} if block["type"] == "tool_use" else block
            for block in blocks
        ]
    return outputs


def _whole(parser: Parser, text: str) -> tuple[Block, ...]:
    return parser.parse(text)


def _in_pieces(parser: Parser, text: str) -> tuple[Block, ...]:
    parse, at = parser.start(), 0
    for size in cycle((1, 2, 3, 5, 8, 13)):
        if at >= len(text):
            return parse.snapshot()
        parse.feed(text[at : at + size])
        at += size
    raise AssertionError


@pytest.mark.parametrize("way", [pytest.param(_whole, id="whole"), pytest.param(_in_pieces, id="in_pieces")])
@pytest.mark.parametrize("algo", ORIGINALS)
def test_every_recorded_message_gives_the_recorded_blocks(
    algo: str, way: Callable[[Parser, str], tuple[Block, ...]], capsys: pytest.CaptureFixture[str]
) -> None:
    parser = PARSERS[ORIGINALS[algo]]
    wrong: list[str] = []
    total = 0
    for path in files("cline", "parse_cases*.jsonl*"):
        expected = _expected(path)
        for case in rows(path):
            total += 1
            if [_recorded(block) for block in way(parser, case["text"])] != expected[case["id"], algo]:
                wrong.append(case["id"])

    with capsys.disabled():
        sys.stdout.write(f"\n{algo}: {total - len(wrong)} of {total} messages\n")
    assert total > 0
    assert not wrong
