"""The tables of evals.db, as append-only migrations; docs/database.md describes each column."""

import sqlite3
import sys
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager

from runner.storage.batch_schema import BATCHES
from runner.storage.kept_schema import KEPT
from runner.storage.tally_schema import TALLIES

# The name under which sqlite-utils keeps our migrations apart from others', and the table it keeps them in.
MIGRATION_SET = "evals"
MIGRATIONS_TABLE = "_sqlite_migrations"

# How the SQL of objects begins that hold data alone. SQLite goes by the SQL, not by the kind that stands beside it.
_PLAIN = {"table": ("CREATE TABLE ",), "index": ("CREATE INDEX ", "CREATE UNIQUE INDEX ")}

# Times are UTC in ISO 8601, durations milliseconds, money USD; NULL = unknown or never happened, never 0.
_TABLES = """
CREATE TABLE texts (
    text_id INTEGER PRIMARY KEY,
    digest TEXT NOT NULL UNIQUE,
    encoding TEXT NOT NULL CHECK (encoding IN ('utf-8', 'zstd')),
    bytes INTEGER NOT NULL,
    content BLOB NOT NULL
);
CREATE TABLE runs (
    run_id TEXT PRIMARY KEY,
    suite TEXT NOT NULL,
    created_at TEXT NOT NULL,
    finished_at TEXT,
    state TEXT NOT NULL CHECK (state IN ('running', 'complete', 'incomplete')),
    replay_of TEXT REFERENCES runs (run_id),
    name TEXT,
    note TEXT,
    version TEXT NOT NULL,
    config TEXT NOT NULL
);
CREATE TABLE variants (
    run_id TEXT NOT NULL REFERENCES runs (run_id),
    position INTEGER NOT NULL,
    sut TEXT NOT NULL,
    prompt TEXT NOT NULL,
    parser TEXT NOT NULL,
    diff_algorithm TEXT NOT NULL,
    prompt_digest TEXT NOT NULL,
    parser_digest TEXT NOT NULL,
    algorithm_digest TEXT NOT NULL,
    endpoint TEXT NOT NULL,
    simulated INTEGER NOT NULL,
    signature TEXT NOT NULL,
    PRIMARY KEY (run_id, sut, prompt, parser, diff_algorithm)
) WITHOUT ROWID;
CREATE TABLE cases (
    run_id TEXT NOT NULL REFERENCES runs (run_id),
    case_id TEXT NOT NULL,
    position INTEGER NOT NULL,
    digest TEXT NOT NULL,
    path TEXT,
    language TEXT,
    source TEXT,
    tokens INTEGER,
    skipped TEXT,
    content_id INTEGER REFERENCES texts (text_id),
    PRIMARY KEY (run_id, case_id)
) WITHOUT ROWID;
CREATE TABLE lanes (
    lane_id INTEGER PRIMARY KEY,
    run_id TEXT NOT NULL,
    sut TEXT NOT NULL,
    prompt TEXT NOT NULL,
    case_id TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'full', 'capped', 'abandoned')),
    system_id INTEGER REFERENCES texts (text_id),
    UNIQUE (run_id, sut, prompt, case_id),
    FOREIGN KEY (run_id, case_id) REFERENCES cases (run_id, case_id)
);
CREATE TABLE answers (
    answer_id INTEGER PRIMARY KEY,
    lane_id INTEGER NOT NULL REFERENCES lanes (lane_id),
    step INTEGER NOT NULL,
    mode TEXT NOT NULL,
    number INTEGER NOT NULL,
    try INTEGER NOT NULL,
    sent_at TEXT NOT NULL,
    outcome TEXT NOT NULL CHECK (outcome IN ('in_flight', 'answered', 'sut_error', 'timeout', 'lost', 'crashed')),
    error_kind TEXT,
    error_text TEXT,
    retries INTEGER NOT NULL DEFAULT 0,
    first_token_ms REAL,
    first_edit_ms REAL,
    first_line_ms REAL,
    closed_ms REAL,
    round_trip_ms REAL,
    input_tokens INTEGER,
    cache_read_tokens INTEGER,
    cache_write_tokens INTEGER,
    output_tokens INTEGER,
    reasoning_tokens INTEGER,
    provider_cost_usd REAL,
    list_cost_usd REAL,
    reserved_usd REAL,
    discarded_usd REAL,
    finish_reason TEXT,
    served_model TEXT,
    upstream TEXT,
    request_id INTEGER REFERENCES texts (text_id),
    text_id INTEGER REFERENCES texts (text_id),
    reasoning_id INTEGER REFERENCES texts (text_id),
    UNIQUE (lane_id, step, mode, number, try)
);
CREATE TABLE streams (
    answer_id INTEGER PRIMARY KEY REFERENCES answers (answer_id),
    wire TEXT NOT NULL,
    codec TEXT NOT NULL,
    pieces INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    data BLOB NOT NULL
);
CREATE TABLE scorings (
    scoring_id INTEGER PRIMARY KEY,
    run_id TEXT NOT NULL REFERENCES runs (run_id),
    answer_id INTEGER NOT NULL REFERENCES answers (answer_id),
    parser TEXT NOT NULL,
    diff_algorithm TEXT NOT NULL,
    outcome TEXT NOT NULL,
    valid INTEGER NOT NULL,
    solved INTEGER NOT NULL,
    equals_expected INTEGER,
    num_edits INTEGER,
    lines_added INTEGER,
    lines_removed INTEGER,
    parses_before INTEGER,
    parses_after INTEGER,
    error_text TEXT,
    parsed_calls TEXT,
    blocks TEXT,
    detail TEXT,
    edited_id INTEGER REFERENCES texts (text_id),
    UNIQUE (answer_id, run_id, parser, diff_algorithm)
);
CREATE TABLE scores (
    scoring_id INTEGER NOT NULL REFERENCES scorings (scoring_id),
    metric TEXT NOT NULL,
    value REAL NOT NULL,
    PRIMARY KEY (scoring_id, metric)
) WITHOUT ROWID;
CREATE VIEW attempts AS
SELECT
    s.run_id, l.sut, l.prompt, s.parser, s.diff_algorithm, l.case_id, a.step, a.mode, a.number, a.try,
    s.outcome, s.valid, s.solved, s.equals_expected, s.num_edits, s.lines_added, s.lines_removed,
    s.parses_before, s.parses_after, s.error_text,
    a.first_token_ms, a.first_edit_ms, a.first_line_ms, a.closed_ms, a.round_trip_ms,
    a.input_tokens, a.cache_read_tokens, a.cache_write_tokens, a.output_tokens, a.reasoning_tokens,
    coalesce(a.provider_cost_usd, a.list_cost_usd) AS cost_usd,
    a.finish_reason, a.served_model, a.upstream, a.sent_at, a.answer_id, s.scoring_id, l.lane_id
FROM scorings s JOIN answers a USING (answer_id) JOIN lanes l USING (lane_id);
CREATE VIEW infrastructure AS
SELECT
    l.run_id, l.sut, l.prompt, l.case_id, a.step, a.mode, a.number, a.try, a.outcome, a.error_kind, a.error_text,
    a.retries, a.reserved_usd, a.discarded_usd, a.sent_at, a.answer_id, l.lane_id
FROM answers a JOIN lanes l USING (lane_id)
WHERE a.outcome NOT IN ('in_flight', 'answered');
"""


