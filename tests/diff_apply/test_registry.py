"""The registry holds every version by name, each with a fingerprint of what it does."""

import subprocess
import sys
from dataclasses import replace

import pytest

from diff_apply import DEFAULT_ALGORITHM, DIFF_ALGORITHMS, digest
from diff_apply.checked import checked
from diff_apply.engine_v1 import EngineV1
from diff_apply.fingerprint import fingerprint
from diff_apply.places import Rules
from diff_apply.result import Applied

DATED = ["diff-06-06-25", "diff-06-23-25", "diff-06-25-25", "diff-06-26-25"]


def test_the_published_names_and_ours_are_there() -> None:
    assert set(DIFF_ALGORITHMS) == {*DATED, *(f"{name}/v2" for name in DATED), "v1", "v2", "v3", "v3/v2", "v4"}
    assert DEFAULT_ALGORITHM == "v4"


@pytest.mark.parametrize("name", DIFF_ALGORITHMS)
def test_every_algorithm_applies_a_plain_block(name: str) -> None:
    diff = "------- SEARCH\nb\n=======\nB\n+++++++ REPLACE\n"

    assert DIFF_ALGORITHMS[name]("a\nb\nc\n", diff).text == "a\nB\nc\n"


@pytest.mark.parametrize("short, long", [("v1", "diff-06-06-25"), ("v2", "diff-06-06-25/v2")])
def test_short_names_are_the_published_versions(short: str, long: str) -> None:
    assert DIFF_ALGORITHMS[short] == DIFF_ALGORITHMS[long]


def test_digests_tell_all_names_apart() -> None:
    digests = {digest(name) for name in DIFF_ALGORITHMS}

    assert len(digests) == len(DIFF_ALGORITHMS)
    assert all(len(each) == 8 for each in digests)


def test_a_digest_is_the_same_in_every_process() -> None:
    code = "from diff_apply import digest; print(digest('v3'), digest('v4'))"

    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout

    assert told.split() == [digest("v3"), digest("v4")]


def test_an_unknown_name_has_no_digest() -> None:
    with pytest.raises(KeyError):
        digest("v99")


def test_a_changed_composition_changes_the_fingerprint() -> None:
    v3 = DIFF_ALGORITHMS["v3"]
    assert isinstance(v3, EngineV1)

    assert fingerprint("v3", v3) == digest("v3")
    assert fingerprint("v3", replace(v3, stages=v3.stages[:2])) != digest("v3")
    assert fingerprint("v4", checked(Rules(similar=0.95))) != digest("v4")


def own(original: str, diff: str, *, final: bool = True) -> Applied:
    """An algorithm of somebody else's."""
    return Applied(diff if final else original)


def test_an_algorithm_from_elsewhere_has_a_fingerprint_too() -> None:
    sys.modules.setdefault(own.__module__, sys.modules[__name__])

    assert len(fingerprint("own", own)) == 8
