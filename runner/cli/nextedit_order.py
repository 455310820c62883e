"""`evals nextedit order`: what the edits of a commit have to do with each other."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from runner.cli.nextedit_sources import Repo, Where, found_commits
from runner.cli.options import DEFAULT_DB, BaseUrl, Db, InsecureHttp, Json

if TYPE_CHECKING:
    from runner.suites.nextedit.order import Graph
    from runner.suites.nextedit.order.asking import Judged, PairOptions
    from runner.suites.nextedit.order.servers import Server
    from runner.suites.nextedit.ordering import Subject
    from runner.suites.nextedit.sources import Ready

_ORDER = "What brings one edit after another: `graph` (the rules), or `llm:MODEL` for the pairs that these leave open."
_LSP = """A language server on standard streams, asked for symbols too: CMD, LANGUAGE=CMD or `jedi`; may be repeated."""

LoopOrder = Annotated[
    str | None,
    typer.Option(
        metavar="ORDER",
        help="Which edits are allowed next: graph, file, none, or llm:MODEL: the graph with a model's word on the"
        " pairs that the rules leave open. [default: graph]",
    ),
]
Lsp = Annotated[list[str] | None, typer.Option("--lsp", metavar="CMD", help=_LSP)]


def order(
    commit: Annotated[str, typer.Argument(metavar="COMMIT", help="A bundle's file, or a revision of --repo.")] = "",
    repo: Repo = None,
    labels: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Labelled pairs of edits, to compare the order with.")
    ] = None,
    order_by: Annotated[str, typer.Option("--order", metavar="ORDER", help=_ORDER)] = "graph",
    lsp: Lsp = None,
    dot: Annotated[bool, typer.Option("--dot", help="Print the graph for Graphviz.")] = False,
    jobs: Annotated[int, typer.Option(min=1, help="Commits or questions at once.")] = 4,
    base_url: BaseUrl = "",
    insecure_http: InsecureHttp = False,
    provider: Annotated[str, typer.Option(help="Read the model's id as this provider's.")] = "",
    budget: Annotated[float | None, typer.Option(min=0, help="The most that the model may cost, in USD.")] = None,
    prices: Annotated[Path | None, typer.Option(help="A price table in place of the snapshot.")] = None,
    db: Db = DEFAULT_DB,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before a paid run.")] = False,
    json: Json = False,
) -> None:
    """Show what the edits of a commit have to do with each other, or how well that agrees with people."""
    given: dict[str, Any] = dict(locals())
    from runner.console import say
    from runner.errors import InputError
    from runner.suites.nextedit.order.label_files import read_labels
    from runner.suites.nextedit.ordering import Subject, check_order, graphs_of, labelled_subjects

    check_order(order_by)
    if order_by in {"file", "none"}:
        raise InputError(f"--order {order_by}: is no graph; there are graph and llm:MODEL to be shown")
    _check_subject(commit, labels)
    if dot and (json or labels is not None):
        raise InputError(f"--dot: draws one commit's graph; leave it out, or {'--json' if json else '--labels'}")
    servers, options = order_helpers(order_by, given)
    if labels is not None:
        skipped: list[str] = []
        subjects = list(labelled_subjects(read_labels(labels, skipped.append)))
        if not subjects:
            raise InputError(f"{skipped[0]}; no line is left to compare with")
        for each in skipped:
            say(f"skipped: {each}")
    else:
        ready = _one_commit(commit, repo)
        subjects = [Subject(ready.commit.case_id, ready.commit, ready.tree)]
    graphs, judged = graphs_of(subjects, servers, options, jobs)
    if judged is not None and judged.exit_code:
        raise typer.Exit(judged.exit_code)
    if labels is not None:
        _show_agreement(subjects, graphs, len(skipped), as_json=json)
    else:
        _show_graph(subjects[0], graphs[subjects[0].name], judged, as_json=json, dot=dot)


def _check_subject(commit: str, labels: Path | None) -> None:
    from runner.errors import InputError

    if labels is None and not commit:
        raise InputError("order: name a commit, or labels with --labels")
    if labels is not None and commit:
        raise InputError(f"order: --labels has commits of its own; leave out {commit!r}, or --labels")


def order_helpers(name: str, given: Mapping[str, Any]) -> "tuple[tuple[Server, ...], PairOptions | None]":
    """The language servers that the options name, and how the model of `llm:MODEL` is asked, if one is named."""
    from runner.environment import settings_of, variables_of
    from runner.suites.nextedit.order.servers import chosen_servers
    from runner.suites.nextedit.ordering import MODEL

    # Without `.env`: its variables could have a server load code of the project's.
    servers = chosen_servers(given["lsp"] or (), os.environ)
    if not name.startswith(MODEL):
        return servers, None
    from runner.suites.nextedit.order.asking import PairOptions

    settings = settings_of(
        variables_of(Path.cwd(), os.environ),
        provider=given["provider"],
        base_url=given["base_url"],
        insecure_http=given["insecure_http"],
    )
    options = PairOptions(
        model=name.removeprefix(MODEL).strip(),
        db=given["db"],
        settings=settings,
        slots=given["jobs"],
        budget_usd=given["budget"],
        prices=given["prices"],
        yes=given["yes"],
        quiet=given["json"],
    )
    return servers, options


def _show_agreement(
    subjects: "Iterable[Subject]", graphs: "Mapping[str, Graph]", skipped: int, *, as_json: bool
) -> None:
    from runner.console import put, put_json
    from runner.suites.nextedit.order.labels import agreement, total

    result = total(
        agreement(len(each.commit.edits), graphs[each.name].pairs(), each.related or ()) for each in subjects
    ).as_json()
    if skipped:
        result = {**result, "skipped": skipped}
    if as_json:
        put_json(result)
    else:
        put(
            "".join(
                f"{name} {value}\n" if isinstance(value, int) else f"{name} {value:.3f}\n"
                for name, value in result.items()
            )
        )


def _show_graph(subject: "Subject", graph: "Graph", judged: "Judged | None", *, as_json: bool, dot: bool) -> None:
    from runner.console import put, put_json
    from runner.suites.nextedit.order.showing import dot_of, graph_json, lines_of

    if as_json:
        told = {"judged": judged.as_json()} if judged is not None else {}
        put_json({**graph_json(subject.commit, graph), **told})
    else:
        put(dot_of(subject.commit, graph) if dot else "".join(f"{line}\n" for line in lines_of(subject.commit, graph)))


def _one_commit(name: str, repo: Path | None) -> "Ready":
    """The commit of a bundle's file, or of a revision; of the repository here, where there is no such file."""
    from runner.errors import InputError
    from runner.suites.nextedit.commits import Limits
    from runner.suites.nextedit.sources import Ready

    if repo is None and not Path(name).exists() and not name.endswith(".json"):
        repo = Path()
    cases, where = (Path(name), None) if repo is None else (None, repo)
    rev = [name] if where is not None else None
    found = list(found_commits(Where(cases, where, rev, None, None, clone=False), Limits(1, 1000)))
    if len(found) != 1 or not isinstance(found[0], Ready):
        reasons = {each.reason.value for each in found if not isinstance(each, Ready)}
        raise InputError(f"order: {name} is not one commit with edits{f': {reasons.pop()}' if reasons else ''}")
    return found[0]
