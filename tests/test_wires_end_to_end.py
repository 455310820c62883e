"""The main job over Anthropic's wire as over OpenAI's: planted counts under every fault, whole streams, capped cost."""

import json
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
import zstandard

from runner.storage.streams import Packed, unpack
from tests.main_job import INFRASTRUCTURE, MODEL, evals, exported, hundred_cases, planted, scored, serving

QUICK = ("--ttft-ms", "10", "--gap-ms", "1")
# Few of the complaints that the limiter slows down for.
FAULTS = "429=0.01,500=0.08,529=0.01,reset=0.06,malformed=0.06,cut=0.06,error=0.06,stall=0.02"
CUT = "cut=0.25"
ENDS = {"openai": b"data: [DONE]\n\n", "anthropic": b'data: {"type":"message_stop"}\n\n'}
PATHS = {"openai": "/v1", "anthropic": ""}
# A call costs about its bound: long answers, little room above them, and a prompt next to free.
PRICE = {"input": 0.01, "cache_read": 0.01, "cache_write": 0.01, "output": 10.0}
MAX_TOKENS = 1000
CAP_USD = 2.05


def provider_words(provider: str, url: str, db: Path, *words: object) -> list[object]:
    models = ("--provider", provider, "--base-url", url + PATHS[provider], "--model-ids", MODEL)
    return ["diff", *models, "--db", db, "-n", 2, "--parallel", *words]


def streams(db: Path) -> list[bytes]:
    """The bytes of every stored stream."""
    unzip = zstandard.ZstdDecompressor()
    with closing(sqlite3.connect(db)) as connection:
        rows = connection.execute("SELECT pieces, bytes, data FROM streams").fetchall()
    return [b"".join(piece.data for piece in unpack(Packed(*row), unzip)) for row in rows]


@pytest.mark.parametrize(
    "faults", [pytest.param("", id="no faults"), pytest.param(FAULTS, id="every fault", marks=pytest.mark.wide)]
)
def test_a_run_over_the_anthropic_wire_finds_the_planted_counts_exactly(tmp_path: Path, faults: str) -> None:
    db = tmp_path / "evals.db"
    want = planted(quota=2)

    with serving(*QUICK, *(["--fault", faults] if faults else [])) as server:
        done = evals(*provider_words("anthropic", server.url, db, "--idle-timeout", 2))
        wires = Counter(entry["wire"] for entry in server.log())
    rows = scored(exported(db))

    assert done.returncode == 0, done.stderr
    assert set(wires) == {"anthropic-messages"}
    assert len(rows) == want.attempts
    assert sum(row["valid"] for row in rows) == want.valid
    assert sum(row["applied"] for row in rows) == want.applied
    assert dict(sorted(Counter(row["outcome"] for row in rows).items())) == want.outcomes


def test_the_vendor_s_variable_names_the_server_for_ids_of_the_provider(tmp_path: Path) -> None:
    db = tmp_path / "evals.db"

    with serving(*QUICK) as server:
        words = ("--model-ids", "anthropic/any", "--max-cases", 3, "--db", db)
        done = evals("diff", *words, ANTHROPIC_BASE_URL=server.url)
        asked = server.stats()["whole"]

    assert done.returncode == 0, done.stderr
    assert asked == len(exported(db)) == 3


@pytest.mark.parametrize("provider", ENDS)
@pytest.mark.wide
def test_a_stream_that_is_cut_before_its_end_marker_is_asked_for_again(tmp_path: Path, provider: str) -> None:
    db = tmp_path / "evals.db"
    want = planted(quota=2)

    with serving(*QUICK, "--fault", CUT) as server:
        done = evals(*provider_words(provider, server.url, db))
        cut = server.stats()["faults"]["cut"]
    rows = exported(db)
    kept = streams(db)

    assert done.returncode == 0, done.stderr
    assert sum(row["retries"] for row in rows) == cut > 10
    assert dict(sorted(Counter(row["outcome"] for row in scored(rows)).items())) == want.outcomes
    assert len(kept) == want.attempts
    assert all(stream.endswith(ENDS[provider]) for stream in kept)


@pytest.mark.slow
@pytest.mark.parametrize("provider", ENDS)
def test_two_hundred_streams_at_once_never_cost_more_than_the_budget(tmp_path: Path, provider: str) -> None:
    db, cases = tmp_path / "evals.db", hundred_cases(tmp_path / "cases")
    model = f"{provider}/any?prose=380"
    table = {"date": "2026-01-01", "models": [{"model": model, **PRICE}]}
    (tmp_path / "prices.json").write_text(json.dumps(table))
    faults = "reset=0.05,cut=0.05,malformed=0.05,500=0.05"

    with serving("--ttft-ms", "700", "--gap-ms", "1", "--fault", faults, cases=cases) as server:
        words = ("--model-ids", model, "--cases", cases, "-n", 3, "--max-tokens", MAX_TOKENS)
        options = ("--max-concurrency", 200, "--db", db, "--prices", tmp_path / "prices.json", "--run-id", "r")
        bases = {f"{provider.upper()}_BASE_URL": server.url + PATHS[provider]}
        capped = evals("diff", *words, *options, "--budget", CAP_USD, **bases)
        spent, stats = billed(server.log()), server.stats()
        resumed = evals("diff", *words, *options, "--budget", 100, **bases)
    rows = exported(db)

    assert capped.returncode == 3, capped.stderr
    assert stats["peak"] > 150
    assert 0.5 * CAP_USD < spent <= CAP_USD
    assert resumed.returncode == 0, resumed.stderr
    assert sum(row["valid"] for row in rows if row["outcome"] not in INFRASTRUCTURE) == 300


def billed(log: list[dict[str, dict[str, float]]]) -> float:
    """What a provider would bill for: every answer it began, to its end, whatever became of it on the way."""
    usages = [entry["usage"] for entry in log if entry["usage"]]
    return (
        sum(
            (usage["input"] + usage["cache_read"] + usage["cache_write"]) * PRICE["input"]
            + usage["output"] * PRICE["output"]
            for usage in usages
        )
        / 1e6
    )
