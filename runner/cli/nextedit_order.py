"""`evals nextedit order`: what the edits of a commit have to do with each other."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from runner.run.options import DEFAULT_DB, AskOptions, Db, Json
from runner.suites.nextedit.options import Servers

if TYPE_CHECKING:
    from runner.suites.nextedit.order import Graph
    from runner.suites.nextedit.ordering import Subject
    from runner.suites.nextedit.relations.asking import PairAnswers


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderCommand:
    """The options of `evals nextedit order`."""

    commit: Annotated[str, Argument(metavar="COMMIT", help="A bundle's file, or a revision of --repo.")] = ""
    repo: Annotated[Path | None, Option("--repo", metavar="PATH", help="A git repository. [default: the one here]")] = (
        None
    )
    labels: Annotated[
        Path | None, Option("--labels", metavar="FILE", help="Labelled pairs of edits, to compare the order with.")
    ] = None
    order: Annotated[
        str,
        Option(
            "--order",
            metavar="ORDER",
            help="What relates edits: `graph` (the rules), or `llm:MODEL` for the pairs that the rules leave open.",
        ),
    ] = "graph"
    lsp: Servers = None
    dot: Annotated[bool, Option("--dot", help="Print the graph for Graphviz.")] = False
    jobs: Annotated[
        int, Option("--max-concurrency", "--slots", "--jobs", "-j", min=1, help="Commits or questions at once.")
    ] = 4
    base_url: Annotated[str, Option("--base-url", help="Where an OpenAI-compatible server answers.")] = ""
    provider: Annotated[str, Option("--provider", help="Read the model's id as this provider's.")] = ""
    budget: Annotated[float | None, Option("--budget", min=0, help="The maximum cost of the model, in USD.")] = None
    rpm: Annotated[float | None, Option("--rpm", min=0.001, help="Maximum requests a minute.")] = None
    tpm: Annotated[float | None, Option("--tpm", min=1, help="Maximum tokens a minute.")] = None
    prices: Annotated[Path | None, Option("--prices", help="A price table to use instead of the snapshot.")] = None
    db: Db = DEFAULT_DB
    yes: Annotated[bool, Option("--yes", "-y", help="Do not ask before a paid run.")] = False
    json: Json = False

    @property
    def asking(self) -> AskOptions:
        """How the model is asked."""
        return AskOptions(
            max_concurrency=self.jobs,
            base_url=self.base_url,
            provider=self.provider,
            budget=self.budget,
            rpm=self.rpm,
            tpm=self.tpm,
            prices=self.prices,
            db=self.db,
            yes=self.yes,
            json=self.json,
        )


def order(given: OrderCommand) -> None:
    """Show what the edits of a commit have to do with each other, or how well that agrees with people."""
    from runner.cli.nextedit_subjects import labelled_commits, one_commit
    from runner.suites.nextedit.order_choice import choose_order
    from runner.suites.nextedit.ordering import graphs_of

    choice = choose_order(given.order, given.lsp or (), given.asking)
    _check(given)
    if given.labels is not None:
        subjects, skipped = labelled_commits(given.labels)
    else:
        subjects, skipped = [one_commit(given.commit, given.repo)], 0
    graphs, answers = graphs_of(subjects, choice.servers, choice.judge, given.jobs)
    if answers is not None and answers.exit_code:
        raise typer.Exit(answers.exit_code)
    if given.labels is not None:
        _show_agreement(subjects, graphs, skipped, as_json=given.json)
    else:
        _show_graph(subjects[0], graphs[subjects[0].name], answers, given)


def _check(given: OrderCommand) -> None:
    from runner.errors import InputError

    if given.order in {"file", "none"}:
        raise InputError(f"--order {given.order}: is no graph; there are graph and llm:MODEL to be shown")
    if given.labels is None and not given.commit:
        raise InputError("order: name a commit, or labels with --labels")
    if given.labels is not None and given.commit:
        raise InputError(f"order: --labels has commits of its own; leave out {given.commit!r}, or --labels")
    if given.dot and (given.json or given.labels is not None):
        other = "--json" if given.json else "--labels"
        raise InputError(f"--dot: draws one commit's graph; leave it out, or {other}")


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


def _show_graph(subject: "Subject", graph: "Graph", answers: "PairAnswers | None", given: OrderCommand) -> None:
    from runner.console import put, put_json
    from runner.suites.nextedit.order.showing import dot_of, graph_json, lines_of

    if given.json:
        judged = {"judged": answers.as_json()} if answers is not None else {}
        put_json({**graph_json(subject.commit, graph), **judged})
    else:
        put(
            dot_of(subject.commit, graph)
            if given.dot
            else "".join(f"{line}\n" for line in lines_of(subject.commit, graph))
        )
