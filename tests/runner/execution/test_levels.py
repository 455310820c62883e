"""What isolation is left where an environment permits less, and that docs/sandbox.md tells it."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from runner.execution.isolation import strongest
from tests.runner.execution.environments import ROOT, environments
from tests.runner.execution.hostility import ATTACKS
from tests.runner.execution.page import table

ENVIRONMENTS = environments()

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        os.geteuid() != 0 or not shutil.which("setpriv") or not strongest().whole,
        reason="only root with all permissions can give some of them up",
    ),
]


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_hostile_commands_achieve_in_each_environment_what_the_page_says(name: str) -> None:
    environment = ENVIRONMENTS[name]
    asked = ["none"] if name == "no isolation" else []
    program = [sys.executable, "-m", "tests.runner.execution.hostility", *asked]

    done = subprocess.run([*environment.words, *program], cwd=ROOT, capture_output=True, check=True, timeout=60)

    means, found_whole, achieved = json.loads(done.stdout)
    assert (environment.means in means, found_whole) == (True, environment.whole), means
    assert {attack: "yes" if success else "no" for attack, success in achieved.items()} == {
        attack: cells[name] for attack, cells in table("attack").items()
    }


def test_every_attack_succeeds_where_nothing_holds_it() -> None:
    assert {attack: cells["no isolation"] for attack, cells in table("attack").items()} == dict.fromkeys(ATTACKS, "yes")
