"""Command lines of every command, as a user may type them in a stranger's folder; none of them agrees to anything."""

from tests.strangers_database import CASE, RUNS

SIMULATED = "--model-ids sim/careful?time=virtual&valid=1"
# One line or more of each command of docs/commands.md.
COMMANDS = {
    "diff": (f"diff {SIMULATED} --cases good --save-locally made", f"diff {SIMULATED}", "diff --cases good"),
    "replay": ("replay --run-id names --from-stream",),
    "report": ("report names --markdown",),
    "view": ("view --no-browser --until-input-ends",),
    "compare": ("compare names", "compare names --json"),
    "show": (f"show names {CASE}",),
    "diagnose": ("diagnose names", "diagnose names --json"),
    "audit": ("audit .", "audit . --json"),
    "bundle": ("bundle names --out made.bundle",),
    "verify": ("verify good/py_lru_cache_peek.json",),
    "import": ("import good/py_lru_cache_peek.json",),
    "merge": ("merge merged.db evals.db",),
    "import-cline": ("import-cline good/py_lru_cache_peek.json",),
    "runs": ("runs --sizes",),
    "export": ("export names --format csv",),
    "cost": ("cost names",),
    "prices": ("prices gpt",),
    "rescore": ("rescore names",),
    "score": ("score my/prompt.md cases/diff_edit/a_pipe.json good/py_lru_cache_peek.json",),
    "study": ("study study",),
    "cases new": ("cases new --last-commit --out made",),
    "cases check": ("cases check cases/diff_edit --strict",),
    "cases import": ("cases import . --preview", "cases import . --out made --json"),
    "cases mine": ("cases mine --kind diff --repo . --out mined",),
    "stream": (f"stream names {CASE} 1 --speed 0",),
    "prune": ("prune --vacuum",),
    "doctor": ("doctor --model-ids openai/gpt-x,vllm/x",),
    "trust": ("trust", "trust --list"),
    "models": ("models",),
    "prompts": ("prompts",),
    "parsers": ("parsers",),
    "algorithms": ("algorithms",),
    "metrics": ("metrics",),
    "selftest": ("selftest --fast",),
    "nextedit": ("nextedit --repo . --rev HEAD", "nextedit --cases cases/nextedit --sut rules"),
    "tool new": ("tool new made.py",),
    "nextedit new-system": ("nextedit new-system made",),
    "nextedit bundle": ("nextedit bundle bundled --repo . --rev HEAD",),
    "nextedit order": ("nextedit order HEAD --repo .",),
    "codrep run": ("codrep run cases/codrep",),
    "codrep predict": ("codrep predict cases/codrep",),
    "codrep score": ("codrep score --datasets cases/codrep",),
    "codrep leaderboard": ("codrep leaderboard",),
    "codrep train": ("codrep train cases/codrep --leave-one-out",),
    "completion run": ("completion run cases/completion/shelf.jsonl --sut sim/careful",),
    "completion score": ("completion score cases/completion/shelf.jsonl --answers study/answers.jsonl --repo .",),
    "completion build": ("completion build --repo . --out built.jsonl",),
    "completion join": ("completion join deep.jsonl cases/completion/shelf.jsonl --out joined.jsonl",),
    "completion validate": ("completion validate deep.jsonl --repo .",),
    "completion prompts": ("completion prompts deep.jsonl --family qwen2.5-coder",),
    "completion codev": ("completion codev study --sut sim/careful --out coded",),
    "edit run": ("edit run cases/edit/problems.jsonl --sut sim/careful", "edit run deep.jsonl --sut openai/gpt-x"),
    "edit check": ("edit check cases/edit/problems.jsonl",),
    "edit export": ("edit export --run-id edit --out exported",),
    "serve-sim": ("serve-sim --cases cases/diff_edit",),
}
# Every command that reads a run.
READING = (
    *(
        "replay --run-id {run}",
        "replay --run-id {run} --from-stream",
        "report {run}",
        "compare {run}",
        "diagnose {run}",
        f"show {{run}} {CASE}",
    ),
    *("export {run} --format jsonl", "cost {run}", "rescore {run} --metric exact,chrf"),
    *(f"stream {{run}} {CASE} 1 --speed 0", "edit export --run-id {run} --out exported-{run}"),
)
# The same with every run of the planted database.
RUNS_READ = tuple(line.format(run=run) for run in RUNS for line in READING)
# Runs of one suite with the contents of another: well-formed data of the wrong form may end in a traceback.
MISTAKEN = tuple(line.format(run=run) for run in ("codrep", "completion", "nextedit") for line in READING)
_DATABASES = ("objects.db", "torn.db", "bytes.db", "short.db", "zero.db", "pipe.db", "linked.db", "evil_mod.py")
# Files that are no database, no whole one, or more than data; commands that read, and some that write.
DATABASES_READ = tuple(
    f"{line} --db {database}"
    for database in _DATABASES
    for line in ("runs --sizes", f"show names {CASE}", "export names", "prune --texts", "replay --run-id unknown")
)
