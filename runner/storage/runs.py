"""The runs of a database: beginning and resuming one, finding one by id, prefix or `latest`."""

import secrets
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson

from runner.errors import InputError
from runner.storage.identities import differences, with_replicas
from runner.storage.rows import config_of, to_json
from runner.storage.store import Row, Store, Value
from runner.variant import Variant
from suts.replicated import REPLICAS

# A model, a prompt, a parser and a diff algorithm.
VariantKey = tuple[str, str, str, str]

LATEST = "latest"
# The part of a run's identity that is the version of its suite's measure; only some suites have one.
MEASURE = "measure"
# The settings that say how much a run asks for.
QUOTA, CAP = "valid_attempts_per_case", "max_attempts_per_case"


@dataclass(frozen=True, slots=True)
class CaseRow:
    """What a row of `cases` holds; `content` is the case's own JSON text, `skipped` why it is left out."""

    case_id: str
    digest: str
    path: str | None = None
    language: str | None = None
    source: str | None = None
    tokens: int | None = None
    skipped: str | None = None
    content: str | None = None


def _version() -> str:
    from importlib.metadata import version

    return version("evals")


@dataclass(frozen=True, slots=True)
class RunPlan:
    """What a run is: two sessions with the same `identity` are one run, whatever their quota or speed."""

    suite: str
    identity: Mapping[str, Any]
    settings: Mapping[str, Any]
    variants: Sequence[Variant]
    cases: Sequence[CaseRow]
    cases_digest: str
    replay_of: str | None = None
    name: str | None = None
    note: str | None = None
    version: str = field(default_factory=_version)


def utc_now() -> str:
    """Return the time as the database keeps it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").removesuffix("+00:00")


def new_run_id() -> str:
    """Eight hexadecimal digits that no earlier run is likely to have."""
    return secrets.token_hex(4)


def choose_run(db: Path, plan: RunPlan, run_id: str, resume: str) -> str:
    """Return the id of the run to create or to go on with: nothing is written before this says that it can be.

    Raises InputError for a database that cannot be written, an unknown run, another configuration.
    """
    if resume or db.exists():
        with closing(Store.open(db, create=False)) as store:
            recorded_id = find_run(store, resume)["run_id"] if resume else run_id or new_run_id()
            _refuse_another(store, recorded_id, plan.identity)
    else:
        recorded_id = run_id or new_run_id()
    Store.refuse_unwritable(db)
    return recorded_id


def is_recorded(db: Path, run_id: str, resume: str) -> bool:
    """Return whether a run is there to go on with; one that is to be resumed is taken to be."""
    if resume or not run_id or not db.exists():
        return bool(resume)
    with closing(Store.open(db, create=False)) as store:
        return bool(store.rows("SELECT 1 FROM runs WHERE run_id = ?", run_id))


def begin(store: Store, run_id: str, plan: RunPlan, utc_now: str) -> bool:
    """Create the run, or check that it is the same one and go on with it; True when it was there before.

    Raises InputError naming what differs.
    """
    if _refuse_another(store, run_id, plan.identity):
        before = config_of(store.rows("SELECT run_id, config FROM runs WHERE run_id = ?", run_id)[0])["identity"]
        again = replace(plan, identity=with_replicas(before, plan.identity))
        config = _config(again, asked_on_record(store, run_id))
        with store.transaction():
            store.update("runs", {"run_id": run_id}, {"state": "running", "finished_at": None, "config": config})
            for sut in {variant.sut for variant in plan.variants if variant.endpoint == REPLICAS}:
                store.update("variants", {"run_id": run_id, "sut": sut}, {"endpoint": REPLICAS})
        return True
    with store.transaction():
        put_run(store, run_id, plan, utc_now)
    return False


def put_run(store: Store, run_id: str, plan: RunPlan, utc_now: str) -> None:
    """Insert a run with its variants and cases; to be called inside a transaction."""
    row: dict[str, Value] = {
        "run_id": run_id,
        "suite": plan.suite,
        "created_at": utc_now,
        "state": "running",
        "replay_of": plan.replay_of,
        "name": plan.name,
        "note": plan.note,
        "version": plan.version,
        "config": _config(plan),
    }
    store.insert("runs", row)
    put_variants(store, run_id, plan)
    _put_cases(store, run_id, plan.cases)


def asked_on_record(store: Store, run_id: str) -> dict[str, int]:
    """Return the quota and the cap that the sessions of a run have asked for so far; {} if there is no such run."""
    rows = store.rows("SELECT run_id, config FROM runs WHERE run_id = ?", run_id)
    settings = config_of(rows[0])["settings"] if rows else {}
    return {name: settings[name] for name in (QUOTA, CAP) if isinstance(settings.get(name), int)}


def _config(plan: RunPlan, before: Mapping[str, int] | None = None) -> str:
    """Return identity and settings as JSON; what a run has asked for never shrinks from one session to the next."""
    settings = dict(plan.settings)
    for name, count in (before or {}).items():
        if name in settings:
            settings[name] = max(settings[name], count)
    return to_json({"identity": dict(plan.identity), "settings": settings})


def _refuse_another(store: Store, run_id: str, identity: Mapping[str, Any]) -> bool:
    """Return whether the run is there; raises InputError where it is another than this, or no run can be called so."""
    if run_id == LATEST:
        raise InputError(
            f"--run-id {run_id}: names the newest run everywhere; call this one otherwise, or use --resume"
        )
    if not _can_be_kept(run_id):
        raise InputError(f"--run-id {run_id!r}: is no text in UTF-8; call the run otherwise")
    rows = store.rows("SELECT run_id, config, replay_of FROM runs WHERE run_id = ?", run_id)
    if not rows:
        return False
    if rows[0]["replay_of"] is not None:
        raise InputError(f"--run-id {run_id}: is a replay, which asks nobody; leave --run-id out")
    before, now = config_of(rows[0])["identity"], dict(identity)
    now = orjson.loads(orjson.dumps(now))
    different = differences(before, now)
    if MEASURE in different:
        raise InputError(
            f"--run-id {run_id}: was measured by version {before.get(MEASURE, 1)} of the measure, and this program"
            f" measures by version {now[MEASURE]}; leave --run-id out, so that a new run begins"
        )
    if different:
        changes = "; ".join(f"{name} was {before.get(name)!r}, is {now.get(name)!r}" for name in different)
        raise InputError(f"--run-id {run_id}: is another run ({changes}); repeat its options, or leave --run-id out")
    return True


def _can_be_kept(run_id: str) -> bool:
    """Return whether the database can hold the text: bytes in arguments that are not UTF-8 are lone surrogates."""
    return not any("\ud800" <= letter <= "\udfff" for letter in run_id)


def variant_rows(store: Store, run_id: str) -> list[Row]:
    """Return the rows of a run's variants, in their order."""
    return store.rows("SELECT * FROM variants WHERE run_id = ? ORDER BY position", run_id)


