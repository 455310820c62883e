"""Holds list prices of answers against the price table at hand, which may be a later one than that of the run."""

from collections import defaultdict
from math import isclose

from runner.bundles.findings import BundleDifference, Verification
from runner.bundles.scorings import place_of
from runner.prices import Prices, load_prices
from runner.records import Tokens
from runner.run.consent import simulated_prices
from runner.storage.store import Row, Store

_ANSWERS = """
SELECT a.*, l.sut, l.prompt, l.case_id FROM answers a JOIN lanes l USING (lane_id)
WHERE l.run_id = ? AND a.outcome = 'answered' AND a.list_cost_usd IS NOT NULL AND a.round_trip_ms IS NOT NULL
ORDER BY a.answer_id"""


def check_costs(store: Store, run_id: str, result: Verification) -> None:
    """Compute the cost of each answer by list price from its tokens.

    Where all answers of a model cost otherwise, the run had another price table; where some do, these differ.
    """
    prices = load_prices(extra=simulated_prices())
    others: defaultdict[str, list[tuple[Row, float]]] = defaultdict(list)
    same: defaultdict[str, int] = defaultdict(int)
    for row in store.stream(_ANSWERS, run_id):
        cost = _cost(prices, row)
        if cost is None:
            continue
        if isclose(cost, row["list_cost_usd"], rel_tol=1e-9, abs_tol=1e-12):
            same[row["sut"]] += 1
        else:
            others[row["sut"]].append((row, cost))
    result.same["list prices"] += sum(same.values())
    for sut, rows in others.items():
        if not same[sut]:
            result.left.append(f"list prices of {len(rows)} answers of {sut}: the price table at hand has others")
            continue
        for row, cost in rows:
            recorded, computed = f"{row['list_cost_usd']:.6g}", f"{cost:.6g}"
            result.differs("list prices", BundleDifference(place_of(row), "list_cost_usd", recorded, computed))


def _cost(prices: Prices, row: Row) -> float | None:
    names = ("input", "cache_read", "cache_write", "output", "reasoning")
    return prices.cost(row["sut"], Tokens(**{name: row[f"{name}_tokens"] for name in names}))
