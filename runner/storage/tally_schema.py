"""The tables of counts: what they count, how they are filled, and the triggers that keep them.

Each count is one query, of the row that is written or of all rows: so what is kept equals what is counted again.
"""

# What a scoring counts as. Blocks: 0 where there is none or their number is unknown, 3 stands for three or more.
_SCORED = """SELECT s.run_id, a.lane_id, a.step, a.mode, s.parser, s.diff_algorithm, c.class, s.outcome,
    min(coalesce(s.num_edits, 0), 3) AS edits, s.equals_expected IS NOT NULL AS compared
FROM scorings s JOIN classes c USING (scoring_id) JOIN answers a USING (answer_id)"""
SCORED_KEY = "run_id, lane_id, step, mode, parser, diff_algorithm, class, outcome, edits, compared"

# What an answer counts as. Clocks have two digits, so that there are few of them: 137.2 ms is 140; -1 = there is none.
_ENDED = """SELECT l.run_id, l.sut, l.prompt, a.outcome, coalesce(a.error_kind, '') AS error_kind,
    CASE WHEN a.first_edit_ms IS NULL THEN -1 ELSE CAST(printf('%.1e', a.first_edit_ms) AS REAL) END AS first_edit_ms,
    1 AS n, coalesce(a.output_tokens, 0) AS output_tokens,
    coalesce(a.provider_cost_usd, a.list_cost_usd, 0) AS cost_usd,
    a.provider_cost_usd IS NULL AND a.list_cost_usd IS NULL AS unpriced
FROM answers a JOIN lanes l USING (lane_id)"""
ENDED_KEY = "run_id, sut, prompt, outcome, error_kind, first_edit_ms"
_SUMS = ("n", "output_tokens", "cost_usd", "unpriced")
ENDED_SUMS = ", ".join(f"sum({name}) AS {name}" for name in _SUMS)

# All rows, as the tables count them.
ALL_SCORED = f"SELECT {SCORED_KEY}, count(*) AS n FROM ({_SCORED}) GROUP BY {SCORED_KEY}"  # noqa: S608 - constants
ALL_ENDED = (
    f"SELECT {ENDED_KEY}, {ENDED_SUMS} FROM ({_ENDED} WHERE a.outcome != 'in_flight')"  # noqa: S608 - the same
    f" GROUP BY {ENDED_KEY}"
)


def _summed(sign: str) -> str:
    return ", ".join(f"{name} = {name} {sign} excluded.{name}" for name in _SUMS)


def _count_scoring(row: str, sign: str) -> str:
    row_counted = f"{_SCORED} WHERE s.scoring_id = {row}.scoring_id"
    insert = f"INSERT INTO scoring_tallies SELECT *, 1 FROM ({row_counted}) WHERE true"  # noqa: S608 - the same
    return f"{insert} ON CONFLICT DO UPDATE SET n = n {sign} 1"


def _count_answer(row: str, sign: str) -> str:
    row_counted = f"{_ENDED} WHERE a.answer_id = {row}.answer_id"
    return f"INSERT INTO answer_tallies {row_counted} ON CONFLICT DO UPDATE SET {_summed(sign)}"


# A statement of a migration ends with its line, one inside a trigger does not.
TALLIES = f"""
CREATE TABLE scoring_tallies (
    run_id TEXT NOT NULL,
    lane_id INTEGER NOT NULL,
    step INTEGER NOT NULL,
    mode TEXT NOT NULL,
    parser TEXT NOT NULL,
    diff_algorithm TEXT NOT NULL,
    class TEXT NOT NULL,
    outcome TEXT NOT NULL,
    edits INTEGER NOT NULL,
    compared INTEGER NOT NULL,
    n INTEGER NOT NULL,
    PRIMARY KEY ({SCORED_KEY})
) WITHOUT ROWID;
CREATE TABLE answer_tallies (
    run_id TEXT NOT NULL,
    sut TEXT NOT NULL,
    prompt TEXT NOT NULL,
    outcome TEXT NOT NULL,
    error_kind TEXT NOT NULL,
    first_edit_ms REAL NOT NULL,
    n INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    cost_usd REAL NOT NULL,
    unpriced INTEGER NOT NULL,
    PRIMARY KEY ({ENDED_KEY})
) WITHOUT ROWID;
INSERT INTO scoring_tallies {ALL_SCORED};
INSERT INTO answer_tallies {ALL_ENDED};
CREATE TRIGGER scoring_counted AFTER INSERT ON scorings
BEGIN {_count_scoring("NEW", "+")}; END;
CREATE TRIGGER scoring_uncounted BEFORE DELETE ON scorings
BEGIN {_count_scoring("OLD", "-")}; END;
CREATE TRIGGER answer_counted AFTER INSERT ON answers WHEN NEW.outcome != 'in_flight'
BEGIN {_count_answer("NEW", "+")}; END;
CREATE TRIGGER answer_uncounted BEFORE UPDATE OF outcome ON answers WHEN OLD.outcome != 'in_flight'
BEGIN {_count_answer("OLD", "-")}; END;
CREATE TRIGGER answer_recounted AFTER UPDATE OF outcome ON answers WHEN NEW.outcome != 'in_flight'
BEGIN {_count_answer("NEW", "+")}; END;
"""
