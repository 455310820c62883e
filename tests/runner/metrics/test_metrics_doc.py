"""The examples in docs/metrics.md give what is printed there, and its tables name what there is."""

import doctest
import re
from pathlib import Path

from runner.metrics import METRICS

DOC = Path(__file__).parents[3] / "docs/metrics.md"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_examples_give_what_they_say() -> None:
    text = DOC.read_text(encoding="utf-8")
    blocks = BLOCK.findall(text)
    # One test for all blocks: later ones use the names of earlier ones.
    examples = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "metrics.md", str(DOC), 0)
    told: list[str] = []

    results = doctest.DocTestRunner().run(examples, out=told.append)

    assert len(blocks) > 8
    assert results.attempted > 20
    assert results.failed == 0, "".join(told)


def test_every_metric_is_described() -> None:
    text = DOC.read_text(encoding="utf-8")

    assert [name for name in METRICS if f"`{name}`" not in text] == []
