"""`evals diff --calls`: native calls beside calls in the text, in one run that is resumed, replayed and compared."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.runner.cli.conftest import Call
from tests.runner.suites.made_cases import AFTER, case_json

MODEL = "sim/any?valid=0.8&applied=0.6&time=virtual"
WORDS = "I look.\n\n<read_file>\n<path>src/a.txt</path>\n</read_file>"
UNFIT = [{"role": "user", "text": "Use <write_to_file> for it."}]


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    folder = tmp_path / "cases"
    folder.mkdir()
    for number in range(4):
        (folder / f"{number}.json").write_text(case_json(f"case{number}", expected_contents=AFTER))
    history = [
        {"role": "user", "text": "Shout two."},
        {"role": "assistant", "text": WORDS},
        {"role": "user", "text": "[read_file for 'src/a.txt'] Result:\n\none\ntwo\nthree\n"},
    ]
    (folder / "4.json").write_text(case_json("history", messages=history, expected_contents=AFTER))
    (folder / "5.json").write_text(case_json("unfit", messages=UNFIT, expected_contents=AFTER))
    return folder


@pytest.fixture
def db(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path / "evals.db"


def rows(db: Path, sql: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(db)) as connection:
        return connection.execute(sql).fetchall()


def diff(call: Call, cases: Path, *words: object) -> int:
    done = call("diff", MODEL, "--cases", cases, "--run-id", "r", "-n", 3, "--max-concurrency", 4, *words)
    assert done.code in (0, 2), done.err
    return done.code


def test_both_kinds_of_calls_are_variants_of_one_run_with_the_same_outcomes(call: Call, cases: Path, db: Path) -> None:
    diff(call, cases, "--calls", "xml,native")

    found = rows(db, "SELECT prompt, case_id, number, outcome FROM attempts WHERE run_id = 'r' ORDER BY 2, 3")
    by_prompt = {prompt: [row[1:] for row in found if row[0] == prompt] for prompt in ("basic", "native/basic")}
    assert by_prompt["basic"] == by_prompt["native/basic"]
    assert len({row[1] for row in found}) == 5
    signatures = [str(row[0]) for row in rows(db, "SELECT signature FROM variants ORDER BY position")]
    assert [signature.split("|")[2].partition("@")[0] for signature in signatures] == ["basic", "native/basic"]
    assert [signature.split("|")[3].partition("@")[0] for signature in signatures] == ["xml-tools-v2", "native-calls"]


def test_a_case_whose_history_shows_xml_is_skipped_by_name_for_native_calls_alone(
    call: Call, cases: Path, db: Path
) -> None:
    diff(call, cases, "--calls", "native")
    call("diff", MODEL, "--cases", cases, "--run-id", "text")

    (reason,) = rows(db, "SELECT skipped FROM cases WHERE run_id = 'r' AND case_id = 'unfit'")
    assert "has no native form: messages[0]" in str(reason[0])
    assert rows(db, "SELECT skipped FROM cases WHERE run_id = 'text' AND case_id = 'unfit'") == [(None,)]


def test_a_run_with_calls_in_the_text_says_nothing_of_calls_so_that_earlier_ones_go_on(
    call: Call, cases: Path, db: Path
) -> None:
    diff(call, cases)

    (config,) = rows(db, "SELECT config FROM runs")
    assert "calls" not in json.loads(str(config[0]))["identity"]
    assert diff(call, cases, "--calls", "xml") == 0
    assert diff(call, cases, "--calls", "native") == 2


def test_native_answers_are_read_again_from_their_bytes_and_replayed(call: Call, cases: Path, db: Path) -> None:
    diff(call, cases, "--calls", "native,xml")

    told = json.loads(call("replay", "--run-id", "r", "--from-stream", "--json", "--db", db).out)
    other = call("replay", "--run-id", "r", "--diff-apply", "v3", "--json", "--db", db)

    assert told["reread"]["different"] == []
    assert other.code == 0
    found = rows(db, "SELECT run_id = 'r', prompt, outcome, count(*) FROM attempts WHERE diff_algorithm = 'v4'"
                     " GROUP BY 1, 2, 3 ORDER BY 2, 3, 1")  # fmt: skip
    assert found[::2] == [(0, *row[1:]) for row in found[1::2]]


def test_calls_are_a_dimension_of_comparisons_and_answers_can_be_shown(call: Call, cases: Path, db: Path) -> None:
    diff(call, cases, "--calls", "xml,native")

    (compared,) = json.loads(call("compare", "r", "--by", "calls", "--json", "--db", db).out)["comparisons"]
    shown = call("show", "r", "--prompt", "native/basic", "--full", "--db", db)
    streamed = call("stream", "r", "case0", 1, "--prompt", "native/basic", "--speed", 0, "--db", db)

    assert compared["by"] == "calls"
    assert compared["difference"]["estimate"] == 0
    assert (shown.code, streamed.code) == (0, 0)
    assert "first edit" in streamed.out


@pytest.mark.parametrize(
    "words,why",
    [
        pytest.param(["--calls", "json"], "--calls: 'json' is not known; give xml or native", id="unknown"),
        pytest.param(["--calls", "native", "--replay"], "--calls native: recorded messages", id="recorded"),
        pytest.param(["--calls", "native", "--validity", "cline"], "--calls native: the original's", id="cline"),
        pytest.param(["--prompts", "native/basic"], "is chosen by --calls native", id="its prompt"),
        pytest.param(["--calls", "native", "--prompts", "own.md"], "shows <read_file>", id="a prompt with tags"),
    ],
)
def test_what_makes_no_sense_with_native_calls_is_refused(
    call: Call, cases: Path, db: Path, words: list[str], why: str
) -> None:
    Path("own.md").write_text("Call <read_file>.")

    done = call("diff", MODEL, "--cases", cases, *words)

    assert (done.code, why in done.err, db.exists()) == (2, True, False), done.err


def test_a_prompt_of_ones_own_without_tags_is_asked_as_it_is(call: Call, cases: Path, db: Path) -> None:
    Path("own.md").write_text("Edit by the tool.")

    diff(call, cases, "--calls", "native", "--prompts", "own.md")

    assert rows(db, "SELECT DISTINCT prompt FROM attempts") == [("native/own",)]
