"""The commits of a run on record."""

import tempfile
from pathlib import Path

from runner.storage.store import Store
from runner.suites.nextedit.commits import Commit, Limits
from runner.suites.nextedit.sources import Ready, from_cases

_CASES = "SELECT content_id FROM cases WHERE run_id = ?1 AND skipped IS NULL AND ?2 IN ('', case_id)"
_ANY_SIZE = Limits(min_edits=1, max_edits=1_000_000)


def commits_of_run(store: Store, run_id: str, case_id: str = "") -> dict[str, Commit]:
    """The commits of a run by case id, as the run knew them; with `case_id` that one alone."""
    rows = store.rows(_CASES, run_id, case_id)
    with tempfile.TemporaryDirectory(prefix="run-") as folder:
        for number, row in enumerate(rows):
            content = store.text(row["content_id"]) or ""
            Path(folder, f"{number:06}.json").write_text(content, encoding="utf-8", newline="\n")
        commits = (row.commit for row in from_cases(Path(folder), _ANY_SIZE) if isinstance(row, Ready))
        return {commit.case_id: commit for commit in commits}
