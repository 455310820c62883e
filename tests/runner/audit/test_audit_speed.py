"""An audit of a disk of sessions takes less than a minute, and memory does not grow with their number."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.measured import measure
from tests.planted_sessions import CAUSES, plan, write

pytestmark = pytest.mark.slow

# 1,000 sessions of a megabyte on two cores in 60 seconds: 120 seconds of one core.
MOST_SECONDS, MOST_BYTES = 120 / 1000, 300 << 20
# What the program takes to start, however many sessions there are.
START_SECONDS = 0.6
# The same work takes up to half as much more while other programs use the cores' caches; the best of these counts.
SLOWED, MEASUREMENTS = 1.5, 3
SESSIONS, DENSE = 40, 12
MEGABYTE, MOST_EDITS = 1_000_000, 1_400
TEXT = 'what a tool printed, "quoted" \\ and so on\n' * 140


def write_megabyte(folder: Path, number: int) -> None:
    """A session of 150 edits among results of other tools."""
    path = write(folder / str(number), "claude-code", plan("claude-code", number, 150))
    rows = path.read_text().splitlines()
    padding = json.dumps({"type": "attachment", "attachment": {"text": TEXT}})
    every = len(rows) * len(padding) // (1_000_000 - path.stat().st_size)
    padded = [line for at, row in enumerate(rows) for line in ((row, padding) if at % every == 0 else (row,))]
    path.write_text("\n".join(padded) + "\n")
    assert path.stat().st_size > 900_000


def write_dense_megabyte(folder: Path, agent: str, number: int) -> int:
    """A session of edits and little else, as many as a megabyte holds; returns how many."""
    few = write(folder, agent, plan(agent, number, 100))
    edits = min(100 * MEGABYTE // sum(file.stat().st_size for file in few.parent.iterdir()), MOST_EDITS)
    write(folder, agent, plan(agent, number, edits))
    return edits


def audited(folder: Path, sessions: int) -> dict[str, Any]:
    """What an audit says of the sessions of a folder, which it makes in their share of time and memory."""
    evals = str(Path(sys.executable).parent / "evals")
    most = SLOWED * (START_SECONDS + MOST_SECONDS * sessions)
    for _ in range(MEASUREMENTS):
        audit = measure((evals, "audit", "sessions", "--json"), folder)
        assert audit.exit_code == 0, audit.stderr
        if audit.cpu_s < most:
            break
    assert audit.cpu_s < most
    # The most that one process had; there is one for each core, and one that gathers.
    assert audit.peak_bytes * (1 + (os.cpu_count() or 1)) < MOST_BYTES
    data: dict[str, Any] = json.loads(audit.stdout)
    return data


def test_sessions_of_a_megabyte_take_their_share_of_a_minute_on_two_cores(tmp_path: Path) -> None:
    for number in range(SESSIONS):
        write_megabyte(tmp_path / "sessions", number)

    assert audited(tmp_path, SESSIONS)["sessions"] == {"claude-code": SESSIONS}


@pytest.mark.parametrize("agent", CAUSES)
def test_dense_sessions_of_each_form_take_no_more(tmp_path: Path, agent: str) -> None:
    edits = sum(write_dense_megabyte(tmp_path / "sessions" / str(number), agent, number) for number in range(DENSE))

    (row,) = audited(tmp_path, DENSE)["edits"]

    assert row["ok"] + row["failed"] == edits
    assert edits > 700 * DENSE
