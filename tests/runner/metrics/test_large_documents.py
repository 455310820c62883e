"""Every metric comes to an end on 100,000 lines with nothing in common, or refuses them in one line."""

import random
import sys
from pathlib import Path

import pytest

from runner.metrics import METRICS
from tests.measured import measure

LINES = 100_000
MEMORY = 1 << 30
# Metrics take half of that on an idle core; a second program on the same core makes it up to twice as much.
CPU_S = 15.0


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Three files of 100,000 lines without a common name or number."""
    folder, paths = tmp_path_factory.mktemp("large"), []
    for letter in "abc":
        draw = random.Random(letter).randrange
        lines = (f"{letter}{draw(10**9)} = {letter}_call({letter}{row}, {draw(10**6)})\n" for row in range(LINES))
        path = folder / f"{letter}.py"
        path.write_text("".join(lines))
        paths.append(str(path))
    return paths


@pytest.mark.slow
@pytest.mark.parametrize("metric", METRICS)
def test_a_metric_ends_or_refuses_within_its_bounds_of_time_and_memory(documents: list[str], metric: str) -> None:
    command = [sys.executable, "-c", "from runner.cli import main; main()", "score", *documents, "--metrics", metric]

    run = measure(command, Path(documents[0]).parent)

    assert (run.exit_code, run.stderr.count(b"\n")) in ((0, 0), (2, 1)), run.stderr
    assert run.peak_bytes < MEMORY
    assert run.cpu_s < CPU_S
