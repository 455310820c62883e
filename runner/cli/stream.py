"""`evals stream`: plays a stored answer in the terminal as fast as it came."""

import os
import sys
import time
from contextlib import closing
from typing import TYPE_CHECKING, Annotated

import typer

from runner.cli.options import DEFAULT_DB, Db, Run, Wires

if TYPE_CHECKING:
    from runner.storage.playback import Frame, Recording

_COLOURS = {"mark": "\x1b[1;36m", "broken": "\x1b[1;31m", "reasoning": "\x1b[2m"}
_PLAIN = "\x1b[0m"


def stream(
    run: Run,
    case: Annotated[str, typer.Argument(help="The case's id.")],
    number: Annotated[int, typer.Argument(help="The attempt's number.")],
    speed: Annotated[float, typer.Option(min=0, help="Times the speed at which it came; 0 = all at once.")] = 1.0,
    model: Annotated[str, typer.Option("--model", "--sut", help="Whose answer, where several models gave one.")] = "",
    prompt: Annotated[str, typer.Option(help="To which prompt, where there are several.")] = "",
    step: Annotated[int | None, typer.Option(help="Of which step, in a suite that has steps.")] = None,
    wire: Wires = None,
    db: Db = DEFAULT_DB,
) -> None:
    """Play a stored answer as it arrived; mark first token, first edit, first replacement line and the call's end."""
    from runner.console import put, say
    from runner.run.replay import live_parser
    from runner.run.resolve import choose_wires, stored_wire
    from runner.storage.playback import AnswerQuery, frames, recording
    from runner.storage.runs import find_run
    from runner.storage.store import Store

    wires = choose_wires(wire or ())
    with closing(Store.open(db, create=False)) as store:
        found_run = find_run(store, run)
        found = recording(store, found_run, AnswerQuery(case, number, model, prompt, step))
        came_over, parser = stored_wire(found.wire, wires), live_parser(store, found_run)
    say(_header(found))
    colours = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    began, broken = time.monotonic(), False
    for frame in frames(found.stream, came_over, parser):
        if speed and found.timed:
            time.sleep(max(0.0, frame.at_ns / 1e9 / speed - (time.monotonic() - began)))
        put(_shown(frame, timed=found.timed, colours=colours))
        broken = broken or frame.kind == "broken"
    put("\n")
    if broken:
        raise typer.Exit(1)


def _header(found: "Recording") -> str:
    size = sum(len(piece.data) for piece in found.stream)
    who = f"{found.sut}{' (simulated)' if found.simulated else ''}, prompt {found.prompt}"
    return f"{who}: {len(found.stream)} pieces, {size:,} bytes of {found.wire}"


def _shown(frame: "Frame", *, timed: bool, colours: bool) -> str:
    """A frame as it is written; what a model wrote cannot steer the terminal."""
    from runner.console import harmless

    text = harmless(frame.text, lines=frame.kind in {"text", "reasoning"})
    if frame.kind in {"mark", "broken"}:
        text = f"[{text} {frame.at_ns / 1e9:.3f} s]" if timed else f"[{text}]"
    colour = _COLOURS.get(frame.kind) if colours else None
    return f"{colour}{text}{_PLAIN}" if colour else text
