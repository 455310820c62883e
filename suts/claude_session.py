"""Runs Claude Code by its SDK, in a cell: gives it the task on standard input, prints each of its messages as a line.

Run as `python -c SOURCE MODEL`; needs the standard library and `claude_agent_sdk` or `claude_code_sdk`, whose
successor the former is. The SDK starts the `claude` of PATH, or the one that it brings along.
"""

import asyncio
import dataclasses
import json
import sys
from importlib import import_module
from typing import Any

SDKS = {"claude_agent_sdk": "ClaudeAgentOptions", "claude_code_sdk": "ClaudeCodeOptions"}


def sdk() -> tuple[Any, Any]:
    """Return the SDK that is installed, and its class of options. Raises ImportError where there is none."""
    for name, options in SDKS.items():
        try:
            module = import_module(name)
        except ImportError:
            continue
        return module, getattr(module, options)
    raise ImportError(f"none of {', '.join(SDKS)} is installed")


async def run(model: str, task: str) -> int:
    """Return 0 once the agent has ended its turn, 1 after an error."""
    module, options = sdk()
    chosen = options(model=model, permission_mode="acceptEdits", disallowed_tools=["WebFetch", "WebSearch"])
    failed = False
    async for message in module.query(prompt=task, options=chosen):
        # `ResultMessage` is what the program itself prints as `result`.
        kind = type(message).__name__.removesuffix("Message").lower()
        line = json.dumps({"type": kind, **dataclasses.asdict(message)}, default=str)
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
        failed = failed or getattr(message, "is_error", False) is True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(run(sys.argv[1], sys.stdin.read())))
