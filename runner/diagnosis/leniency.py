"""Finds by small trials what a diff algorithm forgives already, so that only further leniency is counted."""

from collections.abc import Iterable
from functools import cache

from diff_apply import DIFF_ALGORITHMS
from diff_apply.markers import Mark
from diff_apply.result import DiffError
from runner.diagnosis.causes import Relaxation

_FILE = "first();\n    second('a-b');\nthird();\nfourth();\n"


def _block(search: str, replacement: str = "changed();\n") -> str:
    return f"------- SEARCH\n{search}=======\n{replacement}+++++++ REPLACE\n"


# A file and a diff that matches it only with the relaxation. Algorithms that forgive a line that is off forgive it only
# where the rest says enough, so there is no trial of that.
_TRIALS = {
    Relaxation.LINE_ENDS: (_FILE.replace("\n", "\r\n"), _block("first();\n")),
    Relaxation.TRAILING_SPACE: (_FILE, _block("first();  \n")),
    Relaxation.INDENTATION: (_FILE, _block("second('a-b');\nthird();\n")),
    Relaxation.QUOTES: (_FILE, _block("    second(\u2019a\u2013b\u2019);\n")),
    Relaxation.INVISIBLE: (_FILE, _block("third\u200b();\n")),
    Relaxation.ELIDED: (_FILE, _block("first();\n...\nfourth();\n")),
    Relaxation.ORDER: (_FILE, _block("fourth();\n") + _block("first();\n")),
    Relaxation.SEVERAL: (_FILE * 2, _block("third();\n")),
}
_PARTS = {Mark.START: "------- SEARCH", Mark.SEPARATOR: "=======", Mark.END: "+++++++ REPLACE"}


@cache
def forgiven_by(algorithm: str) -> frozenset[Relaxation]:
    """Return what a registered algorithm forgives; nothing is known of a plug-in's, which is never run here."""
    return frozenset(
        relaxation for relaxation, (file, diff) in _TRIALS.items() if _result(algorithm, file, diff) not in {None, file}
    )


def reads_markers(algorithm: str, markers: Iterable[tuple[Mark, str]]) -> bool:
    """Return whether an algorithm takes each of these lines for the marker that it is."""
    return all(_reads(algorithm, mark, line) for mark, line in markers)


@cache
def _reads(algorithm: str, mark: Mark, line: str) -> bool:
    parts = _PARTS | {mark: line}
    diff = f"{parts[Mark.START]}\nthird();\n{parts[Mark.SEPARATOR]}\nchanged();\n{parts[Mark.END]}\n"
    return _result(algorithm, _FILE, diff) == _FILE.replace("third();", "changed();")


def _result(algorithm: str, file: str, diff: str) -> str | None:
    try:
        return DIFF_ALGORITHMS[algorithm](file, diff).text if algorithm in DIFF_ALGORITHMS else None
    except DiffError:
        return None
