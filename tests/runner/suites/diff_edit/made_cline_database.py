"""Databases as Cline's diff-edit evaluation made them, by its published schema."""

import json
import sqlite3
from contextlib import closing
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from uuid import UUID

SCHEMA = """
PRAGMA journal_mode = WAL;
PRAGMA foreign_keys = ON;
CREATE TABLE system_prompts (
    hash TEXT PRIMARY KEY, name TEXT NOT NULL, content TEXT NOT NULL, created_at DATETIME DEFAULT CURRENT_TIMESTAMP);
CREATE TABLE processing_functions (
    hash TEXT PRIMARY KEY, name TEXT NOT NULL, parsing_function TEXT NOT NULL, diff_edit_function TEXT NOT NULL,
    created_at DATETIME DEFAULT CURRENT_TIMESTAMP);
CREATE TABLE files (
    hash TEXT PRIMARY KEY, filepath TEXT NOT NULL, content TEXT NOT NULL, tokens INTEGER,
    created_at DATETIME DEFAULT CURRENT_TIMESTAMP);
CREATE TABLE runs (
    run_id TEXT PRIMARY KEY, created_at DATETIME DEFAULT CURRENT_TIMESTAMP, description TEXT,
    system_prompt_hash TEXT NOT NULL, FOREIGN KEY (system_prompt_hash) REFERENCES system_prompts (hash));
CREATE TABLE cases (
    case_id TEXT PRIMARY KEY, run_id TEXT NOT NULL, created_at DATETIME DEFAULT CURRENT_TIMESTAMP,
    description TEXT NOT NULL, system_prompt_hash TEXT NOT NULL, task_id TEXT NOT NULL, tokens_in_context INTEGER,
    file_hash TEXT, FOREIGN KEY (run_id) REFERENCES runs (run_id),
    FOREIGN KEY (system_prompt_hash) REFERENCES system_prompts (hash), FOREIGN KEY (file_hash) REFERENCES files (hash));
CREATE TABLE results (
    result_id TEXT PRIMARY KEY, run_id TEXT NOT NULL, case_id TEXT NOT NULL, model_id TEXT NOT NULL,
    processing_functions_hash TEXT NOT NULL, succeeded BOOLEAN NOT NULL, error_enum INTEGER, num_edits INTEGER,
    num_lines_deleted INTEGER, num_lines_added INTEGER, time_to_first_token_ms INTEGER, time_to_first_edit_ms INTEGER,
    time_round_trip_ms INTEGER, cost_usd REAL, completion_tokens INTEGER, raw_model_output TEXT, file_edited_hash TEXT,
    parsed_tool_call_json TEXT, created_at DATETIME DEFAULT CURRENT_TIMESTAMP,
    FOREIGN KEY (run_id) REFERENCES runs (run_id), FOREIGN KEY (case_id) REFERENCES cases (case_id),
    FOREIGN KEY (processing_functions_hash) REFERENCES processing_functions (hash));
CREATE INDEX idx_results_run_model ON results (run_id, model_id);
CREATE INDEX idx_results_case_model ON results (case_id, model_id);
CREATE INDEX idx_results_success ON results (succeeded);
CREATE INDEX idx_cases_run ON cases (run_id);
CREATE INDEX idx_results_created ON results (created_at);
CREATE INDEX idx_runs_created ON runs (created_at);
"""
FILE = "def greet(n):\n    return 'hi ' + n\n\n\ndef part(n):\n    return 'bye ' + n\n"
PATH = "app/greet.py"


def edit(search: str, replace: str, path: str = PATH, mark: str = "-------") -> str:
    """An answer with one call of the edit tool."""
    diff = f"{mark} SEARCH\n{search}\n=======\n{replace}\n+++++++ REPLACE"
    return f"I will.\n\n<replace_in_file>\n<path>{path}</path>\n<diff>\n{diff}\n</diff>\n</replace_in_file>\n"


RIGHT = edit("    return 'hi ' + n", "    return 'hello ' + n")
NO_MATCH = edit("    return 'ho ' + n", "    return 'hello ' + n")
# A part of a line: the tolerant engines refuse it as the strict one does; trimmed lines match in both.
LEGACY = RIGHT.replace("------- SEARCH", "<<<<<<< SEARCH").replace("+++++++ REPLACE", ">>>>>>> REPLACE")


