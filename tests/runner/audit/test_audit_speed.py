"""An audit of a disk of sessions takes less than a minute, and memory does not grow with their number."""

import json
import os
import sys
from pathlib import Path

import pytest

from tests.measured import measure
from tests.planted_sessions import plan, write

pytestmark = pytest.mark.slow

SESSIONS, MOST_SECONDS, MOST_BYTES = 40, 120, 300 << 20
# Of 1,000 sessions on two cores in 60 seconds: 120 seconds of one core.
SHARE = SESSIONS / 1000
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


def test_sessions_of_a_megabyte_take_their_share_of_a_minute_on_two_cores(tmp_path: Path) -> None:
    for number in range(SESSIONS):
        write_megabyte(tmp_path / "sessions", number)
    evals = str(Path(sys.executable).parent / "evals")
    audit = measure((evals, "audit", "sessions", "--json"), tmp_path)

    assert audit.exit_code == 0
    assert json.loads(audit.stdout)["sessions"] == {"claude-code": SESSIONS}
    assert audit.cpu_s < MOST_SECONDS * SHARE
    # The most that one process had; there is one for each core, and one that gathers.
    assert audit.peak_bytes * (1 + (os.cpu_count() or 1)) < MOST_BYTES
