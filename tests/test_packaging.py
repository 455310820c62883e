"""What is installed is what the project says: its names are its own, every registered name loads, the lock is bare."""

import re
import tomllib
from importlib.metadata import entry_points, packages_distributions, version
from pathlib import Path

import pytest

from diff_apply import DIFF_ALGORITHMS
from diff_apply.result import DiffError
from parsers import PARSERS
from prompts import PROMPTS, load
from runner.digests import algorithm_digest, parser_digest
from runner.metrics import DEFAULT_METRICS, METRICS
from runner.metrics.sample import Sample
from suts import PROVIDERS
from suts.registry import load as load_factory
from suts.wires import WIRES

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
OURS = ("runner", "prompts", "parsers", "diff_apply", "suts")
LOCKS = {
    name: (ROOT / name).read_text(encoding="utf-8")
    for name in ("requirements.lock", "requirements-all.lock", "requirements-dev.lock")
}
# What is installed on top of these for tests in a browser, and what has an environment of its own.
APART = ("requirements-browser.lock", "requirements-claude.lock")
BARE = LOCKS | {name: (ROOT / name).read_text(encoding="utf-8") for name in APART}
# Beside what the project needs, each lock has the build backend: the project is installed without build isolation.
LOCKED_EXTRAS = {
    "requirements.lock": {"build"},
    "requirements-all.lock": {"anthropic", "dask", "frames", "languages", "litellm", "openai", "train", "build"},
    "requirements-dev.lock": set(PROJECT["project"]["optional-dependencies"]) - {"claude"},
}


def test_nobody_else_owns_our_names() -> None:
    # To ask whose a name is takes a second, for one name as for all.
    owners = packages_distributions()

    assert {name: others for name in OURS if (others := set(owners.get(name, [])) - {"evals"})} == {}


def test_the_wheel_holds_our_packages_and_no_other() -> None:
    assert tuple(PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]) == OURS


def test_the_command_is_installed() -> None:
    found = [one.value for one in entry_points(group="console_scripts") if one.name == "evals"]

    assert found == ["runner.cli:main"]


def test_the_newest_entry_of_the_changelog_is_this_version() -> None:
    told = re.search(r"^## .*?(\d+\.\d+\.\d+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)

    assert told is not None
    assert told[1] == PROJECT["project"]["version"] == version("evals")


@pytest.mark.parametrize("lock", BARE)
def test_a_lock_names_no_address(lock: str) -> None:
    assert "://" not in BARE[lock]
    assert not re.search(r"^\s*--(?:index|extra-index|find-links|trusted)", BARE[lock], re.MULTILINE)


@pytest.mark.parametrize("lock", BARE)
def test_everything_in_a_lock_has_its_hashes(lock: str) -> None:
    entries = re.split(r"^(?=\S)", BARE[lock], flags=re.MULTILINE)[1:]

    bare = [entry.split("\n")[0] for entry in entries if "==" not in entry or "--hash=sha256:" not in entry]
    assert bare == []


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_holds_its_dependencies_and_not_those_of_other_extras(lock: str) -> None:
    wanted = {name_of(one) for one in PROJECT["project"]["dependencies"]}
    further: set[str] = set()
    for extra, requirements in PROJECT["project"]["optional-dependencies"].items():
        (wanted if extra in LOCKED_EXTRAS[lock] else further).update(map(name_of, requirements))
    locked = {name for name, _ in versions_in(LOCKS[lock])}

    assert wanted - {"evals"} <= locked
    assert (further - wanted) & locked == set()


def test_what_several_locks_hold_has_one_version() -> None:
    everything = versions_in(LOCKS["requirements-dev.lock"])

    assert versions_in(LOCKS["requirements-all.lock"]) <= everything
    assert versions_in(LOCKS["requirements.lock"]) <= versions_in(LOCKS["requirements-all.lock"])
    assert versions_in(LOCKS["requirements.lock"]) <= versions_in(BARE["requirements-claude.lock"])


def test_the_lock_of_the_extra_claude_holds_its_sdk() -> None:
    assert "claude-agent-sdk" in {name for name, _ in versions_in(BARE["requirements-claude.lock"])}


def name_of(requirement: str) -> str:
    return re.split(r"[<>=~\[ ]", requirement)[0].lower().replace("_", "-")


def versions_in(lock: str) -> set[tuple[str, str]]:
    return set(re.findall(r"^([a-z0-9.-]+)==(\S+)", lock, re.MULTILINE))


@pytest.mark.parametrize("name", DIFF_ALGORITHMS)
def test_every_algorithm_applies_an_empty_diff_or_refuses_it(name: str) -> None:
    try:
        text = DIFF_ALGORITHMS[name]("a\n", "").text
    except DiffError:
        text = "a\n"

    assert isinstance(text, str)
    assert re.fullmatch("[0-9a-f]{8}", algorithm_digest(name))


@pytest.mark.parametrize("name", PARSERS)
def test_every_parser_parses_whole_and_piece_by_piece(name: str) -> None:
    parse = PARSERS[name].start()
    parse.feed("a word")

    assert parse.snapshot() == PARSERS[name].parse("a word")
    assert re.fullmatch("[0-9a-f]{8}", parser_digest(name))


@pytest.mark.parametrize("name", PROMPTS)
def test_every_prompt_is_read(name: str) -> None:
    assert load(name).name == name


@pytest.mark.parametrize("name", PROVIDERS)
def test_every_provider_has_its_factory(name: str) -> None:
    assert callable(load_factory(PROVIDERS[name].factory))


@pytest.mark.parametrize("name", WIRES)
def test_every_wire_decodes_under_its_name(name: str) -> None:
    assert WIRES[name].name == name
    assert callable(WIRES[name].decoder)


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_finds_a_perfect_edit_no_worse_than_none(name: str) -> None:
    before, after = "def f(a):\n    return a\n", "def f(a, b):\n    return a + b\n"
    score = METRICS[name]

    assert score(Sample(before, (after,), after, "python")) >= score(Sample(before, (after,), before, "python"))
    assert set(DEFAULT_METRICS) <= set(METRICS)
