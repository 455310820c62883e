"""The configuration of a simulated model: rates, style and pace, read from an id such as `sim/any?valid=0.8`.

An answer is valid with probability `valid`; a valid one is right with probability `applied`. What a wrong or an
invalid answer looks like follows the weights in `failures` and `invalids`, which are relative to one another.
A completion has no form that could be invalid: it is right with probability `applied`, else one of `holes`.

| parameter | default | meaning |
|---|---|---|
| `valid`, `applied` | 1, 1 | the two rates, 0..1 |
| `spread` | 0 | cases differ: a case's own `applied` lies evenly within `applied` +- `spread` |
| `no_match` `ambiguous` `malformed_diff` | 5 1 1 | weights of the failures |
| `missing_diff` `truncated` `applied_nothing` | .5 1 .5 | the same |
| `bad_arguments` | 0 | the same, of native calls alone: other arguments than the tool declares, or no JSON |
| `no_call` `other_tool` `wrong_path` `missing_path` `several_calls` | 3 2 2 1 1 | weights of the invalid answers |
| `over_run` `empty` `wrong` | 1 1 1 | weights of the failures of completions |
| `gives_up` `other_file` `loops` | 1 1 0 | weights of what an agent does that is not valid |
| `fumbles` `rereads` `runs` | 0 | shares of the agents that edit in vain first, read twice, run a command |
| `drift` `middle` `legacy` `reorder` | 0 | share of the right answers with this deviation, 0..1 |
| `prose` `reasoning` | 20, 0 | mean words before the call, and of visible reasoning |
| `pieces` | 0 | exactly so many pieces in each answer, padded with prose; 0 = as `piece` says |
| `piece` | 14 | mean characters of a piece, 3 to 4 tokens |
| `ttft_ms` `gap_ms` `jitter` | 100 3 .5 | to the first piece, between pieces; each drawn within +- `jitter` of itself |
| `time` | real | `real` waits; `virtual` does not, and stamps the pieces as planned |
| `wire` | openai-chat | the format of the bytes: also `openai-responses`, `google-generate`, `anthropic-messages` |
| `flavour` | openai | `openrouter` adds the cost and the upstream's name to the chunks of openai-chat |
| `repairs` | .5 | share of the refused edits that the next turn of the same attempt repairs, whatever the other rates |
| `greedy` | 0 | 1: every attempt at a case gets the answer of the first, as at temperature 0 |
| `cached` | 0 | share of the prompt that the first attempt writes to the prompt cache and later ones read |

`valid`, `applied` and `spread` may have the name of a prompt before them, such as `strict.applied=.8`: then they hold
for that prompt. Answers to it are drawn independently of those to other prompts, while the same cases stay difficult. A
server does not know the names of prompts: over HTTP the other rates hold for all.
"""

from collections.abc import Mapping
from dataclasses import astuple, dataclass, field, replace
from typing import Final, Literal

from suts.simulated.agent_shares import AgentShares, agent_shares
from suts.simulated.query import Query

WireName = Literal[
    "openai-chat", "openai-text", "openai-responses", "anthropic-messages", "google-generate", "llamacpp-infill"
]
_ANSWERING: Final[Mapping[str, WireName]] = {
    "openai-chat": "openai-chat",
    "openai-responses": "openai-responses",
    "anthropic-messages": "anthropic-messages",
    "anthropic": "anthropic-messages",
    "google-generate": "google-generate",
}
FAILURES: Final[Mapping[str, float]] = {
    "no_match": 5.0,
    "ambiguous": 1.0,
    "malformed_diff": 1.0,
    "missing_diff": 0.5,
    "truncated": 1.0,
    "applied_nothing": 0.5,
    "bad_arguments": 0.0,
}
INVALIDS: Final[Mapping[str, float]] = {
    "no_call": 3.0,
    "other_tool": 2.0,
    "wrong_path": 2.0,
    "missing_path": 1.0,
    "several_calls": 1.0,
}
# Without a weight it is no part of a model's identity: there were models before it.
_NATIVE_ONLY: Final = "bad_arguments"
PROMPT_RATES: Final = ("valid", "applied", "spread")
HOLES: Final[Mapping[str, float]] = {"over_run": 1.0, "empty": 1.0, "wrong": 1.0}