# Suites are named as their folders; a signature begins with the name of its run's suite.
_SUITE_NAMES = """
UPDATE runs SET suite = 'diff_edit' WHERE suite = 'diff-edit';
UPDATE runs SET suite = 'nextedit' WHERE suite = 'next-edit';
UPDATE variants SET signature = 'diff_edit|' || substr(signature, 11) WHERE signature LIKE 'diff-edit|%';
UPDATE variants SET signature = 'nextedit|' || substr(signature, 11) WHERE signature LIKE 'next-edit|%';
"""


# A request is one row of `calls`, written before it is sent: an answer may have taken several.
_CALLS = """
CREATE TABLE calls (
    call_id INTEGER PRIMARY KEY,
    answer_id INTEGER NOT NULL REFERENCES answers (answer_id) ON DELETE CASCADE,
    retry INTEGER NOT NULL,
    sent_at TEXT NOT NULL,
    outcome TEXT NOT NULL CHECK (outcome IN ('in_flight', 'answered', 'failed', 'lost')),
    error_kind TEXT,
    error_text TEXT,
    reserved_usd REAL,
    cost_usd REAL,
    UNIQUE (answer_id, retry)
);
ALTER TABLE answers ADD COLUMN note TEXT;
ALTER TABLE answers ADD COLUMN disturbed_ms REAL;
"""


