"""The ways in which a completion is asked for: a chat about a file with a mark in it, or a prompt to go on with.

Coding agents have a way of their own: the mark stands in the file of the folder that they work in.

| `--prompts` | what is sent |
|---|---|
| `completion/basic` (in short `basic`), or an `.md` file | system prompt, and the file with a mark at the cursor |
| `fim/FAMILY`, such as `fim/qwen2.5-coder` (in short the family) | prefix and suffix between the family's marks |
| `fim/suffix` | prefix as the prompt and suffix beside it: the server knows its model's marks |
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from prompts import PROMPTS, Prompt, PromptDetails
from prompts.fim import FAMILIES, Family
from runner.errors import InputError
from runner.run.resolve import Say, choose_prompts
from runner.suites.completion.dataset import Evidence
from runner.variant import AGENT_HOLE
from suts.sut import Message, Request, Sampling

CHAT, FIM, SUFFIX = "completion/", "fim/", "fim/suffix"
# What a prompt may say of a machine: there is none.
_DETAILS = PromptDetails("/project", "Linux", "/bin/bash", "/home/user")
_EVIDENCE = "Of {path}, for what the code around the mark may use:\n\n{text}"
_QUESTION = "The mark is `{mark}`. What belongs in its place?\n\nFile {path}{part}:\n\n{before}{mark}{behind}"
_PART = ", in part"
_AGENT = Prompt(
    AGENT_HOLE,
    "Your working folder holds a project. At one place of one of its files code is missing, and a mark stands there. "
    "Put the code that belongs there in the place of the mark: several lines, a part of a line, or nothing. Change "
    "nothing else in this file and no other file, and make none. Nobody can answer questions: decide yourself, and end "
    "when the mark is replaced.",
)
_TASK = "The file: {path}\nThe mark: `{mark}`, in line {line}"


@dataclass(frozen=True, slots=True)
class Seen:
    """What is shown of a task: the text around the hole, and pieces of other places; `cut` where not all of it."""

    path: str
    before: str
    behind: str
    evidence: tuple[Evidence, ...] = ()
    cut: bool = False

    @property
    def mark(self) -> str:
        """What stands for the hole: a text that the file does not have."""
        return _mark(self.before + self.behind)

    @property
    def marked(self) -> str:
        """The file with the mark in its hole."""
        return f"{self.before}{self.mark}{self.behind}"


class Form(Protocol):
    """One way of asking; `stops` are what ends an answer, `raw` states that a prompt is continued."""

    @property
    def name(self) -> str:
        """The name under which results are kept."""
        ...

    @property
    def digest(self) -> str:
        """Eight hexadecimal digits of all that the question's wording depends on."""
        ...

    @property
    def stops(self) -> tuple[str, ...]:
        """What ends an answer."""
        ...

    @property
    def raw(self) -> bool:
        """Whether only a system that takes prompts can be asked so, and whether the answer is code alone."""
        ...

    def request(self, seen: Seen, sampling: Sampling) -> Request:
        """The question. Raises MarkError for a text that cannot be asked so."""
        ...


@dataclass(frozen=True, slots=True)
class Chat:
    """A conversation: what to do in the system prompt, the file with a mark in the message."""

    prompt: Prompt
    stops: tuple[str, ...] = ()
    raw: bool = False

    @property
    def name(self) -> str:
        """The prompt's name."""
        return self.prompt.name

    @property
    def digest(self) -> str:
        """Of the system prompt and of the message's wording."""
        return _digest(self.prompt.wording, _EVIDENCE, _QUESTION, _PART)

    def request(self, seen: Seen, sampling: Sampling) -> Request:
        """The question; its mark is one that the text does not hold."""
        pieces = [_EVIDENCE.format(path=piece.path, text=piece.text) for piece in seen.evidence]
        pieces.append(
            _QUESTION.format(
                mark=seen.mark,
                path=seen.path,
                part=_PART if seen.cut else "",
                before=seen.before,
                behind=seen.behind,
            )
        )
        return Request(self.prompt.render(_DETAILS), (Message("user", "\n\n".join(pieces)),), sampling)


