"""The stranger's folder once it is trusted: what its files ask for counts, until they change."""

import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from tests.runner.cli.listening import Listener, listening
from tests.strangers_folder import KEY, MODULE, Stranger, make_stranger

ASKING = ("doctor", "--model-ids", "openai/gpt-x", "--json")
RUNNING = ("diff", "--model-ids", "sim/careful?time=virtual&valid=1", "--cases", "good", "--run-id", "r1")
NOT_TRUSTED = "not used, this folder is not trusted"


@pytest.fixture
def listener() -> Iterator[Listener]:
    with listening() as server:
        yield server


@pytest.fixture
def stranger(tmp_path: Path, listener: Listener, programs: str) -> Stranger:
    """Whose `evals` starts fast: what it loads is tested with all the traps, elsewhere."""
    program = Path(str(shutil.which("evals", path=programs)))
    return make_stranger(tmp_path / "place", listener.url, program, databases=False)


def databases_of(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.is_file() and path.read_bytes().startswith(b"SQLite")]


def test_what_the_files_ask_for_works_once_it_is_trusted(stranger: Stranger, listener: Listener) -> None:
    trusted = stranger.evals("trust", "--yes")
    asked = stranger.evals(*ASKING)
    # The program and the engine that evals.toml names are none, and would be refused.
    ran = stranger.evals(*RUNNING, "--edit-tool", "replace-in-file", "--executor", "processes", "--scheduler", "")

    assert trusted.code == 0
    assert f'base-url = ["{listener.url}"]' in trusted.out
    # `ping` and `base-url` of evals.toml: the server gets the call, with the key that the user has for the provider.
    assert (asked.code, listener.heard) == (0, [KEY]), asked.err
    # `parser`, `diff-apply`, `db`, `prompts` and `save-locally` of evals.toml.
    assert ran.code == 0, ran.err
    assert stranger.names_of_what_ran() == {MODULE}
    assert databases_of(stranger.outside) == ["db.made"]
    assert NOT_TRUSTED not in asked.err + ran.err


def test_trust_for_once_is_not_remembered(stranger: Stranger, listener: Listener) -> None:
    once = stranger.evals(*ASKING, "--trust")
    again = stranger.evals(*ASKING)

    assert (once.code, listener.heard) == (0, [KEY])
    assert "evals.toml: base-url" in again.err
    assert NOT_TRUSTED in again.err


def test_a_changed_setting_is_not_used(stranger: Stranger, listener: Listener) -> None:
    stranger.evals("trust", "--yes")
    with listening() as other:
        for name in ("evals.toml", ".env"):
            file = stranger.folder / name
            file.write_text(file.read_text().replace(listener.url, other.url))
        asked = stranger.evals(*ASKING)
        ran = stranger.evals(*RUNNING)
        shown = stranger.evals("models", "--json")

    assert (other.heard, listener.heard) == ([], [])
    assert NOT_TRUSTED in asked.err
    assert other.url not in shown.out
    assert ran.code == 0, ran.err
    assert stranger.names_of_what_ran() == set()
    assert databases_of(stranger.outside) == []


def test_a_trusted_dotenv_names_servers(stranger: Stranger, listener: Listener) -> None:
    (stranger.folder / "evals.toml").unlink()
    before = stranger.evals("models", "--json")
    stranger.evals("trust", "--yes")
    after = stranger.evals("models", "--json")

    urls = [url_of_openai(done.out) for done in (before, after)]
    assert urls == ["https://api.openai.com/v1", listener.url]


def url_of_openai(listed: str) -> str:
    return next(str(row["base_url"]) for row in json.loads(listed)["providers"] if row["name"] == "openai")


def test_nothing_of_the_user_s_is_deleted_since_a_project_says_so(stranger: Stranger) -> None:
    own = stranger.user / "own.db"
    words = ("prune", "--vacuum", "--json")
    assert stranger.evals(*RUNNING, EVALS_DB=str(own)).code == 0

    untrusted = stranger.evals(*words, EVALS_DB=str(own))
    kept = streams_of(own)
    trusted = stranger.evals(*words, "--older-than", "0m", "--trust", EVALS_DB=str(own))

    assert (untrusted.code, kept) == (0, 1)
    assert "streams, texts" in untrusted.err
    assert (trusted.code, streams_of(own)) == (0, 0), trusted.err


def streams_of(db: Path) -> int:
    with closing(sqlite3.connect(db)) as connection:
        return int(connection.execute("SELECT count(*) FROM streams").fetchone()[0])


def test_a_default_path_that_a_link_leads_out_of_the_folder_is_refused_unless_it_is_named(stranger: Stranger) -> None:
    (stranger.folder / "evals.db").symlink_to(stranger.outside / "new.db")
    before = stranger.outside_files()

    default = stranger.evals(*RUNNING)
    untouched = stranger.outside_files() == before
    named = stranger.evals(*RUNNING, "--db", "evals.db")

    assert default.code == 2
    assert "evals.db: is a link that leaves this folder; to use it, give --db evals.db" in default.err
    assert untouched
    assert (named.code, databases_of(stranger.outside)) == (0, ["new.db"])


def test_a_default_path_may_be_a_link_within_the_folder(stranger: Stranger) -> None:
    (stranger.folder / "results").mkdir()
    (stranger.folder / "evals.db").symlink_to("results/evals.db")

    assert stranger.evals(*RUNNING).code == 0
    assert databases_of(stranger.folder / "results") == ["evals.db"]


def test_a_copy_of_a_trusted_folder_is_not_trusted(stranger: Stranger, listener: Listener, tmp_path: Path) -> None:
    stranger.evals("trust", "--yes")
    copy = tmp_path / "copy"
    copy.mkdir()
    for name in ("evals.toml", ".env"):
        shutil.copy(stranger.folder / name, copy)

    asked = replace(stranger, folder=copy).evals(*ASKING)

    assert listener.heard == []
    assert NOT_TRUSTED in asked.err
