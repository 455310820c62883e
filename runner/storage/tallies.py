"""Counts of scorings and answers, kept as they are written: checked against the rows, and counted again."""

from runner.storage.store import Store
from runner.storage.tally_schema import ALL_ENDED, ALL_SCORED, ENDED_KEY, SCORED_KEY

_TABLES = {"scoring_tallies": (ALL_SCORED, SCORED_KEY), "answer_tallies": (ALL_ENDED, ENDED_KEY)}


def wrong_tallies(store: Store) -> dict[str, int]:
    """Return by table how many counts differ from the rows that they count; {} where all are right."""
    wrong = {name: _differing(store, name, counted, key) for name, (counted, key) in _TABLES.items()}
    return {name: count for name, count in wrong.items() if count}


def rebuild_tallies(store: Store) -> dict[str, int]:
    """Count all rows again, and drop kept figures; return by table how many counts were wrong."""
    with store.transaction():
        store.execute("DELETE FROM kept_figures")
        wrong = wrong_tallies(store)
        for name in wrong:
            store.execute(f"DELETE FROM {name}")  # noqa: S608 - a name of ours
            store.execute(f"INSERT INTO {name} {_TABLES[name][0]}")
    return wrong


def _differing(store: Store, table: str, counted: str, key: str) -> int:
    """Return how many keys have another count; sums of money are not compared, as they depend on their order."""
    columns = f"{key}, n"
    kept, actual = f"SELECT {columns} FROM {table} WHERE n != 0", f"SELECT {columns} FROM ({counted})"  # noqa: S608 - names of ours
    either = f"SELECT * FROM ({kept} EXCEPT {actual}) UNION ALL SELECT * FROM ({actual} EXCEPT {kept})"  # noqa: S608 - the same
    return int(store.rows(f"SELECT count(*) FROM (SELECT DISTINCT {key} FROM ({either}))")[0][0])  # noqa: S608 - the same