# A run is filled in one session or more.
_SESSIONS = """
CREATE TABLE sessions (
    session_id INTEGER PRIMARY KEY,
    run_id TEXT NOT NULL REFERENCES runs (run_id),
    began_at TEXT NOT NULL,
    late_p99_ms REAL NOT NULL,
    late_max_ms REAL NOT NULL
);
"""


# The one definition of how a scoring ended, for reports, comparisons and exports. `right` is an expected file, a solved
# task or a correct label; an applied edit of a file whose expected result is unknown is never right.
_CLASSES = """
CREATE VIEW classes AS
SELECT scoring_id, CASE
    WHEN outcome IN ('crashed', 'infra') THEN 'infrastructure'
    WHEN NOT valid THEN 'invalid'
    WHEN outcome = 'solved' THEN 'right'
    WHEN outcome = 'unsolved' THEN 'wrong'
    WHEN outcome = 'untested' THEN 'untested'
    WHEN outcome NOT IN ('applied', 'applied_nothing') THEN 'failed'
    WHEN equals_expected THEN 'right'
    WHEN outcome = 'applied_nothing' THEN 'failed'
    WHEN equals_expected IS NULL THEN 'applied ?'
    ELSE 'wrong'
END AS class FROM scorings;
"""


# What a server measured itself, and the lanes whose question does not fit into its context window.
_SERVERS = """
ALTER TABLE answers ADD COLUMN server_prompt_ms REAL;
ALTER TABLE answers ADD COLUMN server_output_ms REAL;
CREATE TABLE overflows (
    run_id TEXT NOT NULL REFERENCES runs (run_id),
    sut TEXT NOT NULL,
    prompt TEXT NOT NULL,
    case_id TEXT NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (run_id, sut, prompt, case_id)
) WITHOUT ROWID;
"""


# A lane may end by an answer that repeats an earlier one, and a system may be asked without parameters that it refuses.
_REPEATS = """
ALTER TABLE lanes ADD COLUMN settled_at INTEGER;
ALTER TABLE variants ADD COLUMN unsent TEXT NOT NULL DEFAULT '';
"""


# The measure of next edits has a version; what was recorded without one is of the first.
_MEASURE = """
UPDATE runs SET config = json_set(config, '$.identity.measure', 1) WHERE suite = 'nextedit'
    AND CASE WHEN json_valid(config) THEN json_extract(config, '$.identity.measure') IS NULL END;
UPDATE variants SET signature = 'nextedit@1|' || substr(signature, 10) WHERE signature LIKE 'nextedit|%';
"""


# Runs of next edits have lists of prompts and of algorithms, and a context, which was that of the touched files.
_CONTEXT = """
UPDATE runs SET config = json_set(config, '$.identity.context', 'touched') WHERE suite = 'nextedit'
    AND CASE WHEN json_valid(config) THEN json_extract(config, '$.identity.context') IS NULL END;
UPDATE runs SET config = json_remove(json_set(config,
        '$.identity.prompts', json_array(json_extract(config, '$.identity.prompt')),
        '$.identity.question', json_array(json_extract(config, '$.identity.question')),
        '$.identity.diff_apply', json_array(json_extract(config, '$.identity.diff_apply'))), '$.identity.prompt')
    WHERE suite = 'nextedit' AND replay_of IS NULL
    AND CASE WHEN json_valid(config) THEN json_extract(config, '$.identity.prompt') IS NOT NULL END;
UPDATE variants SET signature = signature || '|context touched' WHERE signature LIKE 'nextedit@%'
    AND signature NOT LIKE '%|context %';
"""

# Variants may edit with another tool than the XML one of SEARCH/REPLACE blocks, which is "".
_EDIT_TOOLS = """
ALTER TABLE variants ADD COLUMN edit_tool TEXT NOT NULL DEFAULT '';
"""


# A model may be served by several servers: each request names the one that it was sent to.
_REPLICAS = """
ALTER TABLE calls ADD COLUMN replica TEXT;
"""


