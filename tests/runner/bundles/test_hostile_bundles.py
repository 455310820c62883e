"""Bundles of strangers: each is refused by one line, with exit code 2, and nothing is written."""

import json
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.in_process import evals
from tests.runner.bundles.bundled_runs import forged, forged_rows, members, signed
from tests.runner.hostile_files import HOSTILE, make_hostile

BundleOf = Callable[[str], Path]
Rows = list[dict[str, Any]]


def _refused(path: Path, folder: Path) -> str:
    """The line by which `evals import` refuses a file; `evals verify` refuses it, too, and neither writes anything."""
    files = set(folder.rglob("*"))
    imported = evals("import", path, "--db", folder / "new.db", cwd=folder)
    verify = evals("verify", path, cwd=folder)

    assert (imported.returncode, imported.stderr.count("\n"), imported.stdout) == (2, 1, ""), imported.stderr
    assert verify.returncode in {1, 2}
    assert set(folder.rglob("*")) == files
    return imported.stderr


def _deep(lines: Rows) -> None:
    value: list[Any] = []
    for _ in range(500):
        value = [value]
    lines[0]["error_text"] = value


ROWS: dict[str, tuple[str, Callable[[Rows], object], str]] = {
    "no such lane": ("answers", lambda rows: rows[0].update(lane=99), "field 'lane' names nothing"),
    "a lane as text": ("answers", lambda rows: rows[0].update(lane="1"), "field 'lane' names nothing"),
    "a wrong number": ("answers", lambda rows: rows[0].update(answer=2), "not the number of the line"),
    "a huge number": ("answers", lambda rows: rows[0].update(output_tokens=1 << 70), "not of type INTEGER"),
    "a truth value": ("answers", lambda rows: rows[0].update(output_tokens=True), "not of type INTEGER"),
    "a number as text": ("answers", lambda rows: rows[0].update(mode=7), "not of type TEXT"),
    "an unknown outcome": ("answers", lambda rows: rows[0].update(outcome="fine"), "does not fit"),
    "a field left out": ("answers", lambda rows: rows[0].pop("sent_at"), "'sent_at' is missing"),
    "an unknown field": ("answers", lambda rows: rows[0].update(spy=1), "'spy' is not known"),
    "no such text": ("answers", lambda rows: rows[0].update(text="0" * 64), "'text' names nothing"),
    "deep JSON": ("answers", _deep, "nested"),
    "a row twice": ("lanes", lambda rows: rows.append(dict(rows[0])), "does not fit"),
    "a case that is not there": ("lanes", lambda rows: rows[0].update(case_id="other"), "does not fit"),
    "a score as text": ("scorings", lambda rows: rows[0].update(scores={"es": "1"}), "'scores'"),
    "scores without names": ("scorings", lambda rows: rows[0].update(scores=[1]), "'scores'"),
    "a negative length": ("streams", lambda rows: rows[0].update(pieces=[[0, -1]]), "'pieces'"),
    "time that runs back": ("streams", lambda rows: rows[0].update(pieces=[[5, 0], [4, 0]]), "'pieces'"),
    "a huge stream": ("streams", lambda rows: rows[0].update(pieces=[[0, 1 << 40]]), "'pieces'"),
    "missing bytes": ("streams", lambda rows: rows[0]["pieces"].append([1 << 40, 10**6]), "too early"),
    "bytes of none": ("streams", lambda rows: rows.pop(), "more than"),
    "another text": ("texts", lambda rows: rows[0].update(text="other"), "does not have the digest"),
    "another suite": ("run", lambda rows: rows[0].update(suite="spy"), "'suite'"),
    "no configuration": ("run", lambda rows: rows[0].update(config="[]"), "no JSON object"),
    "two runs": ("run", lambda rows: rows.append(rows[0]), "holds 2 runs"),
}


@pytest.mark.parametrize("table, change, words", ROWS.values(), ids=ROWS)
def test_a_row_that_does_not_fit_is_named_by_member_and_line(
    bundle_of: BundleOf, tmp_path: Path, table: str, change: Callable[[Rows], object], words: str
) -> None:
    member = "asked/run.json" if table == "run" else f"asked/{table}.jsonl"
    path = forged_rows(bundle_of("codrep"), tmp_path / "run.zip", member, change)

    assert words in _refused(path, tmp_path)


@pytest.mark.parametrize(
    "line", [b"{", b"7\n", b"\xff\n", b'{"a":' * 300 + b"1" + b"}" * 300], ids=["cut", "a number", "no UTF-8", "deep"]
)
def test_a_line_that_is_no_object_is_named(bundle_of: BundleOf, tmp_path: Path, line: bytes) -> None:
    path = forged(bundle_of("codrep"), tmp_path / "run.zip", {"asked/lanes.jsonl": line})

    assert "asked/lanes.jsonl:1" in _refused(path, tmp_path)


