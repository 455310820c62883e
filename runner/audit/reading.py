"""What an audit reads: the places, the agents, and from when on."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from runner.errors import InputError
from runner.recordings.finding import FORMS, sessions_below, usual_places
from runner.recordings.vocabulary import AgentSession

# An agent, and the file of a session.
SessionFile = tuple[str, Path]
_DAYS = re.compile(r"(\d{1,5})d")


def usual_or_given(paths: Sequence[Path], environment: Mapping[str, str]) -> list[Path]:
    """Return the places to read. Raises InputError where none is given and none of the usual ones exists."""
    if paths:
        return list(paths)
    places = usual_places(environment)
    if not places:
        agents = ", ".join(form.agent for form in FORMS)
        raise InputError(f"no recorded sessions in the usual places of {agents}; name files or folders of sessions")
    return places


def chosen_agents(names: str) -> frozenset[str]:
    """Return the agents of a comma-separated list; all if it is empty. Raises InputError for a name that is none."""
    known = {form.agent for form in FORMS}
    chosen = frozenset(name.strip() for name in names.split(",") if name.strip())
    if unknown := sorted(chosen - known):
        raise InputError(f"--agent: no agent is called {unknown[0]!r}; choose from {', '.join(sorted(known))}")
    return chosen or frozenset(known)


def since_time(text: str, now: datetime) -> float | None:
    """Return a date, or a number of days before `now`, in seconds since 1970. Raises InputError for anything else."""
    if not text:
        return None
    if match := _DAYS.fullmatch(text):
        return (now - timedelta(days=int(match[1]))).timestamp()
    try:
        date = datetime.fromisoformat(text)
    except ValueError:
        raise InputError(f"--since {text!r}: no date; give one such as 2026-11-01, or days such as 30d") from None
    return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()


def session_files(places: Sequence[Path], agents: Collection[str]) -> list[SessionFile]:
    """Return the agents and files of the sessions below some places, each of them once.

    Raises InputError for a place that is not there.
    """
    files: dict[Path, SessionFile] = {}
    for form, path in (pair for place in places for pair in sessions_below(place)):
        if form.agent in agents:
            files.setdefault(path.resolve(), (form.agent, path))
    return list(files.values())


def each_session(
    files: Iterable[SessionFile], say: Callable[[str], object], *, turns: bool = False
) -> Iterator[AgentSession]:
    """Yield the session of each file. A file that cannot be read is named by `say` and left out."""
    forms = {form.agent: form for form in FORMS}
    for agent, path in files:
        try:
            yield forms[agent].read(path, turns=turns)
        except InputError as error:
            say(f"left out: {error}")