def variant_key(row: Row) -> VariantKey:
    """Return the key of a variant within its run, from a row of `variants` or of `attempts`."""
    return row["sut"], row["prompt"], row["parser"], row["diff_algorithm"]


def quota_of(run: Row) -> int:
    """Return how many valid attempts a run asks for at each question."""
    settings = config_of(run)["settings"]
    return int(settings.get("valid_attempts_per_step", settings.get(QUOTA, 1)))


def put_variants(store: Store, run_id: str, plan: RunPlan) -> None:
    """Insert the variants of a run that are not there yet."""
    names = [field.name for field in fields(Variant)]
    rows = [
        (
            run_id,
            position,
            *(getattr(variant, name) for name in names),
            signature_of(variant, plan.suite, plan.identity, plan.cases_digest, plan.version),
        )
        for position, variant in enumerate(plan.variants)
    ]
    store.insert_many("variants", ("run_id", "position", *names, "signature"), rows)


def signature_of(variant: Variant, suite: str, identity: Mapping[str, Any], cases: str, version: str) -> str:
    """Return what a variant of a run is compared by: its parts, and what the suite adds to a run's identity.

    That is the version of the suite's measure, if it has one, and which files systems see; `cases` is their digest.
    """
    measure, context = identity.get(MEASURE), context_of(identity)
    signature = variant.signature(suite if measure is None else f"{suite}@{measure}", cases, version)
    return f"{signature}|context {context}" if context else signature


def context_of(identity: Mapping[str, Any]) -> str:
    """Return which files systems see in a run, without the digest; "" where a suite has no choice of them."""
    return str(identity.get("context", "")).partition("@")[0]


