"""Runs of every suite with simulated models, their bundles, and forgers who fix every digest."""

import hashlib
import json
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from runner.bundles.container import opened_bundle
from runner.bundles.findings import Verification
from runner.bundles.form import DIGEST_LENGTH, MANIFEST
from runner.bundles.verify_options import VerifyOptions
from runner.bundles.verifying import verify_bundle
from tests.codev import codev_dir
from tests.in_process import evals
from tests.strangers_database import ASKED, CASES

_MODEL = "sim/any?time=virtual&valid=0.8"
_DIFF = (
    "diff",
    _MODEL,
    "-n",
    "2",
    "--max-cases",
    "3",
    "--diff-apply",
    "v3,v4",
    "--test-path",
    str(CASES / "diff_edit"),
)
SUITES = ("diff_edit", "edit", "codrep", "completion", "codev", "nextedit", "relations", "predictors", "local")


def make_bundle(suite: str, folder: Path) -> Path:
    """Make a small run of a suite in `folder/evals.db`, under the suite's name, and its bundle."""
    words = {**ASKED, "diff_edit": _DIFF, "codev": _codev(folder)}.get(suite)
    if suite == "relations":
        words = (*ASKED["nextedit"], "--order", "llm:sim/any?time=virtual")
    if suite == "predictors":
        words = ("codrep", "run", str(CASES / "codrep"), "--limit", "4")
    if suite == "local":
        words = ("nextedit", "--cases", str(CASES / "nextedit"), "--sut", "silent", "--max-edits", "6")
    assert words is not None
    run_id = () if suite == "codev" else ("--run-id", suite)
    made = evals(*words, *run_id, "--db", folder / "evals.db", cwd=folder)
    assert made.returncode == 0, made.stderr
    name = {"codev": "latest", "relations": _relations(folder)}.get(suite, suite)
    return bundled(folder, name)


def _codev(folder: Path) -> tuple[str, ...]:
    data = folder / "codev"
    if not data.exists():
        codev_dir(data)
    return (
        "completion",
        "codev",
        "--codev-dir",
        str(data),
        "--sut",
        _MODEL,
        "--out",
        str(folder / "out"),
        "--check-indent",
    )


def _relations(folder: Path) -> str:
    """The id of the run that asked about pairs of edits, which is made before the other."""
    if not (folder / "evals.db").exists():
        return ""
    runs = json.loads(evals("runs", "--json", "--db", folder / "evals.db", cwd=folder).stdout)
    return next((run["run_id"] for run in runs if run["suite"] == "relations"), "")


def bundled(folder: Path, run: str, *words: str, name: str = "run.zip") -> Path:
    """Write the bundle of a run of `folder/evals.db`."""
    ended = evals("bundle", run, "-o", folder / name, *words, "--db", folder / "evals.db", cwd=folder)
    assert ended.returncode == 0, ended.stderr
    return folder / name


def verified(path: Path, options: VerifyOptions | None = None) -> Verification:
    """What `evals verify` makes of a file."""
    with opened_bundle(path) as bundle:
        return verify_bundle(bundle, options or VerifyOptions())


def members(path: Path) -> dict[str, bytes]:
    """The content of each member but the manifest."""
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist() if name != MANIFEST}


def rows(path: Path, member: str) -> list[dict[str, Any]]:
    """The rows of a member."""
    return [json.loads(line) for line in members(path)[member].splitlines()]


def forged(path: Path, out: Path, changed: Mapping[str, bytes], manifest: Mapping[str, object] | None = None) -> Path:
    """Write the bundle with other members, and every digest right again."""
    contents = {**members(path), **changed}
    with zipfile.ZipFile(path) as archive:
        facts = json.loads(archive.read(MANIFEST))
    facts["members"] = {
        name: {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)} for name, data in contents.items()
    }
    contents[MANIFEST] = json.dumps({**facts, **(manifest or {})}).encode()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in contents.items():
            archive.writestr(name, data)
    return signed(out)


def signed(path: Path) -> Path:
    """Put the digest of a zip file without a comment behind it, as a bundle has it."""
    data = bytearray(path.read_bytes())
    data[-2:] = DIGEST_LENGTH.to_bytes(2, "little")
    path.write_bytes(bytes(data) + hashlib.sha256(data).hexdigest().encode())
    return path


def forged_rows(path: Path, out: Path, member: str, change: Callable[[list[dict[str, Any]]], object]) -> Path:
    """Write the bundle with other rows in a member, and every digest right again."""
    values = rows(path, member)
    change(values)
    return forged(path, out, {member: b"".join(json.dumps(row).encode() + b"\n" for row in values)})
