"""Measures computed by another program, such as one whose libraries cannot live beside ours (CodeBLEU)."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import orjson

from runner.errors import InputError
from runner.execution.sandbox import ProcessLimits, Ran, run
from runner.metrics.labelled_answers import LabelledAnswer
from runner.stats.correlation import Floats

# A library may need minutes for thousands of rows, and gigabytes of address space for its threads.
LIMITS = ProcessLimits(wall_s=3600.0, cpu_s=3600.0, memory_bytes=16 << 30, file_bytes=1 << 30)


@dataclass(frozen=True, slots=True)
class External:
    """A measure's name and the command that computes it."""

    name: str
    command: tuple[str, ...]


def external(text: str) -> External:
    """Read `NAME=COMMAND`. Raises InputError for any other form."""
    name, equals, command = text.partition("=")
    try:
        parts = shlex.split(command)
    except ValueError as error:
        raise InputError(f"--external: {text!r}: {error}; close the quotes") from None
    if not (name and equals and parts):
        raise InputError(f"--external: {text!r} is not NAME=COMMAND; write it as codebleu='python rows.py'")
    return External(name, tuple(parts))


def score_externally(measure: External, answers: Sequence[LabelledAnswer], env: Mapping[str, str]) -> Floats:
    """Return a score for each answer: the command reads rows as JSON lines and writes one number a line.

    A row has origin, references, hypothesis and lang; comments are removed already. Raises InputError when the
    command fails or does not give a number for each row.
    """
    rows = b"".join(orjson.dumps(_row(answer)) + b"\n" for answer in answers)
    ran = run(measure.command, cwd=Path.cwd(), limits=LIMITS, stdin=rows, env=env)
    if ran.exit_code != 0:
        raise InputError(f"--external {measure.name}: {_failure(ran)}; run it by hand on a row of JSON")
    try:
        numbers = [float(line) for line in ran.stdout.split()]
    except ValueError as error:
        raise InputError(f"--external {measure.name}: {error}; it must write one number a line") from None
    if len(numbers) != len(answers):
        raise InputError(f"--external {measure.name}: {len(numbers)} numbers for {len(answers)} rows; write one each")
    return np.array(numbers, dtype=np.float64)


def _row(answer: LabelledAnswer) -> dict[str, object]:
    sample = answer.sample
    return {
        "origin": sample.preamble + sample.origin,
        "references": [sample.preamble + reference for reference in sample.references],
        "hypothesis": sample.preamble + sample.hypothesis,
        "lang": sample.language,
    }


def _failure(ran: Ran) -> str:
    message = ran.stderr.decode(errors="replace").strip().rpartition("\n")[2]
    return f"ended with code {ran.exit_code}" + (f" ({message})" if message else "")
