"""Scores the answers of a run again, with another parser or algorithm: a new run, without requests."""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from parsers.blocks import Parser
from runner.calls import NATIVE, NATIVE_PARSER, calls_of
from runner.errors import InputError
from runner.records import REPAIR, Completion, Scoring
from runner.run.resolve import choose_wires, stored_wire
from runner.run.suite import ReplayOptions, Rescoring, Say, StoredAnswer, Suite
from runner.storage.reread import Rereader
from runner.storage.rows import config_of, put_scorings, to_json
from runner.storage.runs import RunPlan, begin, finish, new_run_id, utc_now
from runner.storage.store import Row, Store
from suts.sut import Wire

# So many answers are written at once.
_BATCH = 1000
_ASKED = """
FROM answers a JOIN lanes l USING (lane_id)
JOIN cases c ON c.run_id = l.run_id AND c.case_id = l.case_id
WHERE l.run_id = ? AND a.outcome IN ('answered', 'crashed') AND a.text_id IS NOT NULL AND c.content_id IS NOT NULL
ORDER BY l.case_id, a.answer_id
"""
_IDS = f"SELECT l.case_id, a.answer_id {_ASKED}"
# Ids of answers, as JSON, so that a statement takes any number of them.
_ANSWERS = """
SELECT a.answer_id, l.sut, l.prompt, l.case_id, a.step, a.mode, a.number, a.text_id, a.finish_reason
FROM json_each(?) i CROSS JOIN answers a ON a.answer_id = i.value JOIN lanes l USING (lane_id) ORDER BY a.answer_id
"""
# Texts or cases may have been left out of a run that was imported.
_LEFT_OUT = """
SELECT coalesce(sum(a.text_id IS NOT NULL AND c.content_id IS NOT NULL), 0) AS kept, count(*) AS n
FROM answers a JOIN lanes l USING (lane_id) JOIN cases c ON c.run_id = l.run_id AND c.case_id = l.case_id
WHERE l.run_id = ? AND a.outcome IN ('answered', 'crashed')
"""


@dataclass(frozen=True, slots=True)
class Replayed:
    """A replay: its run, how many answers it scored and results it judged, and what reading from the bytes showed."""

    run_id: str
    answers: int
    judged: int = 0
    rereader: Rereader | None = None


def replay_run(suite: Suite[Any, Any], store: Store, source: Row, options: ReplayOptions, say: Say) -> Replayed:
    """Score every answer of `source` in a new run.

    Raises InputError where the suite has nothing to vary, or the run has no answers.
    """
    answers_of = asked_in(source)
    (held,) = store.rows(_LEFT_OUT, answers_of)
    if not held["kept"]:
        raise InputError(f"run {source['run_id']}: has no answers to replay")
    if held["kept"] < held["n"]:
        say(f"{held['n'] - held['kept']} answers are left out: their text or their case is not on record")
    wires, rereader = choose_wires(options.wires), None
    run_id, count = new_run_id(), 0
    with suite.replay(store, source, options, say) as rescoring:
        if options.from_stream:
            rereader = rereader_of(store, source, wires, rescoring.parsers)
        begin(store, run_id, _plan(source, answers_of, rescoring), utc_now())
        for batch in _begun(rescoring, _batches(_cases(store, answers_of, rereader))):
            # Scoring may take minutes, during which other processes write.
            scorings = _scorings(rescoring, batch)
            with store.transaction():
                put_scorings(store, run_id, scorings)
            count += sum(answer.mode != REPAIR for _, answers in batch for answer in answers)
    finish(store, run_id, utc_now(), complete=True)
    return Replayed(run_id, count, rescoring.judged, rereader)


def scoring_lines(store: Store, run_id: str) -> Iterator[str]:
    """Yield a line for each scoring of a replay, by model, prompt and case."""
    sql = """
        SELECT sut, prompt, case_id, number, parser, diff_algorithm, outcome FROM attempts
        WHERE run_id = ? ORDER BY sut, prompt, case_id, step, number, parser, diff_algorithm"""
    for row in store.stream(sql, run_id):
        prompt = f", {row['prompt']}" if row["prompt"] else ""
        rule = " ".join(filter(None, (row["parser"], row["diff_algorithm"])))
        yield f"{row['case_id']} {row['number']} ({row['sut']}{prompt}; {rule}): {row['outcome']}"


def asked_in(source: Row) -> str:
    """Return the id of the run whose answers a run scores: its own, or that of the run that it replays."""
    run_id: str = source["replay_of"] or source["run_id"]
    return run_id


