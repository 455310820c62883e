"""`evals stream`: plays a stored answer in the terminal as it arrived."""

import os
import sys
import time
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from runner.cli.options import CaseId, Run, Wires
from runner.run.options import DEFAULT_DB, Db

if TYPE_CHECKING:
    from runner.storage.playback import Frame, Recording

_COLOURS = {"mark": "\x1b[1;36m", "broken": "\x1b[1;31m", "reasoning": "\x1b[2m"}
_PLAIN = "\x1b[0m"


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamOptions:
    """The options of `evals stream`."""

    run: Run
    case: CaseId
    number: Annotated[int, Argument(help="The number of the attempt.")]
    speed: Annotated[
        float, Option("--speed", min=0, help="The speed, as a multiple of the original; 0 = all at once.")
    ] = 1.0
    model: Annotated[str, Option("--model", "--sut", help="The model, if several models answered.")] = ""
    prompt: Annotated[str, Option("--prompt", help="The prompt, if there are several.")] = ""
    step: Annotated[int | None, Option("--step", help="The step, in a suite that has steps.")] = None
    wire: Wires = None
    db: Db = DEFAULT_DB


def stream(options: StreamOptions) -> None:
    """Play a stored answer in the terminal as it arrived.

    Marks the first token, the first edit, the first replaced line and the end of the call.
    """
    from runner.console import put, say

    recording, frames = _recorded(options)
    say(_header(recording))
    colours = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    began, broken = time.monotonic(), False
    for frame in frames:
        if options.speed and recording.timed:
            time.sleep(max(0.0, frame.at_ns / 1e9 / options.speed - (time.monotonic() - began)))
        put(_frame_text(frame, timed=recording.timed, colours=colours))
        broken = broken or frame.kind == "broken"
    put("\n")
    if broken:
        raise typer.Exit(1)


def _recorded(options: StreamOptions) -> "tuple[Recording, Iterable[Frame]]":
    """Return the stored answer that the options choose, and its frames."""
    from runner.run.replay import live_parser
    from runner.run.resolve import choose_wires, stored_wire
    from runner.storage.playback import AnswerQuery, frames, recording
    from runner.storage.runs import find_run
    from runner.storage.store import Store

    wires = choose_wires(options.wire or ())
    with closing(Store.open(options.db, create=False)) as store:
        run = find_run(store, options.run)
        answer = recording(
            store, run, AnswerQuery(options.case, options.number, options.model, options.prompt, options.step)
        )
        wire, parser = stored_wire(answer.wire, wires), live_parser(store, run, answer.prompt)
    return answer, frames(answer.stream, wire, parser)


def _header(recording: "Recording") -> str:
    size = sum(len(piece.data) for piece in recording.stream)
    who = f"{recording.sut}{' (simulated)' if recording.simulated else ''}, prompt {recording.prompt}"
    return f"{who}: {len(recording.stream)} pieces, {size:,} bytes of {recording.wire}"


def _frame_text(frame: "Frame", *, timed: bool, colours: bool) -> str:
    """Return a frame as it is printed; text of a model cannot control the terminal."""
    from runner.console import harmless

    text = harmless(frame.text, lines=frame.kind in {"text", "reasoning"})
    if frame.kind in {"mark", "broken"}:
        text = f"[{text} {frame.at_ns / 1e9:.3f} s]" if timed else f"[{text}]"
    colour = _COLOURS.get(frame.kind) if colours else None
    return f"{colour}{text}{_PLAIN}" if colour else text
