"""What language servers say of a commit: the edges between edits that hold a symbol's definition and its uses.

After EditFlow's rule: a relation counts if both its ends are identifiers inside edited lines. Its programs ask one
server, for Python alone, and take silence for half a second as a no; here every identifier is asked about, every
answer is awaited, and columns are counted as the protocol counts them.
"""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from runner.execution.workspace import Files, Workspace, scratch
from runner.suites.nextedit.commits import Commit
from runner.suites.nextedit.order.graph import Edge
from runner.suites.nextedit.order.servers.choice import Server
from runner.suites.nextedit.order.servers.client import Client, ServerDeadlines, opened
from runner.suites.nextedit.order.servers.places import IdentifierPlace, places_of, shown_text
from runner.suites.nextedit.order.servers.relations import Answers, defined, used
from runner.suites.nextedit.order.servers.rpc import ServerError
from runner.suites.nextedit.order.versions import VERSIONS, Version, text_in
from runner.syntax import language_of

_PATIENCE = 3
_ENDS = 2
# Of more identifiers than this, only those are asked about whose name stands in several edits.
_MANY_PLACES = 600


@dataclass(slots=True)
class Servers:
    """Servers for a run, and how they fared: one that fails costs its edges, and after a while is asked no more.

    `failures` counts commits by the server's name and what was wrong; a missed deadline weighs as all the patience.
    """

    servers: Sequence[Server]
    deadlines: ServerDeadlines = field(default_factory=ServerDeadlines)
    failures: dict[str, Counter[str]] = field(default_factory=dict)
    _weight: Counter[str] = field(default_factory=Counter)

    async def edges(self, commit: Commit, tree: Files) -> list[Edge]:
        """The edges that the servers know of between the edits of a commit; `tree` are all files before it."""
        edges: list[Edge] = []
        tasks = list(self._tasks(commit))
        if not tasks:
            return edges
        with scratch(tree, commit.origin.project or "tree") as workspace:
            for version in VERSIONS:
                workspace.put(_texts(commit, version))
                for server, languages in tasks:
                    edges += await self._edges(server, languages, commit, version, workspace)
        return edges

    def notes(self) -> Iterator[str]:
        """Yield what to report of servers that failed, a line for each."""
        for name, reasons in self.failures.items():
            listed = ", ".join(f"{reason} ({count}x)" if count > 1 else reason for reason, count in reasons.items())
            asked_on = "" if self._weight[name] < _PATIENCE else "; it was not asked again"
            yield f"--lsp {name}: {listed}{asked_on}: edges that it knows of are missing, the rules' own are there"

    def _tasks(self, commit: Commit) -> Iterator[tuple[Server, list[str]]]:
        """Each server with the commit's languages that it is the first to serve."""
        left = dict.fromkeys(language for file in commit.files if (language := language_of(file.path)))
        for server in self.servers:
            mine = [language for language in left if server.serves(language)]
            for language in mine:
                del left[language]
            if mine:
                yield server, mine

    async def _edges(
        self, server: Server, languages: Sequence[str], commit: Commit, version: Version, workspace: Workspace
    ) -> list[Edge]:
        if self._weight[server.name] >= _PATIENCE:
            return []
        places = [place for language in languages for place in places_of(commit, version, language)]
        if len({place.edit for place in places}) < _ENDS:
            return []
        paths = {place.path for place in places}
        texts = {path: text for path, text in _texts(commit, version).items() if path in paths and text is not None}
        try:
            async with opened(server, workspace.folder, self.deadlines) as client:
                await client.open(texts)
                async with asyncio.timeout(self.deadlines.all_s):
                    answers = await _answers(client, places)
                relations = defined if client.method == "definition" else used
                return list(relations(places, answers))
        except TimeoutError:
            self._failed(server, "did not answer in time", _PATIENCE)
        except ServerError as error:
            self._failed(server, str(error), 1)
        return []

    def _failed(self, server: Server, reason: str, weight: int) -> None:
        self.failures.setdefault(server.name, Counter())[reason] += 1
        self._weight[server.name] += weight


def _texts(commit: Commit, version: Version) -> dict[str, str | None]:
    """The touched files in a version as servers are shown them; None for what is not there."""
    moved: dict[str, str | None] = {file.old_path: None for file in commit.files if file.old_path}
    texts = {file.path: text_in(file, version) for file in commit.files}
    return moved | {path: None if text is None else shown_text(text) for path, text in texts.items()}


async def _answers(client: Client, places: Sequence[IdentifierPlace]) -> Answers:
    """The places that were asked about, each with the server's answer. Raises ServerError, TimeoutError.

    A server that knows of no definition at all may yet know of references.
    """
    defining = client.method == "definition"
    chosen = [place for place in _worth_asking(places) if defining or place.declared or place.imported]
    answers = await asyncio.gather(*(client.ask(place.path, place.row, place.start) for place in chosen))
    if defining and not any(answers):
        client.method = "references"
        return await _answers(client, places)
    return list(zip(chosen, answers, strict=True))


def _worth_asking(places: Sequence[IdentifierPlace]) -> Sequence[IdentifierPlace]:
    if len(places) <= _MANY_PLACES:
        return places
    edits = defaultdict[str, set[int]](set)
    for place in places:
        edits[place.text].add(place.edit)
    return [place for place in places if len(edits[place.text]) >= _ENDS]
