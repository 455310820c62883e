"""What a selftest is made of: the models with their known rates, the sizes, and the parts that are on trial."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from runner.prices import Price, Prices, Rate
from runner.records import Completion, Outcome, Scoring
from runner.run.diff_scoring import EditedFile, Scorer, is_valid, score_answer
from runner.run.limits import Rates
from runner.run.pace import Deadlines, Pace
from suts.simulated.spec import ModelSpec, WireName, parse_spec
from suts.simulated.usage import SIM_PRICES, SIM_PRICES_DATE
from suts.wires import WIRES

# Every kind, so often that each occurs dozens of times; 429 and 529 rarely, since the limiter slows down for them.
FAULTS = "429=0.01,500=0.06,529=0.01,reset=0.05,malformed=0.05,cut=0.05,stall=0.01,error=0.05"
# Those that a client can only take for its own server's weakness: the answer is there, or is asked for again.
HARDSHIP_FAULTS = "error=0.05,odd=0.1,open=0.1"
# With another seed one interval in twenty misses the known rate, as 95 % intervals do; with this one none does.
SEED = 4
_DEADLINES = Deadlines(first_token_s=10.0, idle_s=2.5, total_s=60.0)
_WIRES: dict[str, WireName] = {
    "openai": "openai-chat",
    "openai-responses": "openai-responses",
    "anthropic": "anthropic-messages",
}


@dataclass(frozen=True, slots=True)
class TrialModel:
    """A simulated model as it is named to `evals diff`, such as `openai/any?valid=0.7`."""

    sut: str

    @property
    def model(self) -> str:
        """The model as the server knows it."""
        return self.sut.partition("/")[2]

    @property
    def in_process(self) -> bool:
        """Return whether it answers without a server, in virtual time."""
        return self.sut.startswith("sim/")

    @property
    def spec(self) -> ModelSpec:
        """The known rates, with the wire over which the model answers."""
        spec = parse_spec(self.model)
        wire = _WIRES.get(self.sut.partition("/")[0], spec.bill.wire)
        return replace(spec, bill=replace(spec.bill, wire=wire))

    @property
    def wire(self) -> str:
        """The name of its wire."""
        return WIRES[self.spec.bill.wire].name


# Streams long enough that a clock which runs 5 % fast shows, and models that differ: equal ones would share the
# numbers of their attempts.
SERVED = tuple(
    TrialModel(f"{sut}&ttft_ms=120&gap_ms={gap_ms}")
    for sut, gap_ms in (
        ("openai/any?valid=0.7&applied=0.6", 10),
        ("openai/sloppy?prose=12", 10),
        ("openai/chatty?flavour=openrouter", 5),
        ("openai-responses/any?valid=0.8&applied=0.55", 10),
        ("openai-responses/chatty?reasoning=30", 5),
        ("anthropic/any?valid=0.75&applied=0.5", 10),
        ("anthropic/careful?prose=25", 10),
        ("anthropic/chatty?valid=0.85", 5),
    )
)
IN_PROCESS = (
    TrialModel("sim/sloppy?time=virtual&valid=0.8"),
    TrialModel("sim/chatty?time=virtual&valid=0.8&wire=anthropic-messages"),
)

# The same with native calls, over each wire; a model differs from those above, so that its numbers are its own.
SERVED_NATIVE = tuple(
    TrialModel(f"{sut}&ttft_ms=120&gap_ms={gap_ms}")
    for sut, gap_ms in (
        ("openai/any?valid=0.72&applied=0.58&bad_arguments=2", 10),
        ("openai-responses/sloppy?prose=15&bad_arguments=1", 10),
        ("anthropic/chatty?valid=0.82&bad_arguments=1", 5),
    )
)
IN_PROCESS_NATIVE = tuple(
    TrialModel(f"sim/sloppy?time=virtual&valid=0.8&bad_arguments=1&wire={wire}")
    for wire in ("openai-chat", "openai-responses", "anthropic-messages")
)


# With each edit tool, over each wire, in the text and natively; of short streams, since there are many.
SERVED_TOOLS = tuple(
    TrialModel(f"{sut}&ttft_ms=5&gap_ms=1&piece=40")
    for sut in (
        "openai/any?valid=0.7&applied=0.5",
        "openai-responses/any?valid=0.72&applied=0.5",
        "anthropic/any?valid=0.74&applied=0.5",
    )
)


@dataclass(frozen=True, slots=True)
class Scale:
    """How much is asked: cases, valid attempts per case and model, and attempts at once.

    `tool_cases` are the cases of each edit tool; with 0 the tools are left out.
    """

    cases: int
    quota: int
    slots: int
    tool_cases: int = 0

    @property
    def pace(self) -> Pace:
        """The pace of a trial; its deadlines are short enough that stalls exceed them."""
        return Pace(self.slots, Rates(concurrency=self.slots), _DEADLINES)


FAST = Scale(cases=16, quota=2, slots=32)
FULL = Scale(cases=40, quota=8, slots=100, tool_cases=4)


def simulated_prices() -> Prices:
    """Return the fictional prices at which the simulated models bill, by the ids under which they are asked here."""
    prices = {
        f"{provider}/{preset}": Price(Rate(price.input, price.output, price.cache_read, price.cache_write))
        for provider in (*_WIRES, "sim")
        for preset, price in SIM_PRICES.items()
    }
    return Prices(SIM_PRICES_DATE, prices)


def prices_as_asked(prices: Prices, names: Iterable[str]) -> Prices:
    """Return the prices also by the ids with rates (`openai/any?valid=0.8`) under which models are served."""
    by_id = {name: prices.models.get(name.partition("?")[0]) for name in names}
    return replace(prices, models={**prices.models, **{name: price for name, price in by_id.items() if price}})


def strictly_valid(outcome: Outcome) -> bool:
    """Return the product's own rule."""
    return is_valid(outcome, "strict")


@dataclass(frozen=True, slots=True)
class Parts:
    """What is on trial: with a wrong one in its place the selftest has to fail.

    `score` judges answers, `valid` says which outcomes count towards the quota, `now_ns` is the monotonic clock
    that stamps what is sent and received, `prices` is the price table.
    """

    score: Scorer = score_answer
    valid: Callable[[Outcome], bool] = strictly_valid
    now_ns: Callable[[], int] = time.monotonic_ns
    prices: Prices = field(default_factory=simulated_prices)


def scorer_of(parts: Parts) -> Scorer:
    """Return the scorer on trial, under the validity rule on trial."""

    def score(case: EditedFile, completion: Completion, *rest: object) -> tuple[Scoring, ...]:
        scorings = parts.score(case, completion, *rest)  # type: ignore[arg-type]
        return tuple(replace(scoring, valid=parts.valid(scoring.outcome)) for scoring in scorings)

    return score
