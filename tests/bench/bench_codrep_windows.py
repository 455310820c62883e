"""How often the replaced line is shown: `python -m tests.bench.bench_codrep_windows FOLDERS [MAX_CONTEXT] [LIMIT]`.

FOLDERS are dataset folders parted by colons. Prints for each dataset, and for all together, how many files are longer
than the window, in how many of these the replaced line is shown, and in how many files of all. The ranker that orders
the lines is the shipped one; what it was trained on says `evals codrep leaderboard`.
"""

import os
import sys
import time
from pathlib import Path

from prompts import load
from runner.suites.codrep.cases import CodrepCase, read_cases
from runner.suites.codrep.dataset import open_datasets
from runner.suites.codrep.options import PROMPT
from runner.suites.codrep.showing import Shown, room_of, windows_of
from runner.tokens import token_counter


def shown_of(cases: tuple[CodrepCase, ...], max_context: int = 8000) -> dict[str, Shown]:
    """What models are shown of these cases, asked by the suite's own prompt."""
    return windows_of(cases, room_of([load(PROMPT)], max_context, token_counter(exact=True)))


def row(name: str, cases: tuple[CodrepCase, ...], shown: dict[str, Shown]) -> str:
    """The figures of some cases."""
    long = [case for case in cases if not shown[case.case_id].window.whole]
    missed = sum(not shown[case.case_id].window.shows(case.answer) for case in long)
    told = f"{len(long) - missed} of {len(long)} long files ({100 * (1 - missed / max(1, len(long))):.2f} %)"
    return f"{name:<12}{told:<40}{len(cases) - missed} of {len(cases)} files ({100 * (1 - missed / len(cases)):.3f} %)"


def main(folders: str, max_context: int = 8000, limit: int | None = None) -> None:
    """Print the figures."""
    begun, counter = time.perf_counter(), token_counter(exact=True)
    sys.stdout.write(f"replaced lines shown within {max_context} tokens by {counter.method}, prompt included\n")
    every: tuple[CodrepCase, ...] = ()
    shown: dict[str, Shown] = {}
    for dataset in open_datasets([Path(name) for name in folders.split(os.pathsep)]):
        cases = read_cases([dataset], limit)
        shown |= shown_of(cases, max_context)
        every += cases
        sys.stdout.write(row(dataset.name, cases, shown) + "\n")
        sys.stdout.flush()
    sys.stdout.write(f"{row('all', every, shown)}\n{time.perf_counter() - begun:.0f} s\n")


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
