"""Runs an answer with its test behind it, in a cell, and reports whether the end of the test was reached.

A script of its own: nothing of ours is imported. The words behind its name are the report to write, the script, and
how many lines of the script are the answer's. By its exit code alone an answer that ends the program would be right.
"""

import json
import sys
import traceback
from types import ModuleType, TracebackType

# Whatever the answer does to the built-in one.
_open = open


def main() -> None:
    """Write {"verdict": ..., "why": ...}: `syntax`, `fail`, or `pass`; nothing where the answer ends the process."""
    report, script, lines = sys.argv[1], sys.argv[2], int(sys.argv[3])
    sys.argv[:] = [script]
    # The mark that some editors begin a file with is no part of it.
    with _open(script, encoding="utf-8-sig", newline="") as file:
        text = file.read()
    try:
        compile("\n".join(text.split("\n")[:lines]), script, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        verdict, why = "syntax", f"{type(error).__name__}: {error}"
    else:
        why = _ended(text, script, lines)
        verdict = "fail" if why else "pass"
    with _open(report, "w", encoding="utf-8", errors="replace") as output:
        json.dump({"verdict": verdict, "why": why}, output)


def _ended(text: str, script: str, lines: int) -> str:
    """Return why the test did not pass; "" if it did."""
    module = ModuleType("__main__")
    module.__file__ = script
    sys.modules["__main__"] = module
    try:
        exec(compile(text, script, "exec", dont_inherit=True), module.__dict__)  # noqa: S102 - the purpose
    except SystemExit as stopped:
        # Test frameworks end so; an answer that does so keeps its test from reporting anything.
        if stopped.code in {None, 0} and not _in_answer(stopped.__traceback__, script, lines):
            return ""
        return f"SystemExit: {stopped.code}"
    except BaseException as error:  # noqa: BLE001 - whatever was raised, the test did not pass
        traceback.print_exc()
        return f"{type(error).__name__}: {error}"
    return ""


def _in_answer(raised: TracebackType | None, script: str, lines: int) -> bool:
    while raised is not None:
        if raised.tb_frame.f_code.co_filename == script and raised.tb_lineno <= lines:
            return True
        raised = raised.tb_next
    return False


if __name__ == "__main__":
    main()
