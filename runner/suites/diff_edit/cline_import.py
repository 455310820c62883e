"""Makes runs of Cline's diff-edit evaluation runs of ours: as recorded there, to be replayed, compared and shown."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256

from diff_apply import ALIASES as ALGORITHM_ALIASES
from diff_apply import DIFF_ALGORITHMS
from parsers import ALIASES as PARSER_ALIASES
from parsers import PARSERS
from runner.case_digests import digest_of_cases
from runner.digests import algorithm_digest, parser_digest
from runner.storage.foreign import ForeignDatabase
from runner.storage.imported_rows import ImportedRows
from runner.storage.rows import put_scorings, to_json
from runner.storage.runs import QUOTA, CaseRow, RunPlan, put_run
from runner.storage.store import Store, Value
from runner.suites.diff_edit.case_form import DEFAULT_DETAILS
from runner.suites.diff_edit.cline_database import ClineCase, ClineResult, ClineRun, cline_cases, cline_results
from runner.suites.diff_edit.cline_results import ReadResult, scored_result
from runner.suites.diff_edit.score import case_digest
from runner.variant import Variant

_SOURCE = "Cline's diff-edit evaluation"
_CONVERSATION = "(The original's database does not hold the conversation.)"
_ENDPOINT = "not on record"
_SIMULATED = "sim/"
_STATED = re.compile(r"Valid attempts per case: (\d{1,6})")
_SUITE = "diff_edit"


@dataclass(slots=True)
class ClineImport:
    """What became of a run: its id here, whether it was there before, and its results by what they are.

    `counts` has `results`, `valid` and `succeeded` by the original's own rules, and what is noted about others.
    """

    run_id: str
    original_id: str
    was_there: bool
    counts: Counter[str] = field(default_factory=Counter)

    @property
    def data(self) -> dict[str, object]:
        """The same as JSON data."""
        ids = {"run_id": self.run_id, "original_id": self.original_id, "was_there": self.was_there}
        return {**ids, **self.counts}


def import_run(store: Store, database: ForeignDatabase, run: ClineRun) -> ClineImport:
    """Put a run into a database, in one transaction; nothing changes where it is there already. Raises InputError."""
    cases = _named(cline_cases(database, run.run_id))
    digest = _digest(run, cases, cline_results(database, run.run_id))
    run_id, was_there = _free_name(store, run.run_id, digest)
    imported = ClineImport(run_id, run.run_id, was_there)
    if was_there:
        return imported
    plan = _plan(run, cases, list(_variants(run, cline_results(database, run.run_id))), digest)
    with store.transaction():
        put_run(store, run_id, plan, run.created_at)
        imported.counts.update(_put_results(store, run_id, run, cases, cline_results(database, run.run_id)))
        quota = _quota(run, store, run_id)
        settings = {**plan.settings, QUOTA: quota}
        config = to_json({"identity": plan.identity, "settings": settings})
        ended: dict[str, Value] = {"state": "complete", "finished_at": run.created_at, "config": config}
        store.update("runs", {"run_id": run_id}, ended)
        store.execute(_END_LANES, quota, run_id)
    return imported


_END_LANES = """
UPDATE lanes SET state = CASE WHEN ?1 <= (
    SELECT count(*) FROM scorings s JOIN answers a USING (answer_id) WHERE a.lane_id = lanes.lane_id AND s.valid)
    THEN 'full' ELSE 'capped' END
