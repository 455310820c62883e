"""One JSON file per case with all its attempts, for people who read results without a database."""

import hashlib
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile

import orjson

from runner.errors import InputError
from runner.report.export import Record, records
from runner.storage.rows import to_json
from runner.storage.store import Store

# File systems take 255 bytes, and a character has up to four.
_LONGEST_NAME = 60


def save_cases(store: Store, run_id: str, folder: Path) -> None:
    """Write `<folder>/<case_id>.json`, an array of attempts; an id that is no file name is made one.

    Raises InputError when that cannot be.
    """
    cases: defaultdict[str, list[Record]] = defaultdict(list)
    for record in records(store, run_id):
        cases[str(record["case_id"])].append(record)
    with _writing(folder):
        for case_id, rows in cases.items():
            text = to_json(rows, orjson.OPT_INDENT_2)
            (folder / f"{_file_name(case_id)}.json").write_text(text, encoding="utf-8")


def make_folder(folder: Path) -> None:
    """Make the folder before anything is asked. Raises InputError when files cannot be written there."""
    with _writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            pass


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(
            f"--save-locally {folder}: cannot be written ({error.strerror}); name another folder"
        ) from error


def _file_name(case_id: str) -> str:
    """Return the file of a case by its id: always inside the folder, and never that of another case."""
    name = "".join(character if character.isalnum() or character in "-_." else "_" for character in case_id).lstrip(
        "."
    )[:_LONGEST_NAME]
    return name if name == case_id else f"{name}_{hashlib.sha256(case_id.encode()).hexdigest()[:8]}"
