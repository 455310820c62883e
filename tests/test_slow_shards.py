"""The same rows whether one process asks, or two do whose databases are merged; and the same replays of them."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.in_process import evals
from tests.strangers_database import CASES

pytestmark = pytest.mark.slow

_MODEL = "sim/any?time=virtual&valid=0.8"
_ASKED = {
    "diff": ("diff", _MODEL, "-n", "2", "--diff-apply", "v3,v4", "--cases", CASES / "diff_edit"),
    "nextedit": ("nextedit", "--cases", CASES / "nextedit", "--sut", _MODEL, "--max-edits", "6"),
    "codrep": ("codrep", "run", CASES / "codrep", "--sut", _MODEL),
    "completion": ("completion", "run", CASES / "completion" / "shelf.jsonl", "--sut", _MODEL, "--limit", "4", "-y"),
    "edit": ("edit", "run", CASES / "edit" / "problems.jsonl", "--sut", _MODEL, "--max-cases", "3", "-y"),
}
_VARIED = {
    "diff": ("--diff-apply", "v1,v2"),
    "nextedit": ("--diff-apply", "v3"),
    "completion": ("--chains", "raw"),
}
_ROWS = """
SELECT l.sut, l.prompt, l.case_id, l.state, a.step, a.mode, a.number, a.try, a.outcome, t.digest, s.parser,
    s.diff_algorithm, s.outcome, s.valid, s.solved, s.equals_expected, s.num_edits, s.lines_added, s.lines_removed,
    s.error_text, s.parsed_calls, s.blocks, s.detail, e.digest, r.replay_of IS NULL, length(b.data) > 0,
    a.input_tokens, a.output_tokens, a.list_cost_usd
FROM scorings s JOIN answers a USING (answer_id) JOIN lanes l USING (lane_id) JOIN runs r ON r.run_id = s.run_id
LEFT JOIN texts t ON t.text_id = a.text_id LEFT JOIN texts e ON e.text_id = s.edited_id
LEFT JOIN streams b ON b.answer_id = a.answer_id
"""
# How long something took is no property of an answer.
_DURATION = re.compile(r'"[a-z_]*(?:_ms|_s|seconds|took)":\s*[0-9.e+-]+|passed in [0-9.]+s')


def _rows(db: Path) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(db)) as connection:
        rows = connection.execute(_ROWS).fetchall()
    plain = [tuple(_DURATION.sub("", value) if isinstance(value, str) else value for value in row) for row in rows]
    return sorted(plain, key=repr)


def _made(folder: Path, *words: object) -> None:
    ended = evals(*words, cwd=folder)
    assert ended.returncode == 0, ended.stderr


@pytest.mark.parametrize("suite", _ASKED)
def test_two_shards_that_are_merged_hold_what_one_process_makes(suite: str, tmp_path: Path) -> None:
    words = _ASKED[suite]
    _made(tmp_path, *words, "--db", "one.db", "--run-id", "one")
    for index in (1, 2):
        _made(tmp_path, *words, "--db", f"{index}.db", "--shard", f"{index}/2")

    _made(tmp_path, "merge", "all.db", "1.db", "2.db")

    assert _rows(tmp_path / "all.db") == _rows(tmp_path / "one.db") != []
    if suite in _VARIED:
        for db in ("one.db", "all.db"):
            _made(tmp_path, "replay", "--run-id", "latest", *_VARIED[suite], "--db", db)
        assert _rows(tmp_path / "all.db") == _rows(tmp_path / "one.db")
