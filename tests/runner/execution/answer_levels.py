"""What hostile answers achieve in each environment, as the rows of docs/sandbox.md: a program that prints them."""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping

from tests.runner.execution.answers import FORGED, HOSTILE
from tests.runner.execution.environments import ROOT, environments

# What ends all processes that an answer can end does not end ours.
_APART = ("unshare", "--pid", "--fork", "--kill-child", "--mount-proc")
NOTHING = "no"
OTHERS = "the {count} others"
UNHELD = "no isolation"


def columns() -> list[str]:
    """Names of the environments that hold an answer at all; the others are none to try this in."""
    return [name for name in environments() if name != UNHELD]


def achieved(environment: str, *names: str) -> dict[str, str]:
    """What answers of these names, or all, achieve in an environment, and that the next verdicts are right there."""
    words = [*_APART, *environments()[environment].words, sys.executable, "-m", "tests.runner.execution.answers"]
    done = subprocess.run([*words, *names], cwd=ROOT, capture_output=True, check=True)
    _, results, last = json.loads(done.stdout)
    assert last == ["pass", "fail"]
    return {name: result or NOTHING for name, result in results.items()}


def rows(results: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    """Yield the rows of the table; what achieves nothing anywhere is one row, but for forgeries."""
    quiet = [name for name in HOSTILE if {results[column][name] for column in results} == {NOTHING}]
    yield f"| answer | {' | '.join(results)} |"
    yield "|---" * (len(results) + 1) + "|"
    for name in (*HOSTILE, *FORGED):
        if name not in quiet:
            yield f"| {name} | {' | '.join(results[column][name] for column in results)} |"
    yield f"| {OTHERS.format(count=len(quiet))} | {' | '.join(NOTHING for _ in results)} |"


def main() -> None:
    """Print the table; takes some minutes."""
    print("\n".join(rows({column: achieved(column) for column in columns()})))  # noqa: T201 - its answer


if __name__ == "__main__":
    main()