WHERE run_id = ?2"""
_IMPORTED = "SELECT json_extract(config, '$.identity.imported') AS digest FROM runs WHERE run_id = ?"
_MOST_VALID = """
SELECT max(n) AS n FROM (SELECT count(*) AS n FROM scorings s JOIN answers a USING (answer_id)
    WHERE s.run_id = ? AND s.valid GROUP BY a.lane_id)"""


def _quota(run: ClineRun, store: Store, run_id: str) -> int:
    """Return the valid attempts that a run asked for, by its description, else by what its lanes have."""
    stated = _STATED.search(run.description)
    return max(int(stated[1]) if stated else (store.rows(_MOST_VALID, run_id)[0]["n"] or 1), 1)


def _named(cases: Iterable[ClineCase]) -> dict[str, tuple[str, ClineCase]]:
    """Return the cases by their ids, each with its name: that of its task, numbered where several have one."""
    names: Counter[str] = Counter()
    named: dict[str, tuple[str, ClineCase]] = {}
    for case in cases:
        task = case.task_id or case.case_id
        names[task] += 1
        named[case.case_id] = (task if names[task] == 1 else f"{task}~{names[task]}", case)
    return named


def _digest(run: ClineRun, cases: Mapping[str, tuple[str, ClineCase]], results: Iterable[ClineResult]) -> str:
    """Return 32 hexadecimal digits of all that is read of a run."""
    digest = sha256(repr((run, list(cases.values()))).encode("utf-8", "surrogatepass"))
    for result in results:
        digest.update(repr(result).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:32]


def _free_name(store: Store, run_id: str, digest: str) -> tuple[str, bool]:
    """Return the id for a run, and whether that run is there: one that is taken gets `-2`, `-3`, ... behind it."""
    name, number = run_id, 1
    while rows := store.rows(_IMPORTED, name):
        if rows[0]["digest"] == digest:
            return name, True
        number += 1
        name = f"{run_id}-{number}"
    return name, False


def _plan(run: ClineRun, cases: Mapping[str, tuple[str, ClineCase]], variants: list[Variant], digest: str) -> RunPlan:
    rows = [_case_row(name, case) for name, case in cases.values()]
    cases_digest = digest_of_cases(rows)
    identity = {
        "suts": list(dict.fromkeys(variant.sut for variant in variants)),
        "prompts": [f"{run.prompt_name}@{run.prompt_hash[:8]}"],
        "parser": ",".join(dict.fromkeys(variant.parser for variant in variants)),
        "diff_apply": list(dict.fromkeys(variant.diff_algorithm for variant in variants)),
        "cases": cases_digest,
        "validity": "cline",
        "imported": digest,
    }
    return RunPlan(
        suite=_SUITE,
        identity=identity,
        settings={QUOTA: 1, "source": _SOURCE},
        variants=variants,
        cases=rows,
        cases_digest=cases_digest,
        note=run.description or None,
        version=f"imported from {_SOURCE}",
    )


def _case_row(name: str, case: ClineCase) -> CaseRow:
    """Return a case; without its file there is nothing to apply a diff to, so that it has no content."""
    if case.contents is None or not case.contents.strip() or not case.path:
        return CaseRow(name, "", path=case.path, source=_SOURCE, tokens=case.tokens)
    details = DEFAULT_DETAILS
    content = to_json(
        {
            "test_id": name,
            "messages": [{"role": "user", "text": _CONVERSATION}],
            "file_contents": case.contents,
            "file_path": case.path,
            "system_prompt_details": {
                "cwd_value": details.cwd_value,
                "os_value": details.os_value,
                "shell_value": details.shell_value,
                "home_value": details.home_value,
            },
            "source": _SOURCE,
        }
    )
    return CaseRow(name, case_digest(content) or "", case.path, source=_SOURCE, tokens=case.tokens, content=content)


def _variants(run: ClineRun, results: Iterable[ClineResult]) -> Iterator[Variant]:
    """Yield what was compared: each model with the parser and the algorithm that scored it."""
    for model, parser, algorithm in dict.fromkeys(
        (result.model, PARSER_ALIASES.get(result.parser, result.parser), _algorithm(result)) for result in results
    ):
        yield Variant(
            sut=model,
            prompt=run.prompt_name,
            parser=parser,
            diff_algorithm=algorithm,
            prompt_digest=run.prompt_hash[:8],
            parser_digest=parser_digest(parser) if parser in PARSERS else "",
            algorithm_digest=algorithm_digest(algorithm) if algorithm in DIFF_ALGORITHMS else "",
            endpoint=_ENDPOINT,
            simulated=model.startswith(_SIMULATED),
        )


def _algorithm(result: ClineResult) -> str:
    return ALGORITHM_ALIASES.get(result.algorithm, result.algorithm)


def _put_results(
    store: Store,
    run_id: str,
    run: ClineRun,
    cases: Mapping[str, tuple[str, ClineCase]],
    results: Iterable[ClineResult],
) -> Counter[str]:
    """Put the results of a run into the database, inside a transaction; return how many are of which kind."""
    rows, counts = ImportedRows(store, run_id), Counter[str]()
    for result in results:
        if result.case_id not in cases:
            counts["without a case"] += 1
            continue
        name, case = cases[result.case_id]
        read = scored_result(result, case)
        lane_id = rows.lane(result.model, name, run.prompt_name, run.prompt)
        answer_id = rows.put(lane_id, read.text, _answer(result, read))
        if read.scoring is not None:
            put_scorings(store, run_id, [replace(read.scoring, answer_id=answer_id)])
        counts.update(read.counted)
    return counts


def _answer(result: ClineResult, read: ReadResult) -> dict[str, Value]:
    return {
        "sent_at": result.created_at,
        "outcome": read.outcome,
        "error_kind": read.error_kind,
        "error_text": read.error_text,
        "first_token_ms": result.first_token_ms,
        "first_edit_ms": result.first_edit_ms,
        "round_trip_ms": result.round_trip_ms,
        "output_tokens": result.output_tokens,
        "provider_cost_usd": result.cost_usd,
    }
