"""The real Claude Code, where it is installed: its cost, its first edit, its cell and its limits, by both routes."""

import asyncio
import json
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from importlib.util import find_spec
from pathlib import Path

import pytest

from runner.agents.limits import ENDINGS
from runner.agents.opening import AgentBuilder
from runner.records import Completion
from suts.claude_session import SDKS
from suts.settings import Settings
from tests.agents.calling_server import ToolUse, calling
from tests.main_job import CASES, evals, exported, serving
from tests.runner.agents.rooms import FILES, KEY, WIDE, attempted, printed, tree_of

# What it sends depends on its version.
VERSIONS = ("2.1.197", "2.1.330", "2.1.332")
RIGHT, LOOP = "sim/any?applied=1", "sim/any?valid=0&loops=1&gives_up=0&other_file=0"


def missing(route: str) -> str:
    """Why it cannot be tried here, "" if it can."""
    if route == "claude-sdk" and not any(map(find_spec, SDKS)):
        return "no SDK of Claude Code; run `make claude`"
    path = shutil.which("claude")
    if path is None:
        return "no `claude` in PATH; run `make claude`"
    shown = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=60, check=False).stdout
    return "" if shown.startswith(VERSIONS) else f"`claude` is {shown.strip()}, none of {', '.join(VERSIONS)}"


@pytest.fixture(params=["claude-code", "claude-sdk"])
def route(request: pytest.FixtureRequest) -> str:
    """How the program is started."""
    name: str = request.param
    if reason := missing(name):
        pytest.skip(reason)
    return name


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's home, with a secret."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "secret.txt").write_text("what only the user knows")
    monkeypatch.setenv("HOME", str(home))
    return home


def words(route: str, model: str, url: str, folder: Path, *more: object) -> tuple[object, ...]:
    """A command that asks a model at a known price, with its database in the folder."""
    price = {"model": f"anthropic/{model}", "input": 1.0, "output": 2.0}
    (folder / "prices.json").write_text(json.dumps({"date": "2026-01-01", "models": [price]}))
    given = ("--base-url", url, "--prices", folder / "prices.json", "--db", folder / "evals.db")
    return "diff", f"{route}/{model}", *given, *more


def contents(*folders: Path) -> dict[Path, bytes]:
    files = (path for folder in folders for path in folder.rglob("*") if path.is_file())
    return {path: path.read_bytes() for path in files}


@pytest.mark.slow
def test_claude_code_edits_at_a_known_cost_four_at_once_and_changes_nothing_else(
    route: str, home: Path, tmp_path: Path
) -> None:
    before = contents(home, CASES)
    with serving("--ttft-ms", "5", "--gap-ms", "0") as served:
        four = ("--max-cases", "2", "-n", "2", "--max-concurrency", "4")
        done = evals(*words(route, RIGHT, served.url, tmp_path, *four))
        log = served.log()

    assert done.returncode == 0, done.stderr
    rows = exported(tmp_path / "evals.db")
    tokens = [sum(entry["usage"][side] for entry in log) for side in ("input", "output")]
    assert [row["outcome"] for row in rows] == ["applied"] * 4
    assert all(row["equals_expected"] for row in rows)
    assert [sum(row[name] for row in rows) for name in ("input_tokens", "output_tokens")] == tokens
    assert sum(row["cost_usd"] for row in rows) == pytest.approx((tokens[0] + 2 * tokens[1]) / 1e6)
    began = [datetime.fromisoformat(row["sent_at"]) for row in rows]
    lasted = [timedelta(milliseconds=row["round_trip_ms"]) for row in rows]
    assert max(began) < min(start + length for start, length in zip(began, lasted, strict=True))
    assert contents(home, CASES) == before
    stored = evals("export", "latest", "--db", tmp_path / "evals.db", "--format", "atif").stdout
    assert {json.loads(line)["agent"]["version"] for line in stored.splitlines()} <= set(VERSIONS)


@pytest.mark.slow
@pytest.mark.parametrize(
    "limit",
    ["seconds=0.5", "turns=3", "calls=3", "usd=0.08", "processes=6", "memory=100M", "disk=20k"],
)
def test_each_limit_ends_claude_code_with_its_outcome(limit: str, route: str, tmp_path: Path) -> None:
    with serving("--ttft-ms", "5", "--gap-ms", "0") as served:
        once = ("--max-cases", "1", "--max-attempts-per-case", "1", "--agent-limits", limit)
        evals(*words(route, LOOP, served.url, tmp_path, *once))
        answered = len(served.log())

    [row] = exported(tmp_path / "evals.db")
    assert row["outcome"] == ENDINGS[limit.partition("=")[0]]
    assert answered <= 3 or limit.startswith(("seconds", "processes", "memory", "disk"))


