"""The causes of failed answers as tables: by variant, with what each leniency would gain and break."""

from collections.abc import Sequence

from runner.diagnosis.counts import AlgorithmCounts, Asked, CauseCount, cause_name, is_forgivable
from runner.document import Document, Table


def diagnosis_document(title: str, counts: Sequence[AlgorithmCounts], notes: Sequence[str] = ()) -> Document:
    """Return a table for each algorithm, and a line on what each leniency would gain, before the notes."""
    verdicts = [line for count in counts for line in _verdicts(count)]
    return Document(title, tuple(_table(count) for count in counts), (*verdicts, *notes))


def _table(count: AlgorithmCounts) -> Table:
    lanes = list(count.answers)
    title = (
        f"{count.algorithm}: {count.failed.total()} of {count.answers.total()} answers failed "
        f"({count.valid.total()} are valid); what would have to be forgiven, and the result"
    )
    columns = ("cause", *_labels(lanes), "all", "blocks", "right", "wrong", "unknown")
    empty = ("", "", "", "")
    rows = [
        ("answers", *(str(count.answers[lane]) for lane in lanes), str(count.answers.total()), *empty),
        ("failed", *(str(count.failed[lane]) for lane in lanes), str(count.failed.total()), *empty),
    ]
    rows += [
        (
            cause_name(cause),
            *(str(row.answers[lane]) for lane in lanes),
            str(row.answers.total()),
            str(row.blocks) if row.blocks else "-",
            *_results(row, forgivable=is_forgivable(cause)),
        )
        for cause, row in count.in_order()
    ]
    return Table(title, columns, tuple(rows))


def _labels(lanes: Sequence[Asked]) -> list[str]:
    """Return the model of each, with its prompt where there are several."""
    several = len({prompt for _, prompt in lanes}) > 1
    return [f"{model} {prompt}" if several else model for model, prompt in lanes]


def _results(row: CauseCount, *, forgivable: bool) -> tuple[str, str, str]:
    if not forgivable:
        return "-", "-", "-"
    return str(row.right), str(row.wrong), str(row.unknown)


def _verdicts(count: AlgorithmCounts) -> list[str]:
    """Return a sentence for each leniency that changes a result, or one that none does."""
    lines = [
        f"{count.algorithm}: forgiving {cause_name(cause)} would gain {row.right} and break {row.wrong}"
        + (f"; {row.unknown} have no expected file" if row.unknown else "")
        for cause, row in count.in_order()
        if is_forgivable(cause)
    ]
    if any(row.right for cause, row in count.in_order() if is_forgivable(cause)):
        return lines
    return [*lines, f"{count.algorithm}: no leniency is known to gain an answer"]