def refuse_incomparable(runs: Sequence[Row]) -> None:
    """Raise InputError for runs of several suites, or measured by different versions of their suite's measure."""
    suites = list(dict.fromkeys(run["suite"] for run in runs))
    if len(suites) > 1:
        ids = ", ".join(run["run_id"] for run in runs)
        raise InputError(f"runs {ids}: are of {' and '.join(suites)}; compare runs of one suite")
    versions = {run["run_id"]: config_of(run)["identity"].get(MEASURE) for run in runs}
    if len(set(versions.values())) > 1:
        by_run = ", ".join(f"{run_id} by {version}" for run_id, version in versions.items())
        raise InputError(f"runs are of different versions of the measure ({by_run}); compare runs of one version")


def _put_cases(store: Store, run_id: str, cases: Iterable[CaseRow]) -> None:
    columns = (
        "run_id",
        "case_id",
        "position",
        "digest",
        "path",
        "language",
        "source",
        "tokens",
        "skipped",
        "content_id",
    )
    rows = [
        (run_id, case.case_id, position, case.digest, case.path, case.language, case.source, case.tokens, case.skipped,
         store.put_text(case.content))
        for position, case in enumerate(cases)
    ]  # fmt: skip
    store.insert_many("cases", columns, rows)


@dataclass(frozen=True, slots=True)
class SessionLag:
    """How late the event loop of a session was, in milliseconds: the 99th percentile, and the worst."""

    p99_ms: float
    max_ms: float


def put_session(store: Store, run_id: str, began_at: str, lag: SessionLag) -> None:
    """Note that a session of a run has ended, and how late its event loop was."""
    row: dict[str, Value] = {
        "run_id": run_id,
        "began_at": began_at,
        "late_p99_ms": lag.p99_ms,
        "late_max_ms": lag.max_ms,
    }
    with store.transaction():
        store.insert("sessions", row)


def finish(store: Store, run_id: str, utc_now: str, *, complete: bool) -> None:
    """Note that the run has ended for now."""
    state = "complete" if complete else "incomplete"
    with store.transaction():
        store.update("runs", {"run_id": run_id}, {"state": state, "finished_at": utc_now})


def crashed_count(store: Store, run_id: str) -> int:
    """Return how many scorings of a run crashed, in all of its sessions."""
    sql = "SELECT count(*) AS n FROM scorings WHERE run_id = ? AND outcome = 'crashed'"
    return int(store.rows(sql, run_id)[0]["n"])


def answered_suts(store: Store, run_id: str) -> set[str]:
    """Return the systems of which a run has an answer."""
    rows = store.rows(
        "SELECT DISTINCT l.sut FROM answers a JOIN lanes l USING (lane_id)"
        " WHERE l.run_id = ? AND a.outcome = 'answered'",
        run_id,
    )
    return {row["sut"] for row in rows}


def find_run(store: Store, name: str) -> Row:
    """Return the run of an id, of a prefix of one, or the `latest`. Raises InputError."""
    if name == LATEST:
        rows = store.rows("SELECT * FROM runs ORDER BY created_at DESC, rowid DESC LIMIT 1")
        if not rows:
            raise InputError(f"{store.path}: holds no run yet; make one with `evals diff`")
        return rows[0]
    rows = _called(store, name) if name and _can_be_kept(name) else []
    if not rows:
        raise InputError(f"run {name!r}: there is none of that id in {store.path}; see `evals runs`")
    if len(rows) > 1:
        ids = ", ".join(row["run_id"] for row in rows[:5])
        raise InputError(f"run {name!r}: begins several ids ({ids}); give more of it")
    return rows[0]


def _called(store: Store, name: str) -> list[Row]:
    """Return the run of an id, else those whose ids begin so."""
    exact = store.rows("SELECT * FROM runs WHERE run_id = ?", name)
    if exact:
        return exact
    pattern = name.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"
    return store.rows("SELECT * FROM runs WHERE run_id LIKE ? ESCAPE '\\' ORDER BY created_at", pattern)


def is_simulated(store: Store, run_id: str) -> bool:
    """Return whether any model of a run is simulated."""
    return bool(store.rows("SELECT 1 FROM variants WHERE run_id = ? AND simulated LIMIT 1", run_id))


def list_runs(store: Store) -> list[Row]:
    """Return all runs, newest first, with how much each holds."""
    sql = """
        SELECT run_id, suite, created_at, finished_at, state, replay_of, name, note, version,
            (SELECT count(*) FROM variants v WHERE v.run_id = r.run_id) AS variants,
            (SELECT count(*) FROM scorings s WHERE s.run_id = r.run_id) AS attempts
        FROM runs r ORDER BY created_at DESC, rowid DESC"""
    return store.rows(sql)
