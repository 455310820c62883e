"""Diagnoses a failed diff: its cause relative to the algorithm that failed, and whether forgiving it makes it right."""

from collections.abc import Sequence
from dataclasses import dataclass

from diff_apply.lines import Source
from diff_apply.tools.refusal import Cause as ToolCause
from runner.diagnosis.causes import Relaxation, Unforgivable, in_order
from runner.diagnosis.forgiving import ForgivenBlock, are_in_order, forgive, overlap, spliced
from runner.diagnosis.leniency import forgiven_by, reads_markers
from runner.diagnosis.markers import LenientRead, read_leniently, unusual_markers
from runner.diagnosis.readings import BlockReading

Cause = tuple[Relaxation, ...] | Unforgivable | ToolCause


@dataclass(frozen=True, slots=True)
class FailedDiff:
    """A diff that an algorithm refused, or from which it made another file than the expected ones.

    `edited` is the file that it made, None if it refused; `expected` are the acceptable files, none if unknown;
    `block` is the number of the block that it refused, None if unknown.
    """

    original: str
    diff: str
    expected: tuple[str, ...]
    algorithm: str
    edited: str | None = None
    block: int | None = None


@dataclass(frozen=True, slots=True)
class BlockCause:
    """Why one block fails; `line` is where it would match, 1-based, None if nowhere."""

    block: int
    cause: Cause
    line: int | None


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Why a diff fails: its cause, and the failed blocks.

    `right` says whether it gives an expected file once it is forgiven; None where no file is expected or none results.
    """

    cause: Cause
    blocks: tuple[BlockCause, ...] = ()
    right: bool | None = None


def diagnose_diff(failed: FailedDiff) -> Diagnosis:
    """Return the cause for which a diff fails. The work is bounded for each block, see `readings`."""
    read = read_leniently(failed.diff)
    if read is None or not read.blocks:
        return Diagnosis(Unforgivable.UNREADABLE)
    source = Source(failed.original)
    blocks = forgive(source, read.blocks)
    unforgivable = next((block.unforgivable for block in blocks if block.unforgivable), None)
    readings = [block.reading for block in blocks if block.reading]
    if unforgivable is None and overlap(readings):
        unforgivable = Unforgivable.OVERLAP
    if unforgivable is not None:
        return Diagnosis(unforgivable, _failed_blocks(failed, blocks))
    text = _with_stated_end(spliced(source, readings), read)
    right = text in failed.expected if failed.expected else None
    if text == failed.original or (failed.edited is not None and not right):
        # It changes nothing; or it was applied, and forgiving what differs does not make it right.
        return Diagnosis(Unforgivable.WRONG_INTENT)
    return Diagnosis(_cause(failed, read, blocks, readings), _failed_blocks(failed, blocks), right)


def _cause(
    failed: FailedDiff, read: LenientRead, blocks: Sequence[ForgivenBlock], readings: Sequence[BlockReading]
) -> Cause:
    """Return the relaxations that the algorithm lacks; if it has them all, those of the block that it refused."""
    forgiven = forgiven_by(failed.algorithm)
    lacking = {relaxation for block in blocks for relaxation in block.relaxations} - forgiven
    if read.repaired or not reads_markers(failed.algorithm, unusual_markers(failed.diff)):
        lacking.add(Relaxation.MARKERS)
    if Relaxation.ORDER not in forgiven and not are_in_order(readings):
        lacking.add(Relaxation.ORDER)
    if not lacking:
        refused = [block for block in blocks if failed.block in {None, block.number}]
        lacking = {relaxation for block in refused for relaxation in block.relaxations}
    return in_order(lacking) or Unforgivable.UNEXPLAINED


def _failed_blocks(failed: FailedDiff, blocks: Sequence[ForgivenBlock]) -> tuple[BlockCause, ...]:
    """Return the blocks that the algorithm cannot match; if it can match all, those that it may have refused."""
    forgiven = forgiven_by(failed.algorithm)
    causes = [
        BlockCause(
            block.number,
            block.unforgivable or in_order(set(block.relaxations) - forgiven) or block.relaxations,
            block.reading.row + 1 if block.reading else None,
        )
        for block in blocks
    ]
    lacking = [
        cause
        for cause, block in zip(causes, blocks, strict=True)
        if block.unforgivable or not forgiven.issuperset(block.relaxations)
    ]
    return tuple(lacking or (cause for cause in causes if failed.block in {None, cause.block} and cause.cause))


def _with_stated_end(text: str, read: LenientRead) -> str:
    """Return the file with or without a newline at its end, where the last block states it."""
    stated = read.blocks[-1].replacement.newline
    return text if stated is None or not text else text.removesuffix("\n") + ("\n" if stated else "")