# A run may be divided among several databases; which shards of it one holds, and whether their lanes are done.
_SHARDS = """
CREATE TABLE shards (
    run_id TEXT NOT NULL REFERENCES runs (run_id),
    shards INTEGER NOT NULL,
    shard INTEGER NOT NULL,
    complete INTEGER NOT NULL,
    PRIMARY KEY (run_id, shards, shard)
) WITHOUT ROWID;
"""


# Append-only: a released script never changes, the next one alters what it made.
MIGRATIONS: Mapping[str, str] = {
    "m001_tables": _TABLES,
    "m002_suite_names": _SUITE_NAMES,
    "m003_calls": _CALLS,
    "m004_sessions": _SESSIONS,
    "m005_classes": _CLASSES,
    "m008_servers": _SERVERS,
    "m009_repeats": _REPEATS,
    "m010_measure": _MEASURE,
    "m012_context": _CONTEXT,
    "m014_tallies": TALLIES,
    "m016_edit_tools": _EDIT_TOOLS,
    "m020_replicas": _REPLICAS,
    "m021_kept_figures": KEPT,
    "m022_batches": BATCHES,
    "m025_shards": _SHARDS,
}


def applied(connection: sqlite3.Connection) -> frozenset[str]:
    """Return the names of the migrations that a database has had."""
    sql = f"SELECT name FROM {MIGRATIONS_TABLE} WHERE migration_set = ?"  # noqa: S608 - the table is a constant
    return frozenset(str(row[0]) for row in connection.execute(sql, (MIGRATION_SET,)))


Objects = frozenset[tuple[str, str, str]]


def objects_made(blank: sqlite3.Connection, applied_names: Collection[str]) -> Objects:
    """Return kind, name and SQL of what these migrations make in `blank`, an empty database."""
    for name, script in MIGRATIONS.items():
        if name in applied_names:
            blank.executescript(script)
    return _objects(blank)


def what_is_foreign(connection: sqlite3.Connection, expected: Objects) -> str:
    """Return what in a database's schema is foreign or missing, with the fix; "" where all is as evals makes it.

    A view, a trigger or a virtual table runs what its author wrote when rows are read or written; so does a table of
    ours that was given a generated column or a check. Other plain tables and indexes are the user's own. `expected` is
    what the migrations make that the database has had.
    """
    actual = _objects(connection)
    names = {name for _, name, _ in expected}
    for kind, name, sql in sorted(actual - expected):
        if name in names and kind in {"table", "view"}:
            return f"its {kind} {name!r} is not as evals makes it; export from the original file"
        if not sql.upper().startswith(_PLAIN.get(kind, ("!",))):
            noun = "virtual table" if kind == "table" else kind
            return f"it has a {noun} {name!r} that evals did not make; drop it, or use a copy that has none"
    for kind, name, _ in sorted(expected - actual):
        return f"its {kind} {name!r} is missing; restore the file from a copy"
    return ""


def _objects(connection: sqlite3.Connection) -> Objects:
    """Kind, name and SQL of each object, but for the indexes that constraints make."""
    rows = connection.execute("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL")
    return frozenset((str(kind), str(name), " ".join(str(sql).split())) for kind, name, sql in rows)


def migrate(connection: sqlite3.Connection) -> None:
    """Apply what is pending, each migration in a transaction of its own.

    sqlite-utils is imported here alone, as most calls have nothing to migrate.
    """
    with _without_data_frames():
        from sqlite_utils import Database, Migrations

    migrations = Migrations(MIGRATION_SET)
    for name, script in MIGRATIONS.items():

        def apply(db: Database, script: str = script) -> None:
            for statement in script.split(";\n"):
                if statement.strip():
                    db.execute(statement)

        migrations(name=name)(apply)
    migrations.apply(Database(connection))


@contextmanager
def _without_data_frames() -> Iterator[None]:
    """Hide pandas and numpy where they are not loaded yet: sqlite-utils imports them for types that no table here has.

    They would cost more than the rest of a small run.
    """
    hidden = [name for name in ("pandas", "numpy") if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]  # None: an import of it fails
    try:
        yield
    finally:
        for name in hidden:
            del sys.modules[name]
