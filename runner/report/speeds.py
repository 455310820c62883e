"""How fast the models of a run read and write: tokens per second, by the server's own times or by our clocks."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from runner.document import Table
from runner.report.export import Record
from runner.storage.store import Row, Store

SERVER, CLOCKS = "server", "clocks"

# Simulated models have a pace, no speed. Tokens of an answer without its time are in no sum.
_ANSWERS = """
SELECT l.sut, l.prompt, a.input_tokens, a.output_tokens, a.server_prompt_ms, a.server_output_ms,
    a.first_token_ms, a.round_trip_ms
FROM answers a JOIN lanes l USING (lane_id)
JOIN (SELECT DISTINCT run_id, sut FROM variants WHERE NOT simulated) v ON v.run_id = l.run_id AND v.sut = l.sut
WHERE l.run_id = ? AND a.outcome = 'answered' AND a.mode != 'repair'
ORDER BY l.sut, l.prompt"""


@dataclass(frozen=True, slots=True)
class Speed:
    """Tokens per second of one model with one prompt, sums over its answers; None = unknown.

    `measured_by` is `server` (its own times, without network and queue) or `clocks`: the prompt's tokens until the
    first token, so at least as fast, and the output's tokens from then to the end of the stream.
    """

    sut: str
    prompt: str
    prompt_per_s: float | None
    output_per_s: float | None
    measured_by: str


@dataclass(slots=True)
class _Sums:
    prompt_tokens: int = 0
    prompt_ms: float = 0.0
    output_tokens: int = 0
    output_ms: float = 0.0

    def add(self, prompt: tuple[int | None, float | None], output: tuple[int | None, float | None]) -> None:
        """Add an answer: tokens and their milliseconds, where both are known."""
        if prompt[0] and prompt[1]:
            self.prompt_tokens += prompt[0]
            self.prompt_ms += prompt[1]
        if output[0] and output[1] and output[1] > 0:
            self.output_tokens += output[0]
            self.output_ms += output[1]


def speeds_of(store: Store, run_id: str) -> tuple[Speed, ...]:
    """Return the speeds of the real models of a run; one whose server measured some answers is shown by these alone."""
    sums: dict[tuple[str, str], dict[str, _Sums]] = {}
    for row in store.stream(_ANSWERS, run_id):
        by_source = sums.setdefault((row["sut"], row["prompt"]), {})
        source, prompt_ms, output_ms = _times(row)
        by_source.setdefault(source, _Sums()).add((row["input_tokens"], prompt_ms), (row["output_tokens"], output_ms))
    speeds = (_speed(sut, prompt, by_source) for (sut, prompt), by_source in sums.items())
    return tuple(speed for speed in speeds if speed.prompt_per_s or speed.output_per_s)


def _times(row: Row) -> tuple[str, float | None, float | None]:
    """Return who measured an answer, and the milliseconds of its prompt and of its output."""
    if row["server_prompt_ms"] is not None or row["server_output_ms"] is not None:
        return SERVER, row["server_prompt_ms"], row["server_output_ms"]
    first, last = row["first_token_ms"], row["round_trip_ms"]
    return CLOCKS, first, None if first is None or last is None else last - first


def _speed(sut: str, prompt: str, by_source: dict[str, _Sums]) -> Speed:
    source = SERVER if SERVER in by_source else CLOCKS
    sums = by_source[source]
    return Speed(
        sut,
        prompt,
        per_second(sums.prompt_tokens, sums.prompt_ms),
        per_second(sums.output_tokens, sums.output_ms),
        source,
    )


def per_second(tokens: int | None, ms: float | None) -> float | None:
    """Return tokens per second; None where a part is unknown or nothing."""
    return 1000 * tokens / ms if tokens and ms and ms > 0 else None


def speed_table(speeds: Sequence[Speed]) -> Table:
    """Return the speeds as words."""
    rows = tuple(
        (speed.sut, speed.prompt, _rounded(speed.prompt_per_s), _rounded(speed.output_per_s), speed.measured_by)
        for speed in speeds
    )
    return Table("speed: tokens per second", ("model", "prompt", "read", "written", "measured by"), rows)


def answer_speed(record: Record) -> Iterator[str]:
    """Yield a line on the speed of one exported answer, by the server's own times; nothing where it sent none."""
    read = per_second(record["input_tokens"], record["server_prompt_ms"])
    written = per_second(record["output_tokens"], record["server_output_ms"])
    if read or written:
        yield f"  tokens a second, by the server's own times: {_rounded(read)} read, {_rounded(written)} written"


def _rounded(speed: float | None) -> str:
    return "-" if speed is None else f"{speed:,.0f}" if speed >= 100 else f"{speed:.1f}"
