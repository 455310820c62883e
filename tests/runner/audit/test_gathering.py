"""The figures of sessions are the same in one process and in several, part by part or at once."""

from pathlib import Path

import pytest

from runner.audit.figures import AuditFigures
from runner.audit.gathering import gathered
from runner.audit.reading import chosen_agents, each_session, session_files
from runner.audit.tables import as_data
from runner.prices import load_prices
from tests.planted_sessions import plan, write

AGENTS = ("claude-code", "codex", "gemini-cli")


@pytest.fixture
def sessions(tmp_path: Path) -> Path:
    for number in range(9):
        agent = AGENTS[number % len(AGENTS)]
        write(tmp_path / "sessions" / str(number), agent, plan(agent, number, 12))
    return tmp_path / "sessions"


def at_once(folder: Path) -> dict[str, object]:
    figures = AuditFigures(load_prices(None, {}))
    for recording in each_session(session_files([folder], chosen_agents("")), pytest.fail):
        figures.add(recording)
    return as_data(figures)


@pytest.mark.parametrize("worth", [pytest.param(1 << 40, id="one process"), pytest.param(0, id="several processes")])
def test_figures_by_part_are_those_of_all_at_once(sessions: Path, monkeypatch: pytest.MonkeyPatch, worth: int) -> None:
    monkeypatch.setattr("runner.audit.gathering._PART_BYTES", 1)
    monkeypatch.setattr("runner.audit.gathering._WORTH_BYTES", worth)
    monkeypatch.setattr("os.cpu_count", lambda: 2)

    figures = gathered(session_files([sessions], chosen_agents("")), load_prices(None, {}), None, pytest.fail)

    assert as_data(figures) == at_once(sessions)
    assert sum(figures.sessions.values()) == 9


def test_a_file_that_cannot_be_read_is_named_and_costs_no_other(sessions: Path) -> None:
    files = session_files([sessions], chosen_agents(""))
    files[1][1].unlink()
    lines: list[str] = []

    figures = gathered(files, load_prices(None, {}), None, lines.append)

    assert sum(figures.sessions.values()) == 8
    assert len(lines) == 1
    assert str(files[1][1]) in lines[0]