@dataclass(frozen=True, slots=True)
class Style:
    """Shares of right answers with a deviation that not every diff algorithm forgives, and how wordy answers are."""

    drift: float = 0.0
    middle: float = 0.0
    legacy: float = 0.0
    reorder: float = 0.0
    prose: int = 20
    reasoning: int = 0


@dataclass(frozen=True, slots=True)
class PaceSpec:
    """How an answer is cut into pieces and when each is due; see the table above for the units."""

    pieces: int = 0
    piece: int = 14
    ttft_ms: float = 100.0
    gap_ms: float = 3.0
    jitter: float = 0.5
    time: Literal["real", "virtual"] = "real"


Flavour = Literal["openai", "openrouter", "llamacpp"]


@dataclass(frozen=True, slots=True)
class Bill:
    """In which format the answer is sent, and what it says of its cost."""

    wire: WireName = "openai-chat"
    flavour: Flavour = "openai"
    cached: float = 0.0


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """One simulated model. `preset` names its prices; `identity` is all that decides what it answers, as one text.

    `by_prompt` are the models as which it answers to prompts with rates of their own: each has its `prompt`, and in
    `base` the identity of this one. Pace and bill are no part of `identity`: one model gives the same answers at any
    speed over either wire.
    """

    preset: str
    valid: float = 1.0
    applied: float = 1.0
    spread: float = 0.0
    failures: Mapping[str, float] = field(default_factory=lambda: dict(FAILURES))
    invalids: Mapping[str, float] = field(default_factory=lambda: dict(INVALIDS))
    holes: Mapping[str, float] = field(default_factory=lambda: dict(HOLES))
    style: Style = field(default_factory=Style)
    pace: PaceSpec = field(default_factory=PaceSpec)
    bill: Bill = field(default_factory=Bill)
    by_prompt: Mapping[str, "ModelSpec"] = field(default_factory=dict)
    prompt: str = ""
    base: str = ""
    greedy: bool = False
    repairs: float = 0.5
    agent: AgentShares = field(default_factory=AgentShares)
    identity: str = field(init=False)

    def __post_init__(self) -> None:
        """Write the identity once: every draw begins with it."""
        failures = [weight for kind, weight in self.failures.items() if weight or kind != _NATIVE_ONLY]
        rates = (self.valid, self.applied, self.spread, *failures, *self.invalids.values())
        numbers = (format(number, "g") for number in (*rates, *astuple(self.style)))
        weights = [format(number, "g") for number in self.holes.values()] if self.holes != HOLES else []
        prompt = [f"prompt {self.prompt}"] if self.prompt else []
        object.__setattr__(self, "identity", ",".join([self.preset, *numbers, *weights, *prompt]))

    @property
    def case_identity(self) -> str:
        """What decides how difficult each case is: the identity without the prompt and its rates."""
        return self.base or self.identity

    def under(self, prompt: str) -> "ModelSpec":
        """Return the model as it answers to a prompt: itself, unless rates were configured for that prompt."""
        return self.by_prompt.get(prompt, self)


PRESETS: Final[Mapping[str, ModelSpec]] = {
    "any": ModelSpec("any"),
    "careful": ModelSpec(
        "careful", valid=0.98, applied=0.95, spread=0.04, style=Style(drift=0.05, legacy=0.02, reorder=0.05)
    ),
    "sloppy": ModelSpec(
        "sloppy",
        valid=0.85,
        applied=0.65,
        spread=0.2,
        style=Style(drift=0.3, middle=0.2, legacy=0.15, reorder=0.3, prose=8),
    ),
    "chatty": ModelSpec(
        "chatty",
        valid=0.9,
        applied=0.8,
        spread=0.1,
        style=Style(drift=0.1, middle=0.05, legacy=0.05, reorder=0.1, prose=120, reasoning=80),
        bill=Bill(cached=0.5),
    ),
    "truth": ModelSpec("truth"),
    "over-run": ModelSpec("over-run", applied=0.0, holes={"over_run": 1.0, "empty": 0.0, "wrong": 0.0}),
    "empty": ModelSpec("empty", applied=0.0, holes={"over_run": 0.0, "empty": 1.0, "wrong": 0.0}),
    "wrong": ModelSpec("wrong", applied=0.0, holes={"over_run": 0.0, "empty": 0.0, "wrong": 1.0}),
}


