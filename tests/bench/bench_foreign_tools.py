"""What a foreign edit tool costs: to start one in a cell, and to apply one edit; in Python, and in Node where it is.

Run: python -m tests.bench.bench_foreign_tools. The start is that of a cell, for the most part, and of the interpreter.
"""

import shutil
import sys
import time

from runner.edit_tools import EDIT_TOOLS
from runner.execution.isolation import strongest
from tests.runner.edit_tools.foreign import foreign

CALL = "<path>a.txt</path><start_line>3</start_line><end_line>4</end_line><new_text>new</new_text>"
OTHER = "<path>a.txt</path><command>str_replace</command><old_str>line 7\n</old_str><new_str>new\n</new_str>"
EDITS = 500


def main() -> None:
    """Print milliseconds, for files of three sizes."""
    tools = [("line_range.py", "line-range", CALL)]
    tools += [("text_editor.mjs", "text-editor", OTHER)] if shutil.which("node") else []
    for program, ours, call in tools:
        with foreign(program, strongest()) as tool:
            assert tool.foreign is not None
            tool.foreign.rest()
            began = time.perf_counter()
            tool.show("a.txt", "text\n")
            sys.stdout.write(f"{program}: {1000 * (time.perf_counter() - began):.0f} ms to start\n")
            for lines in (50, 1000, 20_000):
                text = "".join(f"line {at}\n" for at in range(lines))
                theirs_ms, ours_ms = (spent(each.algorithm, text, call) for each in (tool, EDIT_TOOLS[ours]))
                sys.stdout.write(f"  {lines:6} lines: {theirs_ms:.2f} ms an edit; {ours}: {ours_ms:.2f} ms\n")


def spent(algorithm: object, text: str, call: str) -> float:
    """Return the milliseconds of one edit."""
    assert callable(algorithm)
    began = time.perf_counter()
    for _ in range(EDITS):
        algorithm(text, call)
    return 1000 * (time.perf_counter() - began) / EDITS


if __name__ == "__main__":
    main()