def let_loose(route: str, *calls: ToolUse, files: Mapping[str, str] = FILES) -> tuple[Completion, list[int]]:
    """An attempt in which the program asks for no permission, as a model makes these calls; and when it was asked."""

    async def play() -> tuple[Completion, list[int]]:
        async with calling(*calls) as model:
            settings = Settings(base_url=model.url, environment={"ANTHROPIC_API_KEY": KEY})
            tried = AgentBuilder(settings, WIDE).agent(f"{route}/any")
            program = tried._setting.program
            # It refuses that to root unless it is told of a sandbox.
            variables = {**(program.variables or {}), "IS_SANDBOX": "1"}
            bold = tuple(word.replace("acceptEdits", "bypassPermissions") for word in program.words)
            tried._setting = replace(tried._setting, program=replace(program, words=bold, variables=variables))
            return await attempted(tried, files), model.asked_ns

    return asyncio.run(play())


@pytest.mark.slow
def test_what_claude_code_does_not_refuse_its_cell_does(route: str, home: Path, tmp_path: Path) -> None:
    case, secret, db = next(CASES.glob("*.json")), home / "secret.txt", tmp_path / "evals.db"
    db.write_text("the truth of all cases")
    outside = tmp_path / "outside"
    outside.mkdir()
    hidden = (case, secret, db)
    reads: list[ToolUse] = [("Read", {"file_path": str(path)}) for path in hidden]
    shell = f"env; cat /proc/*/environ {' '.join(map(str, hidden))}; ls {home}; echo no > {outside}/a; echo al''l-seen"

    done, _ = let_loose(
        route,
        ("Bash", {"command": shell}),
        *reads,
        ("Write", {"file_path": str(outside / "b"), "content": "no"}),
        ("Write", {"file_path": "src/b.py", "content": "y = 2\n"}),
    )

    seen = printed(done)
    secrets = (KEY, "only the user knows", "the truth of all cases", "expected_contents")
    figures = json.loads(done.text)["figures"]
    assert figures["calls"] == {"Bash": 1, "Read": 3, "Write": 2}
    # All that lead out of its folder.
    assert figures["wasted_calls"] == len(reads) + 1, seen
    assert tree_of(done).changed == {"src/b.py": "y = 2\n"}, seen
    assert "all-seen" in seen
    assert [secret for secret in secrets if secret in seen] == []
    assert contents(outside) == {}


@pytest.mark.slow
def test_the_first_edit_of_claude_code_is_at_its_call(route: str) -> None:
    read = ("Read", {"file_path": "src/a.py"})
    edit = ("Edit", {"file_path": "src/a.py", "old_string": "x = 1", "new_string": "x = 2"})

    done, asked_ns = let_loose(route, read, edit)

    edited_ns = done.sent_ns + (done.clocks.first_edit_ms or 0.0) * 1e6
    assert tree_of(done).changed == {"src/a.py": "x = 2\n"}
    assert len(asked_ns) == 3
    assert asked_ns[1] < edited_ns < asked_ns[2]


@pytest.mark.slow
def test_a_file_of_two_megabytes_is_edited(route: str) -> None:
    if route == "claude-sdk" and not find_spec("claude_agent_sdk"):
        pytest.skip("the older SDK ends a session at a line of one megabyte")
    text = "".join(f"line {number} {'x' * 60}\n" for number in range(30_000))
    part = {"file_path": "src/a.py", "offset": "1", "limit": "10"}
    edit = {"file_path": "src/a.py", "old_string": "line 5 x", "new_string": "line five x"}

    done, _ = let_loose(route, ("Read", part), ("Edit", edit), files={"src/a.py": text})

    assert tree_of(done).changed == {"src/a.py": text.replace("line 5 x", "line five x")}
    assert json.loads(done.text)["figures"]["exit_code"] == 0, printed(done)


def test_without_an_sdk_it_is_said_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in SDKS:
        monkeypatch.setitem(sys.modules, name, None)
    given = ("--base-url", "http://127.0.0.1:9", "--db", tmp_path / "evals.db")

    done = evals("diff", "claude-sdk/any", *given)

    assert done.returncode == 2
    assert "pip install 'evals[claude]'" in done.stderr
