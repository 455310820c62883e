"""Hostile answers and forgeries achieve in weak cells what docs/sandbox.md says, and containers permit what it says."""

import os
import shutil
import subprocess
import sys

import pytest

from runner.execution.isolation import strongest
from tests.runner.execution.answer_levels import OTHERS, achieved, columns
from tests.runner.execution.answers import FORGED, HOSTILE
from tests.runner.execution.environments import ROOT, container
from tests.runner.execution.page import table

# Those that tell levels apart, and four ways of forging a verdict; all of them take minutes.
TELLING = ("kills its parent, in vain", "a child in its own session", *FORGED[:4])
ASK = "from runner.execution.isolation import Weak, permitted; print(permitted(Weak(True, True)).means[-1])"
PERMITTED = {
    "what it does by default": {},
    "all system calls": {"filtered": False},
    "these, and all of /proc": {"filtered": False, "masked": False},
    "these, and to write cgroups": {"filtered": False, "masked": False, "read_only": False},
}

pytestmark = [
    pytest.mark.wide,
    pytest.mark.skipif(
        os.geteuid() != 0 or not shutil.which("setpriv") or not strongest().whole,
        reason="only root with all permissions can give some of them up",
    ),
]


@pytest.mark.parametrize("environment", columns()[3:])
def test_hostile_answers_achieve_in_weak_cells_what_the_page_says(environment: str) -> None:
    results = achieved(environment, *TELLING)

    assert results == {name: table("answer")[name][environment] for name in TELLING}


def test_the_page_counts_every_answer() -> None:
    shown = table("answer")

    assert [*shown][-1] == OTHERS.format(count=len(HOSTILE) - len(shown) + 1 + len(FORGED))
    assert {*shown} >= {*FORGED}


@pytest.mark.parametrize("user", [False, True], ids=["root", "another user"])
@pytest.mark.parametrize("permits", PERMITTED)
def test_containers_permit_the_cells_that_the_page_says(permits: str, user: bool) -> None:
    words = [*container(user=user, **PERMITTED[permits]), sys.executable, "-c", ASK]

    done = subprocess.run(words, cwd=ROOT, capture_output=True, check=True, text=True)

    assert f"`{done.stdout.strip()}`" == table("a container permits")[permits]["another user" if user else "root"]