@dataclass
class ClineDatabase:
    """One database of the original, to which runs are added; ids count up."""

    path: Path
    _count: int = 0
    prompt: str = field(default="You are Cline.")

    def __post_init__(self) -> None:
        with closing(sqlite3.connect(self.path)) as connection:
            connection.executescript(SCHEMA)
        self.insert("system_prompts", hash=_hash(self.prompt), name="basicSystemPrompt", content=self.prompt)

    def insert(self, table: str, **row: object) -> None:
        marks = ", ".join("?" * len(row))
        sql = f"INSERT OR IGNORE INTO {table} ({', '.join(row)}) VALUES ({marks})"  # noqa: S608 - written here
        with closing(sqlite3.connect(self.path)) as connection, connection:
            connection.execute(sql, tuple(row.values()))

    def rows(self, sql: str, *values: object) -> list[tuple[object, ...]]:
        with closing(sqlite3.connect(self.path)) as connection:
            return connection.execute(sql, values).fetchall()

    def run(self, description: str = "Models: a, Common Cases: 1, Valid attempts per case: 1") -> str:
        run_id = self._id()
        moment = f"2025-07-01 10:00:{self._count % 60:02}"
        self.insert(
            "runs", run_id=run_id, description=description, system_prompt_hash=_hash(self.prompt), created_at=moment
        )
        return run_id

    def case(self, run_id: str, task: str, contents: str | None = FILE, path: str = PATH) -> str:
        case_id = self._id()
        if contents is not None:
            self.insert("files", hash=_hash(contents), filepath=path, content=contents)
        self.insert(
            "cases",
            case_id=case_id,
            run_id=run_id,
            description=task,
            system_prompt_hash=_hash(self.prompt),
            task_id=task,
            tokens_in_context=1200,
            file_hash=None if contents is None else _hash(contents),
        )
        return case_id

    def result(self, run_id: str, case_id: str, raw: str | None, *, succeeded: int, **row: object) -> None:
        algorithm, parser = str(row.pop("algorithm", "diff-06-26-25")), "parseAssistantMessageV2"
        functions = _hash(parser + algorithm)
        self.insert(
            "processing_functions",
            hash=functions,
            name=f"{parser}-{algorithm}",
            parsing_function=parser,
            diff_edit_function=algorithm,
        )
        whole: dict[str, object] = {
            "result_id": self._id(),
            "run_id": run_id,
            "case_id": case_id,
            "model_id": "anthropic/claude-sonnet-4",
            "processing_functions_hash": functions,
            "succeeded": succeeded,
            "raw_model_output": raw,
            "parsed_tool_call_json": "[]",
            "created_at": f"2025-07-01 10:01:{self._count % 60:02}",
        }
        self.insert("results", **{**whole, **row})

    def _id(self) -> str:
        self._count += 1
        return str(UUID(int=self._count * 0x1000003))


def _hash(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def call(path: str | None) -> str:
    """The calls on record of an answer whose diff is missing."""
    return json.dumps([{"name": "replace_in_file", "input": {} if path is None else {"path": path}}])


def made_database(path: Path) -> ClineDatabase:
    """A database with two runs of two models each, and every kind of result that the original wrote."""
    database = ClineDatabase(path)
    for models in (("anthropic/claude-sonnet-4", "openai/gpt-4.1"), ("anthropic/claude-sonnet-4", "x-ai/grok-3")):
        run = database.run(f"Models: {', '.join(models)}, Common Cases: 3, Valid attempts per case: 2")
        greet, again = database.case(run, "greet_0001"), database.case(run, "greet_0002", FILE + "\n# two\n")
        lost = database.case(run, "lost_0003", None)
        for model in models:
            _results(database, run, model, greet, again, lost)
    return database


def _results(database: ClineDatabase, run: str, model: str, greet: str, again: str, lost: str) -> None:
    def put(case: str, raw: str | None, succeeded: int = 0, **row: object) -> None:
        database.result(run, case, raw, succeeded=succeeded, **{"model_id": model, **row})

    clocks = {"time_to_first_token_ms": 420, "time_to_first_edit_ms": 900, "time_round_trip_ms": 2100}
    put(greet, RIGHT, 1, num_edits=1, cost_usd=0.0125, completion_tokens=90, **clocks)
    put(greet, NO_MATCH)
    put(greet, "I cannot.", error_enum=1)
    put(greet, None, error_enum=1)
    put(greet, "<read_file>\n<path>app/greet.py</path>\n</read_file>", error_enum=6)
    put(greet, edit("a", "b", path="other.py"), error_enum=7)
    put(greet, RIGHT + RIGHT, error_enum=8)
    put(again, edit("", "", path="").replace("<path></path>\n", ""), error_enum=9, parsed_tool_call_json=call(None))
    put(again, None, error_enum=9, parsed_tool_call_json=call(PATH))
    put(again, None, error_enum=99)
    put(again, None, error_enum=4)
    put(again, NO_MATCH, error_enum=3)
    put(again, RIGHT, 1, algorithm="diff-06-06-25")
    put(again, RIGHT, 0)
    put(again, RIGHT, 1, algorithm="unknown-algorithm")
    put(lost, RIGHT, 1)
    put(lost, NO_MATCH, 0, parsed_tool_call_json="no json")
