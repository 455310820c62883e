"""Replays of commits as tables: what each system predicted, what it cost in time, and what went wrong."""

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence

from runner.document import Document, Table
from runner.prices import SIMULATED_USD
from runner.stats.intervals import Interval
from runner.suites.nextedit.commits import Commit
from runner.suites.nextedit.results import figures_json
from runner.suites.nextedit.steps import CommitReplay
from runner.suites.nextedit.summary import Figure, summarize, troubles, with_dependent_edits

_PREDICTIONS = ("precision", "recall", "f1", "hit@1", "hit@3", "hit@5", "hit@10", "predicted in time")
_DEPENDENT = ("precision", "recall", "f1", "hit@1", "hit@10")
_FLOW = ("keeping", "jumping", "breaking", "reverting")
_ANSWERS = ("nothing more", "new islands", "new files")
_VIEW = ("in view", "edits in view")
_EDITOR = ("accepted whole", "accepted in part", "keystrokes saved", "right nothing more")
_CONTENT = ("bleu", "exact", "excision")
_AMOUNTS = {"latency_ms": "{:.1f} ms", "first_edit_ms": "{:.0f} ms", "cost_usd": "${:.4f}"}
_SPENT = ("latency", "time to first edit", "cost of a step")
_SHOWN_REASONS = 3


def systems_json(
    replays: Mapping[str, Sequence[CommitReplay]], simulated: Container[str] = ()
) -> dict[str, dict[str, object]]:
    """The figures and troubles of every system as plain data."""
    return {
        name: {
            "simulated": name in simulated,
            "commits": len(replay),
            "figures": figures_json(summarize(replay)),
            "figures_of_dependent_steps": figures_json(_rates(with_dependent_edits(replay))),
            "troubles": troubles(replay),
        }
        for name, replay in replays.items()
    }


Omitted = Mapping[str, Mapping[str, str]]


def omitted_of(commits: Iterable[Commit]) -> Omitted:
    """Which touched files of commits have no edits of their own, and why: {case id: {path: reason}}."""
    return {
        commit.case_id: {path: str(reason) for path, reason in commit.omitted.items()}
        for commit in commits
        if commit.omitted
    }


def omitted_notes(omitted: Omitted) -> list[str]:
    """A line for each reason, with the first files."""
    cases: dict[str, list[str]] = {}
    for case_id, reasons in omitted.items():
        for path, reason in reasons.items():
            cases.setdefault(reason, []).append(f"{ascii(path)[1:-1]} of {case_id}")
    return [
        f"files left out, {reason}: {len(those)} ({', '.join(those[:_SHOWN_REASONS])})"
        for reason, those in sorted(cases.items())
    ]


def scores_over_commits(replays: Sequence[CommitReplay]) -> dict[str, Interval]:
    """The rates of a system that are known, as means over commits."""
    return {name: figure.macro for name, figure in _rates(replays).items() if figure.macro is not None}


def _rates(replays: Sequence[CommitReplay]) -> dict[str, Figure]:
    """The figures that are no amounts."""
    return {name: figure for name, figure in summarize(replays).items() if name not in _AMOUNTS}


def document(
    replays: Mapping[str, Sequence[CommitReplay]],
    refused: Iterable[str],
    title: str,
    simulated: Container[str] = (),
) -> Document:
    """The tables of a run, by system; rates in per cent, over all steps, with intervals clustered by commit.

    `refused` are the reasons for which commits were not replayed. Systems that are `simulated` are called so.
    """
    simulated_names = [name for name in replays if name in simulated]
    replays = {f"{name} (simulated)" if name in simulated else name: replay for name, replay in replays.items()}
    figures = {name: summarize(replay) for name, replay in replays.items()}
    dependent = {name: with_dependent_edits(replay) for name, replay in replays.items()}
    figures_then = {name: summarize(replay) for name, replay in dependent.items()}
    tables = (
        _table(
            "predictions: per cent of all steps, 95 % intervals clustered by commit", _PREDICTIONS, figures, replays
        ),
        _table("steps at which an edit depends on those made: per cent", _DEPENDENT, figures_then, dependent),
        _table("steps: per cent of all; new files: per cent of predictions", _ANSWERS, figures, replays),
        _table(
            "what was in view: per cent of steps and of allowed edits, the most that can be found",
            _VIEW,
            figures,
            replays,
        ),
        _table("as an editor shows the first prediction: per cent", _EDITOR, figures, replays),
        _table("effect on the flow: per cent of predictions", _FLOW, figures, replays),
        _table("content of the edit made: per cent", _CONTENT, figures, replays),
        _spent(figures, {f"{name} (simulated)" for name in simulated_names}),
    )
    return Document(title, tables, tuple(_notes(replays, refused)))


def _table(
    title: str,
    names: Sequence[str],
    figures: Mapping[str, Mapping[str, Figure]],
    replays: Mapping[str, Sequence[CommitReplay]],
) -> Table:
    rows = tuple(
        (
            system,
            str(len(replays[system])),
            str(sum(len(replay.steps) for replay in replays[system])),
            *(_percent(values[name].micro) for name in names),
        )
        for system, values in figures.items()
    )
    return Table(
        title,
        ("system", "commits", "steps", *names),
        rows,
        ("system", "f1", *_FLOW, "accepted whole", "keystrokes saved"),
    )


def _spent(figures: Mapping[str, Mapping[str, Figure]], simulated: Container[str]) -> Table:
    rows = []
    for system, values in figures.items():
        amounts = {name: _amount(form, values[name].macro) for name, form in _AMOUNTS.items()}
        rows.append((system, *(amounts | ({"cost_usd": SIMULATED_USD} if system in simulated else {})).values()))
    return Table("what a step takes: means over commits", ("system", *_SPENT), tuple(rows))


def _amount(form: str, interval: Interval | None) -> str:
    return "-" if interval is None else form.format(interval.estimate)


def _percent(interval: Interval | None) -> str:
    if interval is None:
        return "-"
    return f"{interval.estimate:.1%} [{interval.low:.1%}, {interval.high:.1%}]"


def _notes(replays: Mapping[str, Sequence[CommitReplay]], refused: Iterable[str]) -> list[str]:
    notes = [f"not replayed, {reason}: {count}" for reason, count in Counter(refused).most_common()]
    for system, replay in replays.items():
        counts = troubles(replay)
        if counts:
            reasons = ", ".join(f"{reason} {count}" for reason, count in sorted(counts.items()))
            notes.append(f"{system} had trouble: {reasons}")
            notes += [f"  {message}" for message in _examples(replay)]
    return notes


def _examples(replays: Sequence[CommitReplay]) -> list[str]:
    examples: list[str] = []
    for replay in replays:
        for trouble in (*replay.troubles, *(trouble for step in replay.steps for trouble in step.troubles)):
            last = trouble.message.strip().rpartition("\n")[2]
            if last not in examples:
                examples.append(last)
    return examples[:_SHOWN_REASONS]
