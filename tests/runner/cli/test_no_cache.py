"""What a provider's prompt cache is worth: the same run with and without it."""

from pathlib import Path

import pytest

from tests.main_job import evals, exported, serving

MODEL = "any?valid=1&applied=1&cached=0.5"
FAST = ("--ttft-ms", "1", "--gap-ms", "0")


def ask(url: str, db: Path, *more: object) -> list[dict[str, object]]:
    served = ("--provider", "anthropic", "--base-url", url)
    words = ("diff", *served, "--db", db, "-n", 2, "--max-cases", 3, *more)
    done = evals(*words)
    assert done.returncode == 0, done.stderr
    return exported(db)


def cached(rows: list[dict[str, object]], sut: str) -> tuple[int, int, int]:
    """The tokens of a system's prompts: written to the cache, read from it, neither."""
    of_sut = [row for row in rows if row["model_id"] == sut]
    names = ("cache_write_tokens", "cache_read_tokens", "input_tokens")
    write, read, fresh = (sum(int(str(row[name])) for row in of_sut) for name in names)
    return write, read, fresh


@pytest.mark.wide
def test_a_model_is_compared_with_itself_without_the_cache_in_one_run(tmp_path: Path) -> None:
    db = tmp_path / "evals.db"
    with serving(*FAST) as served:
        rows = ask(served.url, db, "--model-ids", f"{MODEL},{MODEL}@cache=off")

    write, read, fresh = cached(rows, f"anthropic/{MODEL}")
    plain = cached(rows, f"anthropic/{MODEL}@cache=off")

    assert plain == (0, 0, write + read + fresh)
    assert write == read > 0
    report = evals("report", "latest", "--db", db).stdout
    assert "to cache" in report


@pytest.mark.wide
def test_a_whole_run_without_the_cache_is_another_run(tmp_path: Path) -> None:
    db = tmp_path / "evals.db"
    with serving(*FAST) as served:
        rows = ask(served.url, db, "--model-ids", MODEL, "--no-cache", "--run-id", "plain")
        words = ("--provider", "anthropic", "--base-url", served.url, "--model-ids", MODEL, "--run-id", "plain")
        other = evals("diff", *words, "--db", db, "-n", 2, "--max-cases", 3)

    assert cached(rows, f"anthropic/{MODEL}")[:2] == (0, 0)
    assert other.returncode == 2
    assert "cache" in other.stderr


def test_models_in_process_take_no_marks_either(tmp_path: Path) -> None:
    db, model = tmp_path / "evals.db", "sim/any?valid=1&applied=1&wire=anthropic&cached=0.5&time=virtual"
    done = evals("diff", f"{model},{model}@cache=off", "--db", db, "-n", 2, "--max-cases", 2)

    assert done.returncode == 0, done.stderr
    rows = exported(db)
    write, read, fresh = cached(rows, model)
    assert write > 0 < read
    assert cached(rows, f"{model}@cache=off") == (0, 0, write + read + fresh)
    assert "to cache" in done.stdout