@dataclass(frozen=True, slots=True)
class Fim:
    """A prompt by a family's template; evidence stands as comments before the prefix."""

    name: str
    family: Family
    raw: bool = True

    @property
    def stops(self) -> tuple[str, ...]:
        """The family's."""
        return self.family.stops

    @property
    def digest(self) -> str:
        """Of the template and the stops."""
        return _digest(self.family.template, *self.family.stops)

    def request(self, seen: Seen, sampling: Sampling) -> Request:
        """The prompt. Raises MarkError for a text that holds one of the family's marks."""
        prompt = self.family.render(as_comments(seen.evidence) + seen.before, seen.behind)
        return Request("", (), replace(sampling, stop=self.stops), prompt=prompt)


@dataclass(frozen=True, slots=True)
class Suffix:
    """Prefix and suffix apart, for a server that puts them together."""

    name: str = SUFFIX
    digest: str = ""
    stops: tuple[str, ...] = ()
    raw: bool = True

    def request(self, seen: Seen, sampling: Sampling) -> Request:
        """Prefix and suffix; evidence as by a family."""
        prompt = as_comments(seen.evidence) + seen.before
        return Request("", (), sampling, prompt=prompt, suffix=seen.behind)


@dataclass(frozen=True, slots=True)
class AgentForm:
    """The one form of agents. The request names the place; the folder is given to it attempt by attempt."""

    name: str = AGENT_HOLE
    stops: tuple[str, ...] = ()
    raw: bool = True

    @property
    def digest(self) -> str:
        """Of the prompt and of the wording of the task."""
        return _digest(_AGENT.wording, _TASK, _EVIDENCE)

    def request(self, seen: Seen, sampling: Sampling) -> Request:
        """The task, without its folder."""
        task = _TASK.format(path=seen.path, mark=seen.mark, line=seen.before.count("\n") + 1)
        pieces = [_EVIDENCE.format(path=piece.path, text=piece.text) for piece in seen.evidence]
        return Request(_AGENT.wording, (Message("user", "\n\n".join((task, *pieces))),), sampling)


def as_comments(evidence: Sequence[Evidence]) -> str:
    """Pieces of other places as comments, to stand before a prefix."""
    lines: list[str] = []
    for family in evidence:
        lines += [f"# {family.path}:", *(f"# {line}".rstrip() for line in family.text.splitlines()), "#"]
    return "".join(f"{line}\n" for line in lines)


def choose_forms(names: Sequence[str], say: Say) -> tuple[Form, ...]:
    """The forms of these names, each once. Raises InputError."""
    return tuple({form.name: form for form in (_form(name, say) for name in names)}.values())


def _form(name: str, say: Say) -> Form:
    family = name.removeprefix(FIM)
    if name == SUFFIX:
        return Suffix()
    if family in FAMILIES:
        return Fim(f"{FIM}{family}", FAMILIES[family])
    if name.startswith(FIM):
        known = ", ".join(f"{FIM}{family}" for family in FAMILIES)
        raise InputError(f"--prompts: no family of models is called {family!r}; there are {known}, {SUFFIX}")
    chat = f"{CHAT}{name}"
    if not name.startswith(CHAT) and name in PROMPTS and chat not in PROMPTS:
        known = ", ".join((*(name for name in PROMPTS if name.startswith(CHAT)), f"{FIM}FAMILY"))
        raise InputError(f"--prompts: {name!r} asks for no completion; give one of {known}, or an .md file")
    (prompt,) = choose_prompts([chat if chat in PROMPTS else name], say)
    return Chat(prompt)


def _mark(text: str) -> str:
    """The first of a row of marks that the text does not hold."""
    number, mark = 1, "<<here>>"
    while mark in text:
        number += 1
        mark = f"<<here-{number}>>"
    return mark


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:8]
