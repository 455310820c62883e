"""What sessions hold that is nobody's business: gone from cases, database, pages and screens, and nothing is sent."""

import json
import socket
import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
import zstandard

from tests import in_process
from tests.planted_secrets import SECRETS
from tests.planted_sessions import plan, write
from tests.watched import watched

IMPORT = ("cases", "import", "sessions", "--out", "made")
WRITTEN = [written for written, _ in SECRETS.values()]


def planted_session(folder: Path, secrets: list[str]) -> None:
    """Plant secrets in the words of the user, in files and their names, in answers, in models and in the folder."""
    edits = [
        # In the name of a folder, or as the ending of a file.
        replace(edit, path=f"{edit.path}.{secret}" if edit.number % 2 else f"{secret}/{edit.path}")
        for edit, secret in zip(plan("claude-code", 6, len(secrets)), secrets, strict=True)
    ]
    path = write(folder, "claude-code", edits)
    words = json.dumps("Go. " + " ; ".join(secrets[::2]))
    text = path.read_text().replace('"Go."', words).replace("/home/dev", "/home/maria")
    rows = [json.loads(line) for line in text.splitlines()]
    comment = "".join(f"# {secret}\n" for secret in secrets)
    names = iter(secrets)
    for row in rows:
        if isinstance(row.get("toolUseResult"), dict):
            row["toolUseResult"]["originalFile"] += comment
        if row["type"] == "assistant" and row["message"]["content"][0]["type"] == "tool_use":
            row["message"]["model"] = next(names)
        for block in row["message"]["content"] if row["type"] == "user" else ():
            if isinstance(block, dict):
                block["content"] += f"\n{comment}"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))


def ran(*words: object, cwd: Path) -> str:
    ended = in_process.evals(*words, cwd=cwd)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout + ended.stderr


def texts_in(database: Path) -> Iterator[str]:
    """Every value of a database as text, what is packed unpacked."""
    with sqlite3.connect(database) as opened:
        tables = [name for (name,) in opened.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in tables:
            for row in opened.execute(f'SELECT * FROM "{table}"'):  # noqa: S608 - names out of the schema
                yield from (_text(value) for value in row if isinstance(value, str | bytes))
    opened.close()


def _text(value: str | bytes) -> str:
    if isinstance(value, str):
        return value
    with suppress(zstandard.ZstdError):
        value = zstandard.ZstdDecompressor().decompressobj().decompress(value)
    return value.decode("utf-8", "replace")


def texts_below(folder: Path) -> Iterator[str]:
    """The bytes of every file that was written, and the texts in every database."""
    for path in folder.rglob("*"):
        if path.is_file() and "sessions" not in path.parts:
            yield path.read_bytes().decode("utf-8", "replace")
            if path.suffix == ".db":
                yield from texts_in(path)


def kinds_in(texts: list[str]) -> list[str]:
    return [kind for kind, (_, secret) in SECRETS.items() if any(secret in text for text in texts)]


def test_planted_secrets_are_gone_from_cases_databases_pages_and_screens(tmp_path: Path) -> None:
    planted_session(tmp_path / "sessions", WRITTEN)

    screens = [
        ran(*IMPORT, cwd=tmp_path),
        ran(*IMPORT[:-2], "--preview", cwd=tmp_path),
        ran("audit", "sessions", cwd=tmp_path),
        ran("audit", "sessions", "--wide", cwd=tmp_path),
        ran("audit", "sessions", "--json", cwd=tmp_path),
        ran("audit", "sessions", "--html", "audit.html", cwd=tmp_path),
        ran("diff", "sim/careful?time=virtual&valid=1", "--cases", "made", "--db", "e.db", cwd=tmp_path),
        ran("report", "latest", "--db", "e.db", "--html", "page.html", cwd=tmp_path),
    ]

    kept = [*texts_below(tmp_path)]
    assert len(SECRETS) >= 20
    assert kinds_in([*screens, *kept]) == []
    assert not any("maria" in text for text in [*screens, *kept])
    # The texts were there: what stands in the place of secrets is, in each of these.
    for texts in ([*texts_in(tmp_path / "e.db")], [(tmp_path / "audit.html").read_text()], screens[2:3], screens[4:5]):
        assert sum(text.count("REMOVED_") for text in texts) >= len(SECRETS)


def test_what_is_searched_here_would_show_secrets(tmp_path: Path) -> None:
    planted_session(tmp_path, WRITTEN)
    secret = "".join(WRITTEN)
    packed = zstandard.ZstdCompressor().compress(secret.encode())
    with sqlite3.connect(tmp_path / "e.db") as opened:
        opened.execute("CREATE TABLE texts (content BLOB)")
        opened.execute("INSERT INTO texts VALUES (?)", (packed,))
    opened.close()

    assert kinds_in([(tmp_path / "s.jsonl").read_text()]) == list(SECRETS)
    assert kinds_in([*texts_in(tmp_path / "e.db")]) == list(SECRETS)


def test_nothing_is_sent_to_a_proxy_nor_by_a_socket_of_its_own(tmp_path: Path) -> None:
    planted_session(tmp_path / "sessions", WRITTEN)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)  # noqa: FBT003 - its only parameter
        proxy = f"http://127.0.0.1:{listener.getsockname()[1]}"
        proxies = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy"), proxy)

        for words in (IMPORT, ("audit", "sessions", "--html", "audit.html")):
            done = watched(words, tmp_path, **proxies)
            assert done.returncode == 0, done.screen
            assert done.reached == ()
        with pytest.raises(BlockingIOError):
            listener.accept()


def test_a_program_that_reaches_somebody_is_seen(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        code = f"import socket; socket.create_connection({listener.getsockname()})"

        assert any("socket.connect" in line for line in watched((), tmp_path, code).reached)


@pytest.mark.parametrize("place", ["words", "file", "answer", "last words"])
def test_a_private_key_stops_the_import(tmp_path: Path, place: str) -> None:
    key = "-----BEGIN RSA PRIVATE " + "KEY-----\nMIIE\n"
    path = write(tmp_path / "sessions", "claude-code", plan("claude-code", 6, 6))
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    for row in rows:
        if place == "words" and row["message"]["content"] == "Go.":
            row["message"]["content"] = key
        elif place == "file" and isinstance(row.get("toolUseResult"), dict):
            row["toolUseResult"]["originalFile"] += key
        elif place == "answer" and isinstance(row.get("toolUseResult"), dict):
            row["message"]["content"][0]["content"] += key
    if place == "last words":
        # No case has them: they stand behind the last edit.
        rows.append({**rows[0], "message": {"role": "user", "content": key}})
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))

    ended = in_process.evals(*IMPORT, cwd=tmp_path)

    assert ended.returncode == 2
    assert "private key" in ended.stderr
    assert ended.stderr.count("\n") == 1
    assert not (tmp_path / "made").exists()


def test_a_secret_that_a_later_session_shows_is_gone_from_the_cases_of_earlier_ones(tmp_path: Path) -> None:
    word = "plain7words7nobody7guesses"
    for name, text in (("a", f"it is {word}"), ("b", f"PASSWORD={word}")):
        path = write(tmp_path / "sessions" / name, "claude-code", plan("claude-code", 6, 6))
        path.write_text(path.read_text().replace('"Go."', json.dumps(text)))

    ran(*IMPORT, cwd=tmp_path)

    kept = [*texts_below(tmp_path)]
    assert not any(word in text for text in kept)
    assert sum("it is REMOVED_ASSIGNED_SECRET_1" in text for text in kept) > 1
