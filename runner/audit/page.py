"""An audit as one HTML page: the same tables without a script; all foreign text is escaped and visible."""

from pathlib import Path

from runner.document import Document
from runner.errors import InputError
from runner.pages.drawing import drawing

# The style sheet of reports.
_PACKAGES = ("runner.pages", "runner.audit")
_STYLE = "report.css"
_LONGEST_TEXT = 2_000


def audit_page(document: Document) -> str:
    """Return the HTML of an audit."""
    environment = drawing(_PACKAGES, _LONGEST_TEXT, _STYLE)
    return environment.get_template("audit.html").render(document=document)


def write_audit_page(document: Document, path: Path) -> None:
    """Write the page of an audit. Raises InputError where the file cannot be written."""
    try:
        path.write_text(audit_page(document), encoding="utf-8")
    except OSError as error:
        raise InputError(f"--html {path}: cannot be written ({error.strerror}); name another file") from error
