"""The order that a replay is to follow, made ready: by the rules, with what language servers and a model add."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from hashlib import sha256

from runner.console import say
from runner.errors import InputError
from runner.execution.workspace import Files, files_of
from runner.suites.nextedit.commits import Commit
from runner.suites.nextedit.order import Edge, Graph, order_graph
from runner.suites.nextedit.order.graph import Pair, graph_of
from runner.suites.nextedit.order.labels import LabelledCommit
from runner.suites.nextedit.order.pairs import PairQuestion, open_pairs, pair_questions, relation_edges
from runner.suites.nextedit.order.servers import Server, Servers
from runner.suites.nextedit.orders import ORDERS, Order
from runner.suites.nextedit.relations.asking import PairAnswers
from runner.suites.nextedit.sources import Ready

MODEL = "llm:"
Judge = Callable[[Sequence[PairQuestion]], PairAnswers]
GRAPH = "graph"


@dataclass(frozen=True, slots=True)
class Ordering:
    """An order by the name that a run has for it.

    `edges` are the edges of every commit by case id, if it is a graph; `cost_usd` is what a model cost this time;
    `exit_code` is not 0 where it has not answered all questions yet: then there is no order to follow.
    """

    name: str
    order: Callable[[Commit], Order]
    edges: Mapping[str, Sequence[Pair]] = field(default_factory=dict)
    cost_usd: float = 0.0
    exit_code: int = 0


@dataclass(frozen=True, slots=True)
class Subject:
    """A commit whose graph is wanted, and the tree before it.

    `related` are the pairs of its edits that people relate, None where nobody was asked.
    """

    name: str
    commit: Commit
    tree: Callable[[], AbstractContextManager[Files]]
    related: frozenset[Pair] | None = None


def labelled_subjects(labelled: Iterable[LabelledCommit]) -> Iterator[Subject]:
    """Labelled commits, of which the touched files are known; those of one name are numbered."""
    seen: Counter[str] = Counter()
    for subject in labelled:
        seen[subject.name] += 1
        name = subject.name if seen[subject.name] == 1 else f"{subject.name}#{seen[subject.name]}"
        yield Subject(name, subject.commit, _touched_files(subject.commit), subject.related)


def _touched_files(commit: Commit) -> Callable[[], AbstractContextManager[Files]]:
    files = files_of({file.path: file.before for file in commit.files if file.before is not None})
    return lambda: nullcontext(files)


def check_order(name: str, servers: Sequence[Server] = ()) -> None:
    """Raise InputError for a name that no order has, and for servers beside an order that is no graph."""
    if name not in ORDERS and not name.removeprefix(MODEL).strip():
        raise InputError("--order llm: names no model; write --order llm:MODEL, such as llm:sim/careful")
    if name not in ORDERS and not name.startswith(MODEL):
        raise InputError(f"--order: {name!r} is no order; there are {', '.join(ORDERS)} and llm:MODEL")
    if servers and name in ORDERS and name != GRAPH:
        raise InputError(
            f"--lsp: --order {name} asks nobody what edits have to do with each other; leave one of them out"
        )


def ordering(ready: Sequence[Ready], name: str, servers: Sequence[Server], judge: Judge | None, jobs: int) -> Ordering:
    """Prepare the order of this name for commits; `judge` asks the model that it may name.

    Raises InputError for a model that cannot be asked.
    """
    if judge is None and name != GRAPH:
        return Ordering(name, ORDERS[name])
    graphs, judged = graphs_of(subjects_of(ready), servers, judge, jobs)
    edges = {name: sorted({(edge.source, edge.target) for edge in graph.edges}) for name, graph in graphs.items()}
    result = Ordering(_full_name(name, servers, edges), lambda commit: graphs[commit.case_id], edges)
    return result if judged is None else replace(result, cost_usd=judged.cost_usd, exit_code=judged.exit_code)


def subjects_of(ready: Iterable[Ready]) -> list[Subject]:
    """Commits to be replayed, by their case ids."""
    return [Subject(commit.commit.case_id, commit.commit, commit.tree) for commit in ready]


def questions_of(subjects: Iterable[Subject]) -> list[PairQuestion]:
    """What a model is asked at most: about every pair that the rules leave open."""
    return [question for subject in subjects for question in _questions(subject, order_graph(subject.commit))]


def graphs_of(
    subjects: Sequence[Subject], servers: Sequence[Server], judge: Judge | None, jobs: int
) -> tuple[dict[str, Graph], PairAnswers | None]:
    """Return the graphs of commits by name, and a model's relations, if one was asked. Raises InputError."""
    edges = asyncio.run(_known_to_servers(subjects, servers, jobs))
    graphs = {subject.name: order_graph(subject.commit, edges.get(subject.name, ())) for subject in subjects}
    if judge is None:
        return graphs, None
    questions = [question for subject in subjects for question in _questions(subject, graphs[subject.name])]
    judged = judge(questions)
    say(_described(judged))
    further = _judged_edges(questions, judged)
    return {
        name: graph_of(graph.size, (*graph.edges, *further.get(name, ()))) for name, graph in graphs.items()
    }, judged


async def _known_to_servers(subjects: Sequence[Subject], servers: Sequence[Server], jobs: int) -> dict[str, list[Edge]]:
    if not servers:
        return {}
    pool, slots = Servers(servers), asyncio.Semaphore(jobs)

    async def edges_of(subject: Subject) -> list[Edge]:
        async with slots:
            with subject.tree() as tree:
                return await pool.edges(subject.commit, tree)

    edges = await asyncio.gather(*map(edges_of, subjects))
    for note in pool.notes():
        say(note)
    return {subject.name: edges for subject, edges in zip(subjects, edges, strict=True)}


def _questions(subject: Subject, graph: Graph) -> Iterator[PairQuestion]:
    commit = subject.commit
    yield from pair_questions(commit, subject.name, open_pairs(commit, graph), subject.related)


def _judged_edges(questions: Iterable[PairQuestion], judged: PairAnswers) -> dict[str, list[Edge]]:
    edges: dict[str, list[Edge]] = {}
    for question in questions:
        relation = judged.relations.get(question.case_id)
        if relation is not None:
            edges.setdefault(question.name, []).extend(relation_edges(question.pair, relation, judged.model))
    return edges


def _described(judged: PairAnswers) -> str:
    """What asking a model has come to, in one line."""
    total = judged.requests + judged.known
    run = f" in run {judged.run_id}" if judged.run_id else ""
    left = f"; {judged.left_open} stay open for want of a valid answer" if judged.left_open else ""
    missing = total - len(judged.relations)
    unasked = f"; {missing} have no answer yet: the same words go on" if missing else ""
    return (
        f"order by {judged.model}: {total} pairs left open by the rules, {judged.known} known, {judged.requests} asked"
        f"{run} for ${judged.cost_usd:.4f}{left}{unasked}"
    )


def _full_name(name: str, servers: Sequence[Server], edges: Mapping[str, Sequence[Pair]]) -> str:
    """Return the name that distinguishes orders: it ends with a digest of the edges, as rules and models change."""
    by = "".join(f" with {server.name}" for server in servers)
    digest = sha256(repr(sorted(edges.items())).encode()).hexdigest()[:8]
    return f"{name}{by}@{digest}"
