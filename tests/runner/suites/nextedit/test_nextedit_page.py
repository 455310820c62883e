"""The page on next edits is true: each difference has its test, each table is the program's."""

import re
from pathlib import Path

from runner.suites.nextedit.commits import Refusal
from runner.suites.nextedit.order import Reason
from runner.suites.nextedit.step_metrics import Flow
from runner.suites.nextedit.systems import SYSTEMS

ROOT = Path(__file__).parents[4]
PAGE = (ROOT / "docs" / "nextedit.md").read_text(encoding="utf-8")


def _section(title: str) -> str:
    return PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]


def test_every_difference_from_historian_has_a_test() -> None:
    named = re.findall(r"\| `(test_\w+)` \|$", _section("Differences from Historian"), re.MULTILINE)
    there = {
        name
        for path in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"def (test_\w+)", path.read_text(encoding="utf-8"))
    }

    assert len(named) >= 15
    assert [name for name in named if name not in there] == []


def test_every_reason_of_an_edge_is_explained() -> None:
    assert [reason for reason in Reason if f"`{reason}`" not in _section("Order")] == []


def test_every_reason_for_a_refusal_is_told() -> None:
    assert [reason for reason in Refusal if f"`{reason}`" not in _section("Commits")] == []


def test_every_system_and_class_of_flow_is_named() -> None:
    assert [name for name in SYSTEMS if f"`{name}`" not in _section("Systems")] == []
    assert [flow for flow in Flow if flow not in _section("The loop")] == []
