"""What a run cost, by three ledgers: list prices, what providers report, and what was set aside."""

from dataclasses import dataclass

from runner.document import Document, Table
from runner.prices import SIMULATED_USD
from runner.report.tables import usd
from runner.storage.store import Row, Store


@dataclass(frozen=True, slots=True)
class ModelCost:
    """One model's calls and USD; None = unknown for at least one answer.

    - `list_usd`: tokens at list prices. `provider_usd`: as the provider reports, over `reported` answers, and
      `list_of_reported_usd` the list price of those same answers, so that the two can be held together.
    - `paid_usd`: of each answer the provider's figure, else its list price.
    - `reserved_usd`: what was set aside for all calls before they were sent.
    - `discarded_usd`: the most that half answers, lost calls and calls in flight may have cost.
    - `simulated` prices are fictional: the amounts are those that a budget counts, and nobody pays them.
    """

    sut: str
    simulated: bool
    calls: int
    answers: int
    reported: int
    input_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    output_tokens: int
    reasoning_tokens: int
    list_usd: float | None
    provider_usd: float | None
    list_of_reported_usd: float | None
    paid_usd: float | None
    reserved_usd: float | None
    discarded_usd: float | None

    @property
    def difference_usd(self) -> float | None:
        """Reported less list price, over the answers that have both."""
        if self.provider_usd is None or self.list_of_reported_usd is None:
            return None
        return self.provider_usd - self.list_of_reported_usd

    @property
    def at_most_usd(self) -> float | None:
        """What was surely paid, and all that may have been paid beside it."""
        if self.paid_usd is None or self.discarded_usd is None:
            return None
        return self.paid_usd + self.discarded_usd


_COSTS = """
SELECT l.sut,
    EXISTS (SELECT 1 FROM variants v WHERE v.run_id = l.run_id AND v.sut = l.sut AND v.simulated) AS simulated,
    count(*) AS calls, sum(a.outcome IN ('answered', 'crashed')) AS answers,
    sum(a.provider_cost_usd IS NOT NULL) AS reported,
    coalesce(sum(a.input_tokens), 0) AS input_tokens,
    coalesce(sum(a.cache_read_tokens), 0) AS cache_read_tokens,
    coalesce(sum(a.cache_write_tokens), 0) AS cache_write_tokens,
    coalesce(sum(a.output_tokens), 0) AS output_tokens,
    coalesce(sum(a.reasoning_tokens), 0) AS reasoning_tokens,
    CASE WHEN sum(a.outcome IN ('answered', 'crashed') AND a.list_cost_usd IS NULL) = 0
        THEN coalesce(sum(a.list_cost_usd), 0) END AS list_usd,
    sum(a.provider_cost_usd) AS provider_usd,
    CASE WHEN sum(a.provider_cost_usd IS NOT NULL AND a.list_cost_usd IS NULL) = 0
        THEN sum(CASE WHEN a.provider_cost_usd IS NOT NULL THEN a.list_cost_usd END) END AS list_of_reported_usd,
    CASE WHEN sum(a.outcome IN ('answered', 'crashed') AND coalesce(a.provider_cost_usd, a.list_cost_usd) IS NULL) = 0
        THEN coalesce(sum(coalesce(a.provider_cost_usd, a.list_cost_usd)), 0) END AS paid_usd,
    CASE WHEN sum(a.reserved_usd IS NULL) = 0 THEN sum(a.reserved_usd) END AS reserved_usd,
    CASE WHEN sum(a.reserved_usd IS NULL) = 0 THEN coalesce(sum(
        coalesce(a.discarded_usd, 0) + CASE WHEN a.outcome = 'in_flight' THEN a.reserved_usd ELSE 0 END), 0)
    END AS discarded_usd
FROM answers a JOIN lanes l USING (lane_id) WHERE l.run_id = ? GROUP BY l.sut ORDER BY l.sut
"""


def costs(store: Store, run: Row) -> tuple[ModelCost, ...]:
    """Return the costs of a run by model; those of the run it replays where it asked nobody itself."""
    return tuple(
        ModelCost(**{**dict(row), "simulated": bool(row["simulated"])})
        for row in store.rows(_COSTS, run["replay_of"] or run["run_id"])
    )


def cost_document(run: Row, costs: tuple[ModelCost, ...]) -> Document:
    """Return the three ledgers side by side."""
    columns = ("model", "calls", "answers", "in", "cache read", "cache write", "out", "reasoning")
    tokens = tuple(
        (
            cost.sut,
            str(cost.calls),
            str(cost.answers),
            *(f"{count:,}" for count in (cost.input_tokens, cost.cache_read_tokens, cost.cache_write_tokens)),
            *(f"{count:,}" for count in (cost.output_tokens, cost.reasoning_tokens)),
        )
        for cost in costs
    )
    ledgers = tuple(_ledger(cost) for cost in costs)
    names = ("model", "list", "reported", "by", "reported - list", "set aside", "half and lost", "at most")
    note = "set aside: the bound of every call before it was sent; half and lost: bounds of calls that gave no answer"
    title = f"cost of run {run['run_id']}"
    return Document(
        title,
        (
            Table("tokens", columns, tokens, ("model", "calls", "in", "out")),
            Table("USD", names, ledgers, ("model", "list", "reported", "at most")),
        ),
        (note,),
    )


def _ledger(cost: ModelCost) -> tuple[str, ...]:
    """Return a model's row; the prices of simulated models are fictional, and nothing of theirs is shown."""
    if cost.simulated:
        return (cost.sut, SIMULATED_USD, "-", f"0/{cost.answers}", "-", "-", "-", SIMULATED_USD)
    return (
        cost.sut,
        usd(cost.list_usd),
        usd(cost.provider_usd) if cost.reported else "not reported",
        f"{cost.reported}/{cost.answers}",
        _difference(cost),
        usd(cost.reserved_usd),
        usd(cost.discarded_usd),
        usd(cost.at_most_usd),
    )


def _difference(cost: ModelCost) -> str:
    difference = cost.difference_usd
    if difference is None:
        return "-"
    base = cost.list_of_reported_usd
    share = f" ({100 * difference / base:+.2f} %)" if base else ""
    return f"${difference:+.4f}{share}"
