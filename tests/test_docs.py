"""The documents are true: tables, columns, queries, commands and prices are those of the program."""

import os
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from typer.core import TyperGroup
from typer.main import get_command

from runner.cli import app
from runner.execution.isolation import strongest
from runner.prices import load_prices
from runner.records import Tokens
from runner.storage.store import Store
from tests import in_process
from tests.picture import PICTURE, drawn, screens

ROOT = Path(__file__).parents[1]
BIN = Path(sys.executable).parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
DATABASE = (ROOT / "docs" / "database.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", ROOT / "AGENTS.md", ROOT / "cases" / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
MODELS = "sim/careful?time=virtual,sim/sloppy?time=virtual"
# A run where all went well has nothing to show for these.
MAY_BE_EMPTY = {"Which cases does nobody solve?"}

Columns = dict[str, str]


def documented() -> dict[str, Columns]:
    """Per table or view the columns and types that the document names."""
    found: dict[str, Columns] = {}
    for section in re.split(r"^### ", DATABASE, flags=re.MULTILINE)[1:]:
        if name := re.match(r"`(\w+)`\n", section):
            found[name[1]] = dict(re.findall(r"^\| `(\w+)` \| (\w+) \|", section, re.MULTILINE))
    return found


def questions() -> dict[str, str]:
    """The document's queries by their headings."""
    return dict(re.findall(r"^### ([^\n`]+)\n(?:(?!^### ).)*?^```sql\n(.*?)^```", DATABASE, re.MULTILINE | re.DOTALL))


@pytest.fixture(scope="module")
def schema(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Columns]:
    """Per table or view the columns and types of a new database; an expression has no type of its own."""
    path = tmp_path_factory.mktemp("schema") / "evals.db"
    Store.open(path).close()
    with closing(sqlite3.connect(path)) as connection:
        names = connection.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')").fetchall()
        return {
            name: {row[1]: row[2] for row in connection.execute(f"PRAGMA table_info({name})")}
            for (name,) in names
            if not name.startswith(("_sqlite", "sqlite_"))
        }


def test_the_document_names_every_table_and_view_and_no_other(schema: dict[str, Columns]) -> None:
    assert set(documented()) == set(schema)


@pytest.mark.parametrize("table", documented())
def test_the_document_names_every_column_in_order_with_its_type(table: str, schema: dict[str, Columns]) -> None:
    told = documented()[table]

    assert list(told) == list(schema[table])
    assert {name: told[name] for name, type_ in schema[table].items() if type_} == {
        name: type_ for name, type_ in schema[table].items() if type_
    }


@pytest.mark.parametrize("suffix,unit", [("_ms", "ms"), ("_usd", "USD"), ("_tokens", "tokens"), ("_at", "UTC")])
def test_every_column_with_a_unit_in_its_name_says_so(suffix: str, unit: str) -> None:
    rows = re.findall(rf"^\| `\w+{suffix}` \| \w+ \| ([^|]*) \|", DATABASE, re.MULTILINE)

    assert rows
    assert set(rows) == {unit}


def evals(*words: str, db: Path) -> str:
    return in_process.evals(*words, "--db", db, cwd=ROOT).stdout


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database of a small run, its replay, and a run that a server refused."""
    db = tmp_path_factory.mktemp("ran") / "evals.db"
    evals("diff", "--model-ids", MODELS, db=db)
    evals("replay", "--run-id", "latest", "--diff-apply", "v1,v4", db=db)
    serve = [str(BIN / "evals"), "serve-sim", "--key-env", "SERVED_KEY"]
    server = subprocess.Popen(serve, stdout=subprocess.PIPE, text=True, env={**os.environ, "SERVED_KEY": "right"})
    try:
        assert server.stdout is not None
        url = server.stdout.readline().split()[-1]
        evals("diff", "--model-ids", "vllm/any", "--base-url", f"{url}/v1", "--max-cases", "1", db=db)
    finally:
        server.kill()
        server.communicate()
    return db


def test_there_are_eight_questions() -> None:
    assert len(questions()) == 8


@pytest.mark.parametrize("question", questions())
def test_every_question_is_answered_as_it_stands(question: str, ran: Path) -> None:
    with closing(sqlite3.connect(ran)) as connection:
        answer = connection.execute(questions()[question]).fetchall()

    assert answer or question in MAY_BE_EMPTY


def test_the_right_answers_by_sql_are_the_report_s(ran: Path) -> None:
    query = questions()["How often is each variant right?"]
    with closing(sqlite3.connect(ran)) as connection:
        rows = connection.execute(query).fetchall()
        careful = next(row for row in rows if row[1].startswith("sim/careful"))

    report = evals("report", careful[0], "--markdown", db=ran)

    assert re.search(rf"sim/careful\?time=virtual \(simulated\).*\| {careful[5]} \[.* \| {careful[6]} \|", report)


def fenced(text: str, *kinds: str) -> list[str]:
    """The fenced blocks of these kinds."""
    blocks = re.findall(r"^```([^\n`]*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [body for kind, body in blocks if kind in kinds]


def command_lines() -> Iterator[tuple[str, str]]:
    """Every line of the documents' blocks that calls evals, with the document's name."""
    for page in PAGES:
        for block in fenced(page.read_text(encoding="utf-8"), "sh", "sh offline", "sh recipe", ""):
            for line in block.replace("\\\n", " ").split("\n"):
                if found := re.match(r"(?:\$ )?(?:\S+/)?evals (.*)$", line.split(" #")[0]):
                    yield page.name, found[1].split(" | ")[0].split(" > ")[0].rstrip(" &")


@pytest.mark.parametrize("line", [pytest.param(line, id=f"{page}: {line}") for page, line in command_lines()])
def test_every_command_line_of_the_documents_is_one_that_evals_takes(line: str) -> None:
    group: object = get_command(app)
    words = shlex.split(line)
    assert isinstance(group, TyperGroup)
    context = group.make_context("evals", words[:1] if words[0] == "--version" else [words[0]], resilient_parsing=True)

    while isinstance(group, TyperGroup):
        name, command, words = group.resolve_command(context, words)
        assert command is not None
        group = command
        context = (
            command.make_context(name, list(words), parent=context) if not isinstance(command, TyperGroup) else context
        )

    assert context.params


def test_the_page_of_commands_names_every_command() -> None:
    names = list(command_names(get_command(app)))

    assert len(names) >= 8
    assert [name for name in names if f"evals {name}" not in COMMANDS] == []


def test_the_readme_takes_six_commands_and_a_screen_for_each_part() -> None:
    lines = [line for block in fenced(README, "sh", "sh offline") for line in block.split("\n")]
    called = {found[1] for line in lines if (found := re.match(r"evals ((?:cases )?\w+)", line))}
    parts = {part.split("\n")[0]: part.count("\n") for part in re.split(r"^## ", README, flags=re.MULTILINE)}

    assert called == {"diff", "compare", "replay", "show", "diagnose", "cases new"}
    assert {title: length for title, length in parts.items() if length > 45} == {}


def test_the_readme_leads_to_every_page() -> None:
    pages = {f"docs/{page.name}" for page in (ROOT / "docs").glob("*.md")}
    listed = re.findall(r"\]\(([^)#]+)\)", README.partition("## Documentation")[2])

    assert pages | {"AGENTS.md", "cases/README.md"} == set(listed)


def command_names(group: object, path: str = "") -> Iterator[str]:
    assert isinstance(group, TyperGroup)
    for name, command in group.commands.items():
        if isinstance(command, TyperGroup):
            yield from command_names(command, f"{path}{name} ")
        else:
            yield path + name


def run_offline(page: str, folder: Path, programs: str) -> subprocess.CompletedProcess[str]:
    """Run the offline commands of a page in an empty folder."""
    variables = {"PATH": programs, "HOME": str(folder), "COLUMNS": "96"}
    done = subprocess.run(
        ["bash", "-euxo", "pipefail"],
        input="\n".join(fenced(page, "sh offline")),
        cwd=folder, env=variables, capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    assert "Traceback" not in done.stderr
    return done


@pytest.mark.wide
def test_the_offline_commands_of_the_page_run_as_they_stand(tmp_path: Path, programs: str) -> None:
    assert "simulated: no number here is a real model's" in run_offline(COMMANDS, tmp_path, programs).stdout


@pytest.mark.slow
def test_a_foreign_tool_is_made_and_measured_as_its_page_says(tmp_path: Path, programs: str) -> None:
    if not strongest().whole:
        pytest.skip("this machine permits no namespaces with a bound on processes")

    done = run_offline((ROOT / "docs" / "foreign-tools.md").read_text(encoding="utf-8"), tmp_path, programs)

    assert "run mine" in done.stderr
    assert "0 calls" in done.stderr


def test_the_readme_shows_what_its_commands_print(tmp_path: Path, programs: str) -> None:
    dry = next(line for line in "\n".join(fenced(README, "sh")).split("\n") if line.endswith("--dry-run"))

    printed = run_offline(README, tmp_path, programs).stdout.split("\n")
    planned = subprocess.run(
        [str(shutil.which("evals", path=programs)), *shlex.split(dry)[1:]],
        cwd=tmp_path, env={"HOME": str(tmp_path)}, capture_output=True, text=True, timeout=600, check=True,
    ).stderr.split("\n")  # fmt: skip

    shown = [line.rstrip() for block in fenced(README, "text") for line in block.split("\n")]
    assert len(shown) >= 40
    assert [line for line in shown if line not in {text.rstrip() for text in (*printed, *planned)}] == []


@pytest.mark.slow
def test_the_picture_shows_what_the_program_prints() -> None:
    held = PICTURE.read_text(encoding="utf-8")

    assert held == drawn(screens())
    assert re.findall(r"href|url\(|@import|<script", held) == []


def test_every_link_of_the_documents_leads_to_a_file() -> None:
    broken = [
        f"{page.name}: {target}"
        for page in PAGES
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", prose(page))
        if "://" not in target and not (page.parent / target).exists()
    ]

    assert broken == []


def prose(page: Path) -> str:
    return re.sub(r"^```.*?^```$|`[^`\n]+`", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def test_the_tree_is_shown_as_it_is() -> None:
    agents = (ROOT / "AGENTS.md").read_text(encoding="utf-8")
    tree = next(block for block in fenced(agents, "text") if "runner/" in block)
    told = {name.rstrip("/") for name in re.findall(r"^([\w.]+/)", tree, re.MULTILINE)}

    assert {"runner", "prompts", "parsers", "diff_apply", "suts", "cases", "tests", "docs"} <= told
    assert all((ROOT / name).is_dir() for name in told)


def test_the_price_table_of_the_document_is_one(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "prices.md").read_text(encoding="utf-8")
    (tmp_path / "prices.json").write_text(fenced(page, "json")[0], encoding="utf-8")
    prices = load_prices(tmp_path / "prices.json")

    small = prices.cost("anthropic/claude-x@effort=high", Tokens(input=100_000, cache_read=100_000, output=1_000))
    large = prices.cost("openrouter/anthropic/claude-x", Tokens(input=100_001, cache_read=100_000, output=1_000))

    assert small == pytest.approx(0.3 + 0.03 + 0.015)
    assert large == pytest.approx(0.600006 + 0.06 + 0.0225)
    assert prices.cost("nobody/knows", Tokens(input=1, output=1)) is None


def test_the_tests_that_the_security_page_names_exist() -> None:
    page = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    named = re.findall(r"^\| `(tests/\S+\.py)` `(test_\w+)` \|", page, re.MULTILINE)

    missing = [test for file, test in named if f"def {test}(" not in (ROOT / file).read_text(encoding="utf-8")]

    assert len(named) >= 10
    assert missing == []
