"""Runs three models for a while under every fault, killed, stopped and locked out; fails where the ledgers disagree.

python -m tests.soak --minutes 30 --seed 1
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import BinaryIO

from runner.console import put
from suts.simulated.faults import KINDS
from suts.simulated.usage import SIM_PRICES
from tests.main_job import CASES, EVALS, ROOT, Served, evals, serving
from tests.soak.reconcile import ledgers, violations
from tests.soak.trouble import run_in_trouble

_PRESETS = {"openai": ("any", "chatty"), "anthropic": ("sloppy",)}
_PARAMETERS = "valid=0.8&ttft_ms=60&gap_ms=3"
_ROUND_S = 120.0
_QUOTA = 40
_RARE = {"429": 0.02, "529": 0.02, "stall": 0.01}
_OFTEN = 0.04


def main() -> int:
    """Make rounds until the time is over; 1 where one of them found something wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--seed", default=str(time.time_ns()))
    options = parser.parse_args()
    end_s, number, wrong = time.monotonic() + options.minutes * 60, 0, 0
    put(f"seed {options.seed}\n")
    while time.monotonic() < end_s:
        number += 1
        folder = Path(tempfile.mkdtemp(prefix="evals-soak-"))
        problems = _round(folder, random.Random(f"{options.seed}-{number}"), number, end_s)
        wrong += len(problems)
        for problem in problems:
            put(f"  WRONG: {problem}\n")
        if problems:
            put(f"  kept: {folder}\n")
        else:
            shutil.rmtree(folder)
    put(f"{number} rounds, {wrong} problems\n")
    return 1 if wrong else 0


def _round(folder: Path, chance: random.Random, number: int, end_s: float) -> list[str]:
    """Run to the end once, in trouble for a while; return what was wrong."""
    db, prices = folder / "evals.db", folder / "prices.json"
    prices.write_text(json.dumps(_prices()))
    faults = ",".join(f"{kind}={_rate(kind, number)}" for kind in KINDS)
    with (
        serving("--fault", faults, "--seed", str(number), "--stall-s", "3") as server,
        (folder / "stderr").open("wb") as said,
    ):
        start = partial(_session, server, db, prices, said)
        until_s = min(time.monotonic() + _ROUND_S, end_s)
        troubles = run_in_trouble(start, db, chance, until_s)
        log = server.log()
    if not db.exists():
        return troubles.lost
    cost = json.loads(evals("cost", "latest", "--db", db, "--json").stdout)
    both = ledgers(db, log, sum(model["at_most_usd"] for model in cost["models"]))
    put(f"round {number}: {troubles.describe()}; {both.describe()}\n")
    return [*troubles.lost, *violations(db, log, both, troubles.under_way)]


def _rate(kind: str, number: int) -> float:
    """Return the rate of a fault: in each round another kind is the most frequent."""
    rate = _RARE.get(kind, _OFTEN)
    return 3 * rate if KINDS[number % len(KINDS)] == kind else rate


def _session(server: Served, db: Path, prices: Path, said: BinaryIO) -> subprocess.Popen[bytes]:
    models = ",".join(f"{provider}/{name}?{_PARAMETERS}" for provider, names in _PRESETS.items() for name in names)
    words = (
        "diff",
        "--cases",
        CASES,
        "--model-ids",
        models,
        "--db",
        db,
        "--run-id",
        "soak",
        "-n",
        _QUOTA,
        "--max-concurrency",
        48,
    )
    paces = ("--prices", prices, "--yes", "--idle-timeout", 5, "--first-byte-timeout", 20)
    environment = {
        **os.environ,
        "OPENAI_API_KEY": "sk-soak-key",
        "ANTHROPIC_API_KEY": "sk-soak-key",
        "OPENAI_BASE_URL": f"{server.url}/v1",
        "ANTHROPIC_BASE_URL": server.url,
    }
    command = [str(EVALS), *map(str, (*words, *paces))]
    return subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=said)


def _prices() -> object:
    """Return the fictional prices at which the models bill, by the ids under which they are asked here."""
    rows = [
        {"model": f"{provider}/{name}{parameters}", **{part: getattr(SIM_PRICES[name], part) for part in parts}}
        for provider, names in _PRESETS.items()
        for name in names
        for parameters in ("", f"?{_PARAMETERS}")
        for parts in (("input", "output", "cache_read", "cache_write"),)
    ]
    return {"date": "2026-01-01", "models": rows}


if __name__ == "__main__":
    sys.exit(main())
