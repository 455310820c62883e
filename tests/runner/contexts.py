"""Call contexts in virtual time: what every call of a run shares, over a database of its own."""

from dataclasses import dataclass, field

from parsers import PARSERS
from runner.prices import Price, Prices, Rate
from runner.run.ask import asking
from runner.run.breaker import UNTRIED, PreflightResult
from runner.run.budget import Budget
from runner.run.call_context import CallContext, Retries
from runner.run.engine import Ended, Lane
from runner.run.limits import CallLimits, Rates
from runner.run.pace import Deadlines
from runner.run.protocols import Ask, TruthOf
from runner.storage.ledger import LaneKey, Ledger
from runner.storage.store import Row, Store
from runner.storage.writer import WritePatience
from suts.sut import Sut
from tests.runner.made_runs import SUT, UTC
from tests.runner.virtual_time import now_ns, now_s

LANE = LaneKey(SUT, "basic", "a")
PRICES = Prices("2026-01-01", {SUT: Price(Rate(input=1.0, output=10.0))})


@dataclass
class Contexts:
    """Makes call contexts; `said` holds the lines that people were shown."""

    store: Store
    run_id: str = "r1"
    prices: Prices = PRICES
    budget: Budget = field(default_factory=Budget)
    rates: Rates = field(default_factory=Rates)
    deadlines: Deadlines = field(default_factory=Deadlines)
    retries: Retries = field(default_factory=Retries)
    truth: TruthOf | None = None
    slots: int = 80
    preflight: PreflightResult = UNTRIED
    patience: WritePatience = field(default_factory=WritePatience)
    said: list[str] = field(default_factory=list)

    def new(self) -> CallContext:
        """The context of a new session; its ledger is to be entered."""
        return CallContext(
            ledger=Ledger(self.store, self.run_id, lambda: UTC, self.said.append, self.patience),
            limits=CallLimits(self.rates, self.slots, now_s, self.said.append, self.preflight),
            budget=self.budget,
            prices=self.prices,
            now_ns=now_ns,
            say=self.said.append,
            deadlines=self.deadlines,
            retries=self.retries,
            truth=self.truth,
        )

    def answers(self) -> list[Row]:
        """All rows of answers, in the order of their making."""
        return self.store.rows("SELECT * FROM answers ORDER BY answer_id")

    def calls(self) -> list[Row]:
        """All rows of calls, in the order of their making."""
        return self.store.rows("SELECT * FROM calls ORDER BY call_id")


def asked(context: CallContext, sut: Sut, lane: LaneKey = LANE) -> Ask:
    """An Ask of one lane, with the usual parser."""
    return asking(context, sut, lane, PARSERS["xml-tools-v2"])


class Deaf:
    """Listens to nothing."""

    def began(self, lane: Lane, number: int) -> None:
        pass

    def ended(self, ended: Ended) -> None:
        pass
