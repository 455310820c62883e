"""What was changed in a bundle is found: by digests, and by computing where the digests were made right again."""

import hashlib
import json
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runner.bundles.container import opened_bundle
from runner.errors import InputError
from tests.in_process import evals
from tests.runner.bundles.bundled_runs import forged, forged_rows, members, rows, verified

BundleOf = Callable[[str], Path]
Rows = list[dict[str, Any]]


def _faulty(path: Path) -> bool:
    """Whether a file is refused, or a digest in it does not hold."""
    with suppress(InputError), opened_bundle(path) as bundle:
        bundle.check_digests()
        return bool(bundle.faults)
    return True


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7))
def test_any_flipped_bit_of_the_file_is_found(bundle_of: BundleOf, tmp_path: Path, place: float, bit: int) -> None:
    data = bytearray(bundle_of("codrep").read_bytes())
    data[int(place * len(data))] ^= 1 << bit
    flipped = tmp_path / "flipped.zip"
    flipped.write_bytes(data)

    assert _faulty(flipped)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_flipped_bit_of_any_member_is_found(bundle_of: BundleOf, tmp_path: Path, data: st.DataObject) -> None:
    source = bundle_of("codrep")
    contents = members(source)
    name = data.draw(st.sampled_from(sorted(name for name, content in contents.items() if content)))
    content = bytearray(contents[name])
    content[data.draw(st.integers(0, len(content) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    # The container is right in itself: only the manifest knows better.
    changed = forged(source, tmp_path / "flipped.zip", {name: bytes(content)}, _manifest(source))

    with opened_bundle(changed) as bundle:
        bundle.check_digests()

    assert [fault.partition(":")[0] for fault in bundle.faults] == [name]


def _manifest(path: Path) -> dict[str, object]:
    with zipfile.ZipFile(path) as archive:
        manifest: dict[str, object] = json.loads(archive.read("manifest.json"))
    return manifest


def test_a_bundle_with_a_flipped_bit_is_named_and_not_imported(bundle_of: BundleOf, tmp_path: Path) -> None:
    source = bundle_of("codrep")
    content = bytearray(members(source)["asked/streams.bin"])
    content[40] ^= 1
    path = forged(source, tmp_path / "run.zip", {"asked/streams.bin": bytes(content)}, _manifest(source))

    verify = evals("verify", path, cwd=tmp_path)
    imported = evals("import", path, "--db", tmp_path / "evals.db", cwd=tmp_path)

    assert verify.returncode == 1
    assert "asked/streams.bin: is not as it was written" in verify.stdout
    assert (imported.returncode, imported.stderr.count("\n")) == (2, 1)
    assert not (tmp_path / "evals.db").exists()


def _answered_text(path: Path) -> tuple[int, bytes]:
    """A place in the streams of a bundle where the text of an answer stands, and the streams."""
    data = members(path)["asked/streams.bin"]
    return data.index(b'"content":"') + len(b'"content":"') + 2, data


@settings(max_examples=3, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(bit=st.integers(0, 4))
def test_a_forger_who_changes_a_letter_of_a_stream_and_its_digests_is_found(
    bundle_of: BundleOf, tmp_path: Path, bit: int
) -> None:
    source = bundle_of("diff_edit")
    place, data = _answered_text(source)
    changed = bytearray(data)
    changed[place] ^= 1 << bit

    result = verified(forged(source, tmp_path / "run.zip", {"asked/streams.bin": bytes(changed)}))

    assert not result.holds
    assert result.differing["digests"] == 0
    assert result.differing["answers"] >= 1


def _set(index: int, **values: object) -> Callable[[Rows], object]:
    return lambda lines: lines[index].update(values)


_KINDS: dict[str, Callable[[dict[str, Any]], bool]] = {
    "failed": lambda row: not row["solved"],
    "right": lambda row: row["equals_expected"] == 1,
    "scored": lambda row: bool(row["scores"]),
}


def _first(kind: str, **values: object) -> Callable[[Rows], object]:
    return lambda lines: next(line for line in lines if _KINDS[kind](line)).update(values)


def _later(lines: Rows) -> None:
    lines[0]["pieces"][-1][0] += 1000


_COMPLETION = pytest.param("completion", marks=pytest.mark.slow)
_UNSOLVED = _set(0, outcome="unsolved", solved=0)
FORGERIES = {
    "an outcome": (
        "diff_edit",
        "scorings",
        _first("failed", outcome="applied", solved=1),
        "scorings",
    ),
    "the right result": (
        "diff_edit",
        "scorings",
        _first("right", equals_expected=0),
        "scorings",
    ),
    "a score": ("diff_edit", "scorings", _first("scored", scores={"es_token": 1.5}), "scorings"),
    "a scoring left out": ("diff_edit", "scorings", lambda lines: lines.pop(0), "scorings"),
    "tokens": ("diff_edit", "answers", _set(0, output_tokens=7), "answers"),
    "a clock": ("diff_edit", "answers", _set(0, first_edit_ms=1.0), "answers"),
    "a price": ("diff_edit", "answers", _set(0, list_cost_usd=0.5), "list prices"),
    "an arrival": ("diff_edit", "streams", _later, "answers"),
    "a simulated model": ("diff_edit", "variants", _set(0, simulated=0), "variants"),
    "a digest of a parser": ("diff_edit", "variants", _set(0, parser_digest="00000000"), "variants"),
    "a line named": ("codrep", "scorings", _UNSOLVED, "scorings"),
    "the outcome of a test": ("edit", "scorings", _UNSOLVED, "scorings"),
    "a step": (
        "nextedit",
        "scorings",
        _first("scored", scores={"precision": 0.123}),
        "scorings",
    ),
    "a relation": ("relations", "scorings", _set(0, outcome="no_answer", valid=0), "scorings"),
    "a response": ("codev", "scorings", _set(0, detail='{"response":"pass","middle":""}'), "scorings"),
}


@pytest.mark.parametrize("suite, table, change, kind", FORGERIES.values(), ids=FORGERIES)
def test_a_forger_who_fixes_all_digests_is_found_by_computing(
    bundle_of: BundleOf, tmp_path: Path, suite: str, table: str, change: Callable[[Rows], object], kind: str
) -> None:
    path = forged_rows(bundle_of(suite), tmp_path / "run.zip", f"asked/{table}.jsonl", change)

    result = verified(path)

    assert result.differing["digests"] == 0
    assert result.differing[kind] >= 1


@pytest.mark.parametrize(
    "suite",
    [
        "diff_edit",
        "edit",
        "codrep",
        pytest.param("completion", marks=pytest.mark.slow),
        "codev",
        "nextedit",
        "relations",
    ],
)
def test_a_changed_case_is_found_even_if_its_text_has_the_digest_that_stands_beside_it(
    bundle_of: BundleOf, tmp_path: Path, suite: str
) -> None:
    source = bundle_of(suite)
    (case, *_) = [row for row in rows(source, "asked/cases.jsonl") if row["content"] and not row["skipped"]]
    texts = rows(source, "asked/texts.jsonl")
    text = next(row["text"] for row in texts if row["digest"] == case["content"])
    changed = _changed_case(text)
    digest = hashlib.sha256(changed.encode()).hexdigest()
    cases = [
        row | {"content": digest} if row["content"] == case["content"] else row
        for row in rows(source, "asked/cases.jsonl")
    ]
    kept = [*texts, {"digest": digest, "text": changed}]

    lines = {
        f"asked/{name}.jsonl": b"".join(json.dumps(row).encode() + b"\n" for row in values)
        for name, values in (("cases", cases), ("texts", kept))
    }
    result = verified(forged(source, tmp_path / "run.zip", lines))

    assert result.differing["digests"] == 0
    assert result.differing["cases"] >= 1


def _changed_case(text: str) -> str:
    """The case with one letter changed in what it shows, or expects."""
    values = json.loads(text)
    if "file_contents" in values:
        values["file_contents"] = _other_letter(values["file_contents"])
    elif "middle" in values:
        values["middle"] += "x"
    elif "task" in values:
        values["text"] = _other_letter(values["text"])
    elif "origin" in values:
        values["origin"] = _other_letter(values["origin"])
    elif "files" in values:
        values["message"] += "!"
    else:
        values["messages"][0]["text"] = _other_letter(values["messages"][0]["text"])
    return json.dumps(values)


def _other_letter(text: str) -> str:
    place = text.rindex("e")
    return f"{text[:place]}3{text[place + 1 :]}"


@pytest.mark.parametrize("change", [str.upper, lambda _text: "{}", lambda _text: "["], ids=["capitals", "empty", "cut"])
def test_a_case_that_is_none_any_more_differs(
    bundle_of: BundleOf, tmp_path: Path, change: Callable[[str], str]
) -> None:
    source = bundle_of("codrep")
    digest = rows(source, "asked/cases.jsonl")[0]["content"]
    text = next(row["text"] for row in rows(source, "asked/texts.jsonl") if row["digest"] == digest)
    other = hashlib.sha256(change(text).encode()).hexdigest()
    lines = members(source)["asked/texts.jsonl"].splitlines(keepends=True)
    texts = [line for line in lines if digest.encode() not in line]
    texts.append(json.dumps({"digest": other, "text": change(text)}).encode() + b"\n")
    cases = members(source)["asked/cases.jsonl"].replace(digest.encode(), other.encode())

    changed = {"asked/cases.jsonl": cases, "asked/texts.jsonl": b"".join(texts)}
    result = verified(forged(source, tmp_path / "run.zip", changed))

    assert not result.holds
    assert result.differing["digests"] == 0


def test_a_forger_who_changes_a_figure_of_the_report_is_found(bundle_of: BundleOf, tmp_path: Path) -> None:
    source = bundle_of("codrep")
    claimed = members(source)["asked/report.json"]
    changed = json.loads(claimed)
    changed["report"]["variants"][0]["valid"] = 99

    result = verified(forged(source, tmp_path / "run.zip", {"asked/report.json": json.dumps(changed).encode() + b"\n"}))

    assert result.differing["figures"] == 1
    assert "variants[0].valid" in result.differences[0].line
