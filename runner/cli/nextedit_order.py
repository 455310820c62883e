"""`evals nextedit order`: what the edits of a commit have to do with each other."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from runner.cli.nextedit_sources import Repo, Where, found_commits
from runner.cli.options import Json

if TYPE_CHECKING:
    from runner.suites.next_edit.commits import Commit


def order(
    commit: Annotated[str, typer.Argument(metavar="COMMIT", help="A bundle's file, or a revision of --repo.")] = "",
    repo: Repo = None,
    labels: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Labelled pairs of edits, to compare the order with.")
    ] = None,
    dot: Annotated[bool, typer.Option("--dot", help="Print the graph for Graphviz.")] = False,
    json: Json = False,
) -> None:
    """Show what the edits of a commit have to do with each other, or how well that agrees with people."""
    from runner.console import put, put_json
    from runner.errors import InputError
    from runner.suites.next_edit.order import order_graph
    from runner.suites.next_edit.order.labels import agreement, read_labels, total
    from runner.suites.next_edit.order.showing import dot_of, graph_json, lines_of

    if labels is not None:
        parts = [agreement(len(e.commit.edits), order_graph(e.commit).pairs(), e.related) for e in read_labels(labels)]
        result = total(parts).as_json()
        if json:
            put_json(result)
        else:
            put("".join(f"{name} {value:.3f}\n" for name, value in result.items()))
        return
    if not commit:
        raise InputError("order: name a commit, or labels with --labels")
    found = _one_commit(commit, repo)
    graph = order_graph(found)
    if json:
        put_json(graph_json(found, graph))
    else:
        put(dot_of(found, graph) if dot else "".join(f"{line}\n" for line in lines_of(found, graph)))


def _one_commit(name: str, repo: Path | None) -> "Commit":
    from runner.errors import InputError
    from runner.suites.next_edit.commits import Limits
    from runner.suites.next_edit.sources import Ready

    cases, where = (Path(name), None) if repo is None else (None, repo)
    found = list(found_commits(Where(cases, where, [name], None, None, clone=False), Limits(1, 1000)))
    if len(found) != 1 or not isinstance(found[0], Ready):
        reasons = {each.reason.value for each in found if not isinstance(each, Ready)}
        raise InputError(f"order: {name} is not one commit with edits{f': {reasons.pop()}' if reasons else ''}")
    return found[0].commit
