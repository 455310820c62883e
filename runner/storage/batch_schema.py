"""The tables of batches: what was submitted, and for which answers; they may be collected hours later."""

BATCHES = """
CREATE TABLE batches (
    batch_id INTEGER PRIMARY KEY,
    run_id TEXT NOT NULL REFERENCES runs (run_id),
    sut TEXT NOT NULL,
    planned_at TEXT NOT NULL,
    digest TEXT NOT NULL,
    lines INTEGER NOT NULL,
    remote_id TEXT
);
CREATE TABLE batch_lines (
    answer_id INTEGER NOT NULL REFERENCES answers (answer_id) ON DELETE CASCADE,
    batch_id INTEGER NOT NULL REFERENCES batches (batch_id) ON DELETE CASCADE,
    PRIMARY KEY (answer_id, batch_id)
) WITHOUT ROWID;
"""
