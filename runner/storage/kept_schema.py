"""The table of kept figures of large runs, and the triggers that delete them when a row changes that they rest on."""

# Each changed row names its run, and the kept figures of a replay the run whose answers it scored.
_RUN = "run_id IN ({rows})"
_ANSWERS = "answers_of IN ({rows})"
_OF_LANE = "SELECT run_id FROM lanes WHERE lane_id = {row}.lane_id"
_OF_SCORING = "SELECT run_id FROM scorings WHERE scoring_id = {row}.scoring_id"
_ITSELF = "{row}.run_id"

_RESTS_ON = {
    "runs": (_RUN, _ITSELF),
    "variants": (_RUN, _ITSELF),
    "cases": (_ANSWERS, _ITSELF),
    "lanes": (_ANSWERS, _ITSELF),
    "sessions": (_ANSWERS, _ITSELF),
    "answers": (_ANSWERS, _OF_LANE),
    "scorings": (_RUN, _ITSELF),
    "scores": (_RUN, _OF_SCORING),
}
# The state of a run, its name and its note are in no figure.
_UPDATES = {"runs": "UPDATE OF run_id, replay_of, suite, config"}
_ROWS = {"INSERT": ("NEW",), "UPDATE": ("OLD", "NEW"), "DELETE": ("OLD",)}


def _trigger(table: str, event: str) -> str:
    condition, run_of = _RESTS_ON[table]
    runs = ", ".join(f"({run_of.format(row=row)})" for row in _ROWS[event])
    deleted = f"DELETE FROM kept_figures WHERE {condition.format(rows=runs)}"  # noqa: S608 - all of it is ours
    what = _UPDATES.get(table, event) if event == "UPDATE" else event
    head = f"CREATE TRIGGER kept_{table}_{event.lower()} BEFORE {what} ON {table}"
    return f"{head} WHEN EXISTS (SELECT 1 FROM kept_figures)\nBEGIN {deleted}; END;\n"  # noqa: S608 - the same


KEPT = f"""
CREATE TABLE kept_figures (
    run_id TEXT NOT NULL REFERENCES runs (run_id),
    answers_of TEXT NOT NULL,
    part TEXT NOT NULL,
    digest TEXT NOT NULL,
    content BLOB NOT NULL,
    PRIMARY KEY (run_id, part)
) WITHOUT ROWID;
{"".join(_trigger(table, event) for table in _RESTS_ON for event in _ROWS)}"""
