"""Runs Claude Code by its SDK, in a cell: gives it the task on standard input, prints each of its messages as a line.

Run as `python -c SOURCE MODEL`; needs the standard library and `claude_agent_sdk` or `claude_code_sdk`, whose
successor the former is. The SDK starts the `claude` that it brings along, else that of PATH; the older one brings none.
"""

import asyncio
import dataclasses
import json
import os
import select
import sys
from importlib import import_module
from typing import Any

SDKS = {"claude_agent_sdk": "ClaudeAgentOptions", "claude_code_sdk": "ClaudeCodeOptions"}
# What the program prints of an edit may hold the whole file; a longer line ends the session. The older SDK has 1 MB.
LONGEST_LINE = 256 << 20


def sdk() -> tuple[Any, Any]:
    """Return the SDK that is installed, and its class of options. Raises ImportError where there is none."""
    for name, options in SDKS.items():
        try:
            module = import_module(name)
        except ImportError:
            continue
        return module, getattr(module, options)
    raise ImportError(f"none of {', '.join(SDKS)} is installed")


def line_of(message: Any) -> str:  # noqa: ANN401 - the SDK's own classes
    """Return a message much as the program itself prints it: `ResultMessage` is its `result`."""
    kind = type(message).__name__.removesuffix("Message").lower()
    own = getattr(message, "data", None)
    fields = own if isinstance(own, dict) else dataclasses.asdict(message)
    return json.dumps({"type": kind, **fields}, default=str)


def write_whole(data: bytes) -> None:
    """Write to standard output; wait where it is full, also once the program has made it one that does not wait."""
    out = sys.stdout.fileno()
    while data:
        try:
            data = data[os.write(out, data) :]
        except BlockingIOError:
            select.select([], [out], [])


async def run(model: str, task: str) -> int:
    """Return 0 once the agent has ended its turn, 1 after an error."""
    module, options = sdk()
    chosen = options(model=model, permission_mode="acceptEdits", disallowed_tools=["WebFetch", "WebSearch"])
    if hasattr(chosen, "max_buffer_size"):
        chosen.max_buffer_size = LONGEST_LINE
    failed = False
    async for message in module.query(prompt=task, options=chosen):
        write_whole(f"{line_of(message)}\n".encode())
        failed = failed or getattr(message, "is_error", False) is True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(run(sys.argv[1], sys.stdin.read())))
