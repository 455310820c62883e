"""What a judged answer scores, and what its result is measured against: the file with the truth in the hole."""

from collections.abc import Callable, Mapping

from runner.execution.verdicts import Verdict, VerdictKind
from runner.json_texts import stored_json
from runner.metrics.sample import Sample
from runner.records import Outcome, Scoring
from runner.run.replay import asked_in
from runner.storage.rows import detail_of, to_json
from runner.storage.store import Row, Store
from runner.suites.completion.dataset import Task, task_digest
from runner.suites.completion.judging import JudgedFilling
from runner.suites.completion.measures import ES
from runner.suites.completion.rates import COMMENT
from runner.suites.completion.stored import stored_dataset

_LOG_CHARACTERS = 600


def samples(store: Store, run: Row) -> Callable[[Row], Sample | None]:
    """The sample of each scoring: from the file with nothing in the hole to the one with the answer in it.

    Comments have none: nothing is edited that metrics of code see.
    """
    dataset = stored_dataset(store, asked_in(run))
    tasks = {task.task_id: task for task in dataset.tasks}

    def sample_of(row: Row) -> Sample | None:
        task = tasks[row["case_id"]]
        # An agent's attempt may have filled nothing.
        filling = detail_of(row).get("filling") if row["detail"] is not None else None
        if task.block_type == COMMENT or filling is None:
            return None
        origin, truth, filled = (dataset.assembled(task, text) for text in ("", dataset.truth(task), filling))
        return Sample(origin, (truth,), filled, "python")

    return sample_of


def case_digest(content: str) -> str | None:
    """The digest of a task with its file, from what a run keeps of them."""
    stored = stored_json(content)
    return task_digest(stored["task"], stored["text"])


def scorings_of(
    task: Task, judged: Mapping[str, JudgedFilling], answer_id: int | None, *, cut: bool = False
) -> tuple[Scoring, ...]:
    """Return a scoring for each chain, in order; `cut` states that the file was not shown whole.

    The detail has all that reports group by, the filling, and the verdict with its key, so that no later run needs to
    ask the judge again.
    """
    return tuple(
        Scoring(
            outcome=_outcome(result.verdict),
            valid=_outcome(result.verdict).valid,
            parser=name,
            error_text=_why(result.verdict),
            scores=scores_of(name, judged),
            detail=to_json({**group_of(task, cut=cut), **_detail(result)}),
            answer_id=answer_id,
        )
        for name, result in judged.items()
    )


def group_of(task: Task, *, cut: bool = False) -> dict[str, object]:
    """Return what reports group the answers to a task by."""
    return {
        "scene": task.scene,
        "with_evidence": task.with_evidence,
        "block_type": task.block_type,
        "file": task.place,
        "missing": task.span.end > task.span.start,
        "cut": cut,
        **({} if task.weak is None else {"weak": task.weak}),
        **({"repo": task.repo, "hole": _hole(task)} if task.repo else {}),
    }


def _detail(result: JudgedFilling) -> dict[str, object]:
    verdict = result.verdict
    return {
        "verdict": verdict.outcome if verdict else None,
        "failing": verdict.failing if verdict else None,
        "seconds": verdict.seconds if verdict else None,
        "log": verdict.log[-_LOG_CHARACTERS:] if verdict else None,
        "key": result.key,
        "filling": result.filling,
    }


def _hole(task: Task) -> str:
    """What tasks have in common that ask for the same text in several scenes."""
    return f"{task.place}:{task.span.start}-{task.span.end}"


def _outcome(verdict: Verdict | None) -> Outcome:
    if verdict is None:
        return Outcome.UNTESTED
    if verdict.outcome is VerdictKind.INFRA:
        return Outcome.INFRA
    return Outcome.SOLVED if verdict.outcome is VerdictKind.PASS else Outcome.UNSOLVED


def _why(verdict: Verdict | None) -> str | None:
    """How the tests ended, and the first that failed."""
    if verdict is None or verdict.outcome is VerdictKind.PASS:
        return None
    return f"{verdict.outcome}: {verdict.failing}" if verdict.failing else str(verdict.outcome)


def scores_of(name: str, judged: Mapping[str, JudgedFilling]) -> dict[str, float]:
    """The numbers of the chain `name` of one answer; without `pass` where no verdict was reached.

    `over_run` is an answer that has the truth and then more, or that another chain cut into one that passes.
    """
    own = judged[name]
    measures = own.measures
    known = {} if own.verdict is None or own.verdict.outcome is VerdictKind.INFRA else {"pass": float(_passes(own))}
    excision = {} if measures.es is None else {ES: measures.es}
    return {
        **known,
        "exact": float(measures.exact),
        "first_line": float(measures.first_line),
        "similarity": measures.similarity,
        **excision,
        "empty": float(measures.empty),
        "over_run": float(measures.goes_on or _saved(own, judged)),
    }


def _saved(own: JudgedFilling, judged: Mapping[str, JudgedFilling]) -> bool:
    return not _passes(own) and any(
        _passes(other) and own.filling != other.filling and own.filling.startswith(other.filling)
        for other in judged.values()
    )


def _passes(judged: JudgedFilling) -> bool:
    return judged.verdict is not None and judged.verdict.outcome is VerdictKind.PASS
