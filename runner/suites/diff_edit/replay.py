"""Scoring recorded answers again with other parsers and algorithms: a new run, no call."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, cast

import orjson

from diff_apply.result import DiffAlgorithm
from parsers.blocks import Parser
from runner.errors import InputError
from runner.records import Completion, Scoring
from runner.run.diff_scoring import ValidityName, score_answer
from runner.run.resolve import Named, stored_wire
from runner.storage.reread import Rereader
from runner.storage.rows import put_scorings
from runner.storage.runs import RunPlan, begin, finish
from runner.storage.store import Row, Store
from runner.suites.diff_edit.cases import DiffEditCase, parse_case
from runner.variant import Variant

_BATCH = 1000
_ANSWERS = """
SELECT a.answer_id, l.case_id, a.text_id, a.finish_reason, t.encoding, t.content
FROM answers a JOIN lanes l USING (lane_id) JOIN texts t ON t.text_id = a.text_id
WHERE l.run_id = ? AND a.outcome IN ('answered', 'crashed') ORDER BY l.case_id, a.answer_id
"""
_ANY_ANSWER = """
SELECT 1 FROM answers JOIN lanes USING (lane_id) WHERE run_id = ? AND outcome IN ('answered', 'crashed') LIMIT 1
"""


@dataclass(frozen=True, slots=True)
class Swap:
    """What an answer is scored with now; with a rereader the answers are what it reads from the stored bytes."""

    parser: Named[Parser]
    algorithms: Sequence[Named[DiffAlgorithm]]
    rereader: Rereader | None = None


def replay_run(store: Store, source: Row, swap: Swap, run_id: str, utc_now: str) -> int:
    """Score every answer of `source` under the new run `run_id`; the number of answers. One transaction a batch.

    Raises InputError when the run is of a suite whose answers are not diffs, or has no answers.
    """
    if source["suite"] != "diff_edit":
        raise InputError(f"run {source['run_id']}: is of suite {source['suite']}; replay takes runs of `evals diff`")
    answers_of: str = source["replay_of"] or source["run_id"]
    if not store.rows(_ANY_ANSWER, answers_of):
        raise InputError(f"run {source['run_id']}: has no answers to replay")
    plan = _plan(store, source, answers_of, swap)
    begin(store, run_id, plan, utc_now)
    validity = cast("ValidityName", orjson.loads(source["config"])["identity"]["validity"])
    count = 0
    for batch in _batches(_scored(store, answers_of, swap, validity)):
        with store.transaction():
            for scorings in batch:
                put_scorings(store, run_id, scorings)
        count += len(batch)
    finish(store, run_id, utc_now, complete=True)
    return count


def _scored(store: Store, run_id: str, swap: Swap, validity: ValidityName) -> Iterator[tuple[Scoring, ...]]:
    """The scorings of each answer, case by case; answers of one text are scored once."""
    parser = (swap.parser.name, swap.parser.thing)
    algorithms = {one.name: one.thing for one in swap.algorithms}
    case: DiffEditCase | None = None
    known: dict[tuple[str | int, str | None], tuple[Scoring, ...]] = {}
    for row in store.rows(_ANSWERS, run_id):
        if case is None or case.case_id != row["case_id"]:
            case = stored_case(store, run_id, row["case_id"])
            known.clear()
        completion = swap.rereader.read(row["answer_id"]) if swap.rereader else None
        key = (completion.text, completion.finish_reason) if completion else (row["text_id"], row["finish_reason"])
        if key not in known:
            completion = completion or _stored(store, row)
            known[key] = score_answer(case, completion, parser, algorithms, validity)
        yield tuple(replace(one, answer_id=row["answer_id"]) for one in known[key])


def _stored(store: Store, row: Row) -> Completion:
    return Completion(store.decode_text(row["encoding"], row["content"]), finish_reason=row["finish_reason"])


def stored_case(store: Store, run_id: str, case_id: str) -> DiffEditCase:
    """A case as the run knew it."""
    row = store.rows("SELECT content_id FROM cases WHERE run_id = ? AND case_id = ?", run_id, case_id)[0]
    case = parse_case(Path(f"{case_id}.json"), (store.text(row["content_id"]) or "").encode())
    if not isinstance(case, DiffEditCase):
        raise InputError(f"{store.path}: case {case_id} of run {run_id} can no longer be read")
    return case


def _batches(found: Iterator[tuple[Scoring, ...]]) -> Iterator[list[tuple[Scoring, ...]]]:
    batch: list[tuple[Scoring, ...]] = []
    for scorings in found:
        batch.append(scorings)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _plan(store: Store, source: Row, answers_of: str, swap: Swap) -> RunPlan:
    config: dict[str, Any] = orjson.loads(source["config"])
    names = [field.name for field in fields(Variant)]
    asked = store.rows("SELECT * FROM variants WHERE run_id = ? ORDER BY position", answers_of)
    variants = [
        replace(
            Variant(**{name: row[name] for name in names if name != "simulated"}, simulated=bool(row["simulated"])),
            parser=swap.parser.name,
            parser_digest=swap.parser.digest,
            diff_algorithm=algorithm.name,
            algorithm_digest=algorithm.digest,
        )
        for algorithm in swap.algorithms
        for row in asked
    ]
    identity = {
        **config["identity"],
        "parser": swap.parser.name,
        "diff_apply": ",".join(one.name for one in swap.algorithms),
    }
    return RunPlan(
        suite=source["suite"],
        identity=identity,
        settings=config["settings"],
        variants=list(dict.fromkeys(variants)),
        cases=(),
        cases_digest=identity["cases"],
        version=source["version"],
        replay_of=answers_of,
    )


def rereader_of(store: Store, source: Row) -> Rereader:
    """A rereader of a run's answers, with the parser that watched them live. Raises InputError for unknown wires."""
    sql = """
        SELECT DISTINCT s.wire FROM streams s JOIN answers USING (answer_id) JOIN lanes l USING (lane_id)
        WHERE l.run_id = ? ORDER BY s.wire"""
    wires = {row["wire"]: stored_wire(row["wire"]) for row in store.rows(sql, source["replay_of"] or source["run_id"])}
    return Rereader(store, wires, live_parser(store, source))


def live_parser(store: Store, source: Row) -> Parser:
    """The parser that watched a run's answers while they arrived; the default one where that is not ours."""
    from parsers import DEFAULT_PARSER, PARSERS

    answers_of = source["replay_of"] or source["run_id"]
    sql = "SELECT parser FROM variants WHERE run_id = ? ORDER BY position LIMIT 1"
    return PARSERS.get(store.rows(sql, answers_of)[0]["parser"], PARSERS[DEFAULT_PARSER])
