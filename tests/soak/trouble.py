"""The trouble of a soak: the runner's process is killed or stopped, its database locked, at random moments."""

import random
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

_LONGEST_WAIT_S = 8.0
_LONGEST_STOP_S = 4.0
_LONGEST_LOCK_S = 12.0
# Longer than the runner waits for a database: what it could not write lies beside it afterwards.
_SPILLING_LOCK_S = 75.0
_SPILLING_SHARE = 0.03
_SESSION_S = 1800.0

# What an answer must keep by its id: who was asked what, its text and its price.
Answers = Mapping[int, tuple[object, ...]]

_ANSWERED = """
SELECT a.answer_id, l.sut, l.case_id, a.number, a.text_id, a.provider_cost_usd, a.list_cost_usd
FROM answers a JOIN lanes l USING (lane_id) WHERE a.outcome IN ('answered', 'crashed')"""
_UNDER_WAY = "SELECT count(*) FROM calls WHERE outcome = 'in_flight'"


@dataclass(slots=True)
class Troubles:
    """What was done to a run: `under_way` counts the calls that were in flight at the kills."""

    kills: int = 0
    stops: int = 0
    locks: int = 0
    under_way: int = 0
    lost: list[str] = field(default_factory=list)

    def describe(self) -> str:
        """Return what was done, in one line."""
        return f"{self.kills} kills with {self.under_way} calls in flight, {self.stops} stops, {self.locks} locks"


def answered(db: Path) -> Answers:
    """Return every stored answer."""
    with closing(sqlite3.connect(db, timeout=60)) as connection:
        return {row[0]: tuple(row[1:]) for row in connection.execute(_ANSWERED)}


def run_in_trouble(
    start: Callable[[], subprocess.Popen[bytes]], db: Path, chance: random.Random, until_s: float
) -> Troubles:
    """Run sessions until the run is complete; trouble comes until `until_s` (monotonic), then it is left alone.

    Each session that ended by itself must have ended well or be resumable, and keep all earlier answers. Raises
    TimeoutExpired for a session that never ends.
    """
    troubles, before = Troubles(), dict[int, tuple[object, ...]]()
    while True:
        with start() as process:
            killed = _disturb(process, db, chance, until_s, troubles)
            process.wait(_SESSION_S)
        if db.exists():
            after = answered(db)
            troubles.lost += [f"answer {key} was {row}" for key, row in before.items() if after.get(key) != row]
            before = dict(after)
        if killed:
            troubles.under_way += _count(db)
        elif process.returncode == 0:
            return troubles
        elif process.returncode != 3:
            troubles.lost.append(f"a session ended with code {process.returncode}")
            return troubles


def _disturb(
    process: subprocess.Popen[bytes], db: Path, chance: random.Random, until_s: float, troubles: Troubles
) -> bool:
    """Make trouble until the process ends; returns whether it was killed."""
    while process.poll() is None:
        left_s = until_s - time.monotonic()
        if left_s <= 0:
            return False
        try:
            process.wait(min(left_s, chance.uniform(0.5, _LONGEST_WAIT_S)))
        except subprocess.TimeoutExpired:
            match chance.choice(("kill", "stop", "stop", "lock", "lock")):
                case "kill":
                    process.kill()
                    troubles.kills += 1
                    return True
                case "stop":
                    process.send_signal(signal.SIGSTOP)
                    time.sleep(chance.uniform(0.1, _LONGEST_STOP_S))
                    process.send_signal(signal.SIGCONT)
                    troubles.stops += 1
                case _:
                    troubles.locks += _lock(db, chance)
    return False


def _lock(db: Path, chance: random.Random) -> bool:
    """Hold the database's write lock for a while; returns whether it was there to be locked."""
    if not db.exists():
        return False
    long = chance.random() < _SPILLING_SHARE
    with closing(sqlite3.connect(db, timeout=10, isolation_level=None)) as connection:
        try:
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:
            return False
        time.sleep(_SPILLING_LOCK_S if long else chance.uniform(0.1, _LONGEST_LOCK_S))
        connection.execute("ROLLBACK")
    return True


def _count(db: Path) -> int:
    with closing(sqlite3.connect(db, timeout=60)) as connection:
        return int(connection.execute(_UNDER_WAY).fetchone()[0])
