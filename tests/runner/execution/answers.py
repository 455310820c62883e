"""What hostile answers and forged verdicts achieve at the isolation that is permitted here: a program that prints it.

It is started in environments that permit less than the machine does, with one judge for all answers; its arguments are
the names of those to judge, and none means all. Their processes are looked for in `/proc`, and killed.
"""

import json
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from runner.execution.copies import target
from runner.execution.isolation import Weak, permitted
from runner.execution.repository_judge import Judge
from runner.execution.verdicts import JudgeTask, VerdictKind
from tests.completion import write_repository
from tests.pythons import bare_python
from tests.runner.suites.completion.test_forgeries import FORGERIES, MEMORY, forged
from tests.runner.suites.completion.test_hostile import ENDS, FILES, NETWORK, SIGNALS, TRUTH, hostile, question

OUTSIDE = Path("/evals-was-here")
BELIEVED, OTHER_VERDICT, LEFT, WROTE = "is believed", "gets another verdict", "leaves a process", "writes outside"
HOSTILE = [str(parameter.id) for parameter in (*ENDS, *SIGNALS, *FILES, *NETWORK)]
FORGED = [*(f"forges: {parameter.id}" for parameter in FORGERIES), "forges: searches the memory"]


def answers() -> Iterator[tuple[JudgeTask, VerdictKind | None]]:
    """The questions, in the order of their names, with the verdict that is right; None where several are."""
    for parameter in (*ENDS, *SIGNALS, *FILES, *NETWORK):
        body, outcome = parameter.values
        yield hostile(str(body)), outcome if isinstance(outcome, VerdictKind) else None
    for parameter in FORGERIES:
        yield forged(str(parameter.values[0]), str(parameter.values[1])), VerdictKind.FAIL
    yield forged(MEMORY, TRUTH), VerdictKind.FAIL


def achieved(judge: Judge, asked: JudgeTask, right: VerdictKind | None) -> str:
    """What an answer has achieved; empty for nothing."""
    outcome = judge.judge(asked).outcome
    left = list(_processes(judge.base))
    for process in left:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    if OUTSIDE.exists():
        OUTSIDE.unlink()
        return WROTE
    if left:
        return LEFT
    if right in {None, outcome}:
        return ""
    return BELIEVED if right is VerdictKind.FAIL and outcome is VerdictKind.PASS else OTHER_VERDICT


def _processes(base: Path) -> Iterator[int]:
    """Processes that work somewhere in the judge's copies."""
    for link in Path("/proc").glob("[0-9]*/cwd"):
        with suppress(OSError):
            if link.readlink().is_relative_to(base):
                yield int(link.parent.name)


def main() -> None:
    """Print the means, and what each answer achieves."""
    isolation, chosen = permitted(Weak(allowed=True, confirmed=True)), sys.argv[1:] or [*HOSTILE, *FORGED]
    with tempfile.TemporaryDirectory() as name:
        base = Path(name)
        with Judge(write_repository(base), target(bare_python(base / "p"), os.environ["PATH"]), isolation) as judge:
            named = zip([*HOSTILE, *FORGED], answers(), strict=True)
            results = {name: achieved(judge, *answer) for name, answer in named if name in chosen}
            # What one left behind would be found now.
            last = [judge.judge(question(body)).outcome for body in (TRUTH, "return x")]
    print(json.dumps([isolation.means, results, last]))  # noqa: T201 - its answer


if __name__ == "__main__":
    main()