Case = tuple[str, Sequence[StoredAnswer]]


def _cases(store: Store, run_id: str, rereader: Rereader | None) -> Iterator[Case]:
    """Yield the answers of a run by case, in the order in which they were requested.

    The ids of all answers are in memory, and the answers to one case.
    """
    ids: dict[str, array[int]] = {}
    for row in store.stream(_IDS, run_id):
        ids.setdefault(row["case_id"], array("q")).append(row["answer_id"])
    for case_id, numbers in ids.items():
        texts: dict[int, str] = {}
        rows = store.stream(_ANSWERS, to_json(numbers.tolist()))
        yield case_id, [_answer(store, row, texts, rereader) for row in rows]


def _answer(store: Store, row: Row, texts: dict[int, str], rereader: Rereader | None) -> StoredAnswer:
    """Return an answer; many share a text, which `texts` caches."""
    if rereader is not None:
        completion = rereader.read(row["answer_id"])
    else:
        text_id = row["text_id"]
        if text_id not in texts:
            texts[text_id] = store.text(text_id) or ""
        completion = Completion(texts[text_id], finish_reason=row["finish_reason"])
    names = ("answer_id", "sut", "prompt", "case_id", "step", "mode", "number")
    return StoredAnswer(**{name: row[name] for name in names}, completion=completion)


def _batches(cases: Iterator[Case]) -> Iterator[list[Case]]:
    batch: list[Case] = []
    size = 0
    for case in cases:
        batch.append(case)
        size += len(case[1])
        if size >= _BATCH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _begun(rescoring: Rescoring, batches: Iterator[list[Case]]) -> Iterator[list[Case]]:
    """Yield the batches; where other processes score, the next one is begun before."""
    if rescoring.ahead is None:
        yield from batches
        return
    before: list[Case] = []
    for batch in batches:
        for case_id, answers in batch:
            rescoring.ahead(case_id, answers)
        if before:
            yield before
        before = batch
    if before:
        yield before


def _scorings(rescoring: Rescoring, batch: Sequence[Case]) -> list[Scoring]:
    return [scoring for case_id, answers in batch for scoring in rescoring.score(case_id, answers)]


def _plan(source: Row, answers_of: str, rescoring: Rescoring) -> RunPlan:
    config = config_of(source)
    identity = {**config["identity"], **rescoring.identity}
    return RunPlan(
        suite=source["suite"],
        identity=identity,
        settings=config["settings"],
        variants=list(dict.fromkeys(rescoring.variants)),
        cases=(),
        cases_digest=str(config["identity"]["cases"]),
        version=source["version"],
        replay_of=answers_of,
    )


def rereader_of(
    store: Store, source: Row, known: Mapping[str, Wire], parsers: Mapping[str, Parser] | None = None
) -> Rereader:
    """Return a rereader of a run's answers, with the parser that was used while they arrived.

    `parsers` are those of prompts whose parser no record names.
    Raises InputError for a wire that is not among those known.
    """
    sql = """
        SELECT DISTINCT s.wire FROM streams s JOIN answers USING (answer_id) JOIN lanes l USING (lane_id)
        WHERE l.run_id = ? ORDER BY s.wire"""
    names = [row["wire"] for row in store.rows(sql, asked_in(source))]
    wires = {name: stored_wire(name, known) for name in names}
    recorded, own = cache(partial(live_parser, store, source)), parsers or {}
    return Rereader(store, wires, lambda prompt: own.get(prompt) or recorded(prompt))


def live_parser(store: Store, source: Row, prompt: str) -> Parser:
    """Return the parser that was used while answers to a prompt arrived; the default one if that was a plug-in."""
    from parsers import DEFAULT_PARSER, PARSERS
    from runner.edit_tools import forms_by_parser

    forms = forms_by_parser()
    if calls_of(prompt) == NATIVE:
        return forms.get(prompt.removesuffix("+"), PARSERS[NATIVE_PARSER])
    # Systems without a model have no parser, and native calls one of their own.
    sql = """
        SELECT parser FROM variants WHERE run_id = ? AND parser <> ?
        ORDER BY prompt != ?, parser = '', position LIMIT 1"""
    rows = store.rows(sql, asked_in(source), NATIVE_PARSER, prompt)
    return {**PARSERS, **forms}.get(rows[0]["parser"] if rows else "", PARSERS[DEFAULT_PARSER])
