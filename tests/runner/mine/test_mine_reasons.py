"""Every reason for which something is refused is told in the document, and no other."""

import re
from pathlib import Path

from runner.mine.case import MiningRefusal

DOCUMENT = Path(__file__).parents[3] / "docs" / "cases.md"


def test_the_document_names_every_reason() -> None:
    _, _, section = DOCUMENT.read_text(encoding="utf-8").partition("## What is refused")
    table, _, _ = section.partition("\n## ")
    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \| [a-z, ]+ \| ", table, re.MULTILINE)

    told = [name for row in rows for name in re.findall(r"\w+", row)]

    assert sorted(told) == sorted(MiningRefusal)