def parse_spec(model: str, defaults: str = "") -> ModelSpec:
    """Return the model of an id `[sim/]PRESET[?name=value&...]`; `defaults` (name=value&...) adds what it leaves open.

    Raises ValueError, one line saying what is wrong.
    """
    name, _, parameters = model.removeprefix("sim/").partition("?")
    if name not in PRESETS:
        raise ValueError(f"no simulated model {model!r}: choose one of {', '.join(sorted(PRESETS))}")
    base, query = PRESETS[name], Query(model, parameters, defaults)
    spec = ModelSpec(
        name,
        valid=query.share("valid", base.valid),
        applied=query.share("applied", base.applied),
        spread=query.share("spread", base.spread),
        failures={kind: query.number(kind, weight) for kind, weight in base.failures.items()},
        invalids={kind: query.number(kind, weight) for kind, weight in base.invalids.items()},
        holes={kind: query.number(kind, weight) for kind, weight in base.holes.items()},
        style=_style(query, base.style),
        pace=_pace(query, base.pace),
        bill=_bill(query, base.bill),
        greedy=query.word("greedy", "0", ("0", "1")) == "1",
        repairs=query.share("repairs", base.repairs),
        agent=agent_shares(query),
    )
    own_rates = query.prefixed(PROMPT_RATES)
    query.close()
    by_prompt = {prompt: _under(spec, prompt, rates) for prompt, rates in own_rates.items()}
    for checked in (spec, *by_prompt.values()):
        _check(model, checked)
    return replace(spec, by_prompt=by_prompt)


def _under(spec: ModelSpec, prompt: str, rates: Mapping[str, float]) -> ModelSpec:
    return replace(
        spec,
        prompt=prompt,
        base=spec.identity,
        valid=rates.get("valid", spec.valid),
        applied=rates.get("applied", spec.applied),
        spread=rates.get("spread", spec.spread),
    )


def _style(query: Query, base: Style) -> Style:
    return Style(
        drift=query.share("drift", base.drift),
        middle=query.share("middle", base.middle),
        legacy=query.share("legacy", base.legacy),
        reorder=query.share("reorder", base.reorder),
        prose=query.whole("prose", base.prose),
        reasoning=query.whole("reasoning", base.reasoning),
    )


def _pace(query: Query, base: PaceSpec) -> PaceSpec:
    return PaceSpec(
        pieces=query.whole("pieces", base.pieces),
        piece=max(1, query.whole("piece", base.piece)),
        ttft_ms=query.number("ttft_ms", base.ttft_ms),
        gap_ms=query.number("gap_ms", base.gap_ms),
        jitter=query.share("jitter", base.jitter),
        time="virtual" if query.word("time", base.time, ("real", "virtual")) == "virtual" else "real",
    )


def _bill(query: Query, base: Bill) -> Bill:
    wire = query.word("wire", base.wire, tuple(_ANSWERING))
    flavour = query.word("flavour", base.flavour, ("openai", "openrouter"))
    return Bill(
        wire=_ANSWERING[wire],
        flavour="openrouter" if flavour == "openrouter" else "openai",
        cached=query.share("cached", base.cached),
    )


def _check(model: str, spec: ModelSpec) -> None:
    if spec.applied - spec.spread < -1e-9 or spec.applied + spec.spread > 1 + 1e-9:
        raise ValueError(f"{model!r}: applied +- spread leaves 0..1, so the rate could not be kept")
    weighted = ((spec.applied, spec.failures), (spec.applied, spec.holes))
    for rate, weights in (*weighted, (spec.valid, spec.invalids), (spec.valid, spec.agent.invalids)):
        if rate < 1 and sum(weights.values()) <= 0:
            raise ValueError(f"{model!r}: one of {', '.join(weights)} needs a weight above 0")