@pytest.mark.parametrize(
    "manifest, words",
    [
        pytest.param({"version": 2}, "field 'version' is 2", id="a later version"),
        pytest.param({"format": "zip"}, "field 'format'", id="another format"),
        pytest.param({"suite": "spy"}, "suite 'spy' is not known", id="an unknown suite"),
        pytest.param({"runs": {"asked": "latest"}}, "latest", id="a name that is taken"),
        pytest.param({"runs": {"asked": ""}}, "runs", id="no name"),
        pytest.param({"runs": {}}, "members", id="no run"),
        pytest.param({"runs": {"../asked": "a"}}, "members", id="a folder above"),
        pytest.param({"redacted": ["keys"]}, "redacted", id="an unknown redaction"),
    ],
)
def test_a_manifest_that_does_not_fit_is_refused(
    bundle_of: BundleOf, tmp_path: Path, manifest: dict[str, object], words: str
) -> None:
    assert words in _refused(forged(bundle_of("codrep"), tmp_path / "run.zip", {}, manifest), tmp_path)


@pytest.mark.parametrize("name", ["../evil", "/etc/evil", "asked/../../evil", "C:\\evil", "asked/more.jsonl"])
def test_members_of_other_names_are_refused(bundle_of: BundleOf, tmp_path: Path, name: str) -> None:
    path = forged(bundle_of("codrep"), tmp_path / "run.zip", {name: b"{}"})

    assert "members are not those of a bundle" in _refused(path, tmp_path)
    assert not list(tmp_path.parent.glob("evil*"))


def test_a_link_among_the_members_is_read_as_the_text_that_it_is(bundle_of: BundleOf, tmp_path: Path) -> None:
    contents = members(bundle_of("codrep"))
    path = tmp_path / "run.zip"
    with zipfile.ZipFile(bundle_of("codrep")) as source, zipfile.ZipFile(path, "w") as archive:
        archive.writestr("manifest.json", source.read("manifest.json"))
        for name, data in contents.items():
            link = zipfile.ZipInfo(name)
            link.external_attr = 0o120777 << 16
            archive.writestr(link, b"/etc/passwd" if name == "asked/run.json" else data)
    signed(path)

    assert "asked/run.json: is not as it was written" in _refused(path, tmp_path)


def test_a_bomb_is_refused_before_it_is_unpacked(bundle_of: BundleOf, tmp_path: Path) -> None:
    path = forged(bundle_of("codrep"), tmp_path / "run.zip", {"asked/streams.bin": bytes(128 << 20)})

    assert "would unpack to more than" in _refused(path, tmp_path)


def test_a_member_that_declares_to_be_huge_is_refused(bundle_of: BundleOf, tmp_path: Path) -> None:
    data = bytearray(bundle_of("codrep").read_bytes())
    place = data.rindex(b"PK\1\2")
    data[place + 24 : place + 28] = struct.pack("<I", 0xFFFFFFF0)
    path = tmp_path / "run.zip"
    path.write_bytes(data)

    assert "would unpack to more than" in _refused(path, tmp_path)


@pytest.mark.parametrize(
    "data", [b"", b"no zip", b"PK\5\6" + bytes(18), bytes(4096)], ids=["empty", "text", "no members", "zeros"]
)
def test_what_is_no_zip_file_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "run.zip"
    path.write_bytes(data)

    assert "no bundle of evals" in _refused(path, tmp_path)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.999])
def test_a_bundle_that_was_cut_is_refused(bundle_of: BundleOf, tmp_path: Path, share: float) -> None:
    data = bundle_of("codrep").read_bytes()
    path = tmp_path / "run.zip"
    path.write_bytes(data[: int(share * len(data))])

    assert "no bundle of evals" in _refused(path, tmp_path)


@pytest.mark.parametrize("kind", HOSTILE)
def test_files_that_no_reader_may_wait_for_are_refused(tmp_path: Path, kind: str) -> None:
    path = make_hostile(kind, tmp_path / "run.zip")

    # A bundle may be huge, but this file does not end as one.
    words = "does not end as a bundle does" if kind == "a huge file" else HOSTILE[kind]
    assert words in _refused(path, tmp_path)


def test_rows_that_break_a_report_do_not_break_verify(bundle_of: BundleOf, tmp_path: Path) -> None:
    def change(lines: Rows) -> None:
        lines[0]["config"] = json.dumps({"identity": {}, "settings": {}})

    path = forged_rows(bundle_of("codrep"), tmp_path / "run.zip", "asked/run.json", change)

    ended = evals("verify", path, cwd=tmp_path)

    assert (ended.returncode, ended.stderr) == (1, "")
    assert "variants: cannot be computed: run codrep: column config: identity: has no 'cases'" in ended.stdout
