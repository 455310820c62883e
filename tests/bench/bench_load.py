"""What load costs the client: raw aiohttp, raw httpx, the openai SDK and `evals`, interleaved, each in its own process.

`python -m tests.bench.bench_load [ROUNDS]`. A simulated server on loopback answers requests of 60 kB with 100 pieces,
the first after 200 ms, the others 5 ms apart. Each round asks each client in turn at 50, 200 and 1,000 streams; shown
are medians over the rounds, and of the ratio to raw aiohttp in the same round. CPU is that of the whole client
process, start-up excluded; `ideal` is the wall time that the server's pace alone takes.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from urllib.request import Request, urlopen

from tests.bench.load_clients import write_cases

CLIENTS = ("aiohttp", "httpx", "openai", "evals")
GENERATIONS = {50: 500, 200: 1000, 1000: 2000}
FLAT = (1500, 3000)
_PACE = "pieces=100&jitter=0&ttft_ms=200&gap_ms=5"
_TRIES = 3
_STREAM_S = 0.2 + 100 * 0.005
_EVALS = (sys.executable, "-c", "from runner.cli import main; main()")
_ENVIRONMENT = {**os.environ, "OPENAI_API_KEY": "sim-key"}
Found = dict[str, float]


@contextmanager
def serving(cases: Path) -> Iterator[str]:
    """The simulated server; its address."""
    words = ("serve-sim", "--cases", str(cases), "--parameters", _PACE)
    with subprocess.Popen([*_EVALS, *words], stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            yield server.stdout.readline().split()[-1]
        finally:
            server.kill()


def measured(client: str, url: str, streams: int, generations: int, folder: Path) -> Found:
    """One client under load; asked again where a connection broke, as happens to raw clients on a machine too busy."""
    words = ("-m", "tests.bench.load_clients", client, url, str(streams), str(generations), str(folder))
    for _ in range(_TRIES):
        done = subprocess.run([sys.executable, *words], capture_output=True, text=True, env=_ENVIRONMENT, check=False)
        if done.returncode == 0:
            break
    else:
        raise SystemExit(done.stderr)
    forget(url)
    found: Found = json.loads(done.stdout.splitlines()[-1])
    found["cpu_s"] *= 1000 / generations
    found["ideal"] = generations / streams * _STREAM_S / found["wall_s"]
    return found


def forget(url: str) -> None:
    """Let the server begin anew: its log would grow with every client."""
    with urlopen(Request(f"{url}/_sim/reset", method="POST")):  # noqa: S310 - loopback
        pass


def started(folder: Path) -> float:
    """CPU seconds of a whole `evals diff` that asks for one answer in virtual time; makes the database at first."""
    words = ("diff", "--model-ids", "sim/any?time=virtual", "--max-cases", "1", "--db", str(folder / "evals.db"))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([*_EVALS, *words], capture_output=True, env=_ENVIRONMENT, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def show(*cells: object) -> None:
    """Print a row."""
    words = (f"{cell:.2f}" if isinstance(cell, float) else str(cell) for cell in cells)
    sys.stdout.write("".join(f"{word:>12}" for word in words) + "\n")
    sys.stdout.flush()


def table(url: str, folder: Path, rounds: int) -> None:
    """Each client at each number of streams, in turn, so many times; then the medians."""
    found: defaultdict[tuple[int, str], list[Found]] = defaultdict(list)
    for _ in range(rounds):
        for streams, generations in GENERATIONS.items():
            for client in CLIENTS:
                found[streams, client].append(measured(client, url, streams, generations, folder))
    show("streams", "client", "CPU s/1000", "x aiohttp", "ideal %", "RSS MB")
    for (streams, client), runs in found.items():
        floor = found[streams, CLIENTS[0]]
        ratio = median(one["cpu_s"] / raw["cpu_s"] for one, raw in zip(runs, floor, strict=True))
        middle = {name: median(one[name] for one in runs) for name in runs[0]}
        show(streams, client, middle["cpu_s"], ratio, round(100 * middle["ideal"]), round(middle["rss_mb"]))


def growth(url: str, folder: Path) -> None:
    """What twice as many attempts take of memory and disk."""
    few, many = (measured("evals", url, 200, generations, folder) for generations in FLAT)
    disk_mb = (many["disk_mb"] - few["disk_mb"]) / (FLAT[1] - FLAT[0]) * 1000
    told = " and ".join(f"{one['rss_mb']:.0f} MB after {count}" for one, count in zip((few, many), FLAT, strict=True))
    show(f"evals at 200 streams: resident at most {told} attempts; {disk_mb:.2f} MB on disk for each 1,000")


def main(rounds: int) -> None:
    """Print the table, how memory and disk grow, and what starting costs."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        (folder / "cases").mkdir()
        write_cases(folder / "cases")
        first_s = started(folder)
        later_s = median(started(folder) for _ in range(2 * rounds + 1))
        with serving(folder / "cases") as url:
            table(url, folder, rounds)
            growth(url, folder)
    show(f"start-up of evals: {later_s:.2f} CPU-s, and {first_s:.2f} where it makes the database")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
