"""What a simulated model answers to a coding agent: one call of a tool per turn, along a script.

The script is a pure function of the model and of the attempt, so what a run of agents must find can be computed without
one. Its place is read off the conversation: as many calls as were answered have been made. So the server needs no
memory, and the same request has the same answer.

| outcome | what the agent does |
|---|---|
| `applied` | reads the file, makes the right edits |
| `wrong_edit` | reads the file, changes a line that no right edit touches, far from the first |
| `other_file` | reads the file, writes another one beside it |
| `gives_up` | reads the file and ends |
| `loops` | reads the file for ever |

Without a known file it ends at once: `gives_up`.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from suts.simulated.agent_tools import AgentTurn
from suts.simulated.answers import invented
from suts.simulated.draws import Key, unit, weighted
from suts.simulated.models import Planned, case_rate
from suts.simulated.prose import sentences
from suts.simulated.spec import ModelSpec
from suts.sut import Truth

AGENT_VALID: Final = frozenset({"applied", "wrong_edit"})
_COMMAND: Final = "ls"
_WORDS: Final = 12


@dataclass(frozen=True, slots=True)
class Act:
    """One call of a script: the role of its tool, and the values of its parameters."""

    role: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AgentScript:
    """What an agent does in one attempt, and what comes of it. `endless`: the last act is repeated for ever."""

    outcome: str
    acts: tuple[Act, ...]
    endless: bool = False

    def act(self, position: int) -> Act | None:
        """Return the act after so many answered calls; None at the end."""
        if position < len(self.acts):
            return self.acts[position]
        return self.acts[-1] if self.endless else None


def scripted(spec: ModelSpec, truth: Truth, turn: AgentTurn) -> Planned:
    """Return the answer to one turn of an agent."""
    spec = spec.under(truth.prompt)
    script = script_of(spec, truth, turn)
    text = sentences((*_key(spec, truth), "turn", turn.position), _WORDS)
    act = script.act(turn.position)
    calls = () if act is None else (turn.call(act.role, act.values),)
    return Planned(script.outcome, text or "Done.", calls=calls)


def script_of(spec: ModelSpec, truth: Truth, turn: AgentTurn) -> AgentScript:
    """Return the whole script of an attempt, with the tools that the agent has."""
    key = _key(spec, truth)
    outcome = _outcome(spec, truth, key) if truth.path else "gives_up"
    if outcome == "other_file" and "write" not in turn.tools:
        outcome = "gives_up"
    if outcome == "wrong_edit" and not truth.before:
        outcome = "gives_up"
    reading = [Act("read", (truth.path,))] if truth.path else []
    if outcome == "loops":
        return AgentScript(outcome, tuple(reading), endless=True)
    acts = [*reading, *_habits(spec, truth, key, turn), *_changes(outcome, truth, key, turn)]
    if truth.path and "run" in turn.tools and unit((*key, "runs")) < spec.agent.runs:
        acts.append(Act("run", (_COMMAND,)))
    if turn.ending:
        acts.append(Act("run", (turn.ending,)))
    return AgentScript(outcome, tuple(acts))


def expected_scripts(spec: ModelSpec, truths: Iterable[Truth], turn: AgentTurn) -> Mapping[str, int]:
    """Return how many of these attempts end how."""
    counts: dict[str, int] = {}
    for truth in truths:
        outcome = script_of(spec, truth, turn).outcome
        counts[outcome] = counts.get(outcome, 0) + 1
    return dict(sorted(counts.items()))


def _key(spec: ModelSpec, truth: Truth) -> Key:
    number = 1 if spec.greedy else truth.number
    return (spec.identity, spec.agent.identity, truth.seed, truth.case_id, number, "agent")


def _outcome(spec: ModelSpec, truth: Truth, key: Key) -> str:
    if unit((*key, "valid")) >= spec.valid:
        return weighted((*key, "invalid"), spec.agent.invalids)
    return "applied" if unit((*key, "applied")) < case_rate(spec, truth) else "wrong_edit"


def _habits(spec: ModelSpec, truth: Truth, key: Key, turn: AgentTurn) -> Iterator[Act]:
    if not truth.path:
        return
    if unit((*key, "rereads")) < spec.agent.rereads:
        yield Act("read", (truth.path,))
    role = next((role for role in ("edit", "patch") if role in turn.tools), "")
    if role and unit((*key, "fumbles")) < spec.agent.fumbles:
        yield Act(role, (truth.path, invented((*key, "fumble")), "never\n"))


def _changes(outcome: str, truth: Truth, key: Key, turn: AgentTurn) -> Iterator[Act]:
    if outcome == "other_file":
        folder, slash, name = truth.path.rpartition("/")
        yield Act("write", (f"{folder}{slash}other_{name}", invented((*key, "other"))))
    elif outcome == "applied":
        yield from edits(truth.path, truth.before, truth.blocks, turn)
    elif outcome == "wrong_edit":
        yield from edits(truth.path, truth.before, (_wrong_block(truth, key),), turn)


def edits(path: str, before: str, blocks: tuple[tuple[str, str], ...], turn: AgentTurn) -> list[Act]:
    """Return the calls that make the blocks' edits of a file.

    One call for each block where the texts to replace are each there once; else the whole file is written. Without a
    tool that replaces text, one patch.
    """
    text, acts, cursor = before, list[Act](), 0
    by_edits = "edit" in turn.tools
    for search, new in blocks:
        at = max(0, text.find(search, cursor))
        by_edits = by_edits and bool(search) and text.count(search) == 1 and search != new
        acts.append(Act("edit", (path, search, new)))
        text, cursor = text[:at] + new + text[at + len(search) :], at + len(new)
    if by_edits:
        return acts
    if "edit" not in turn.tools and "patch" in turn.tools and before.endswith("\n") and text.endswith("\n"):
        return [Act("patch", (path, before, text))]
    return [Act("write", (path, text))] if "write" in turn.tools else acts


def _wrong_block(truth: Truth, key: Key) -> tuple[str, str]:
    """Return a block that changes a line far from the right edits; the whole file where there is no such line."""
    text = truth.before
    right = max(0, text.find(truth.blocks[0][0])) if truth.blocks else 0
    searched = "".join(search for search, _ in truth.blocks)
    lines, at = list[tuple[int, str]](), 0
    for line in text.splitlines(keepends=True):
        if line.strip() and line.endswith("\n") and text.count(line) == 1 and line not in searched:
            lines.append((abs(at - right), line))
        at += len(line)
    search = max(lines, default=(0, text))[1]
    return search, invented((*key, "wrong"), search)
