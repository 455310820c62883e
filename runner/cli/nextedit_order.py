"""`evals nextedit order`: how the edits of a commit depend on each other."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from runner.run.options import DEFAULT_DB, AskOptions, BaseUrls, Db, InsecureHttp, Json, PriceTable
from runner.suites.nextedit.options import Servers

if TYPE_CHECKING:
    from runner.suites.nextedit.order import Graph
    from runner.suites.nextedit.ordering import Subject
    from runner.suites.nextedit.relations.asking import PairAnswers


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderCommand:
    """The options of `evals nextedit order`."""

    commit: Annotated[
        str, Argument(metavar="COMMIT", help="A bundle's file, a revision of --repo, or the id of a commit in --cases.")
    ] = ""
    cases: Annotated[
        Path | None, Option("--cases", metavar="DIR", help="A folder of commit bundles: all of them, or COMMIT alone.")
    ] = None
    repo: Annotated[
        Path | None, Option("--repo", metavar="PATH", help="A git repository. [default: the current folder]")
    ] = None
    labels: Annotated[
        Path | None, Option("--labels", metavar="FILE", help="Labelled pairs of edits, to compare the order with.")
    ] = None
    order: Annotated[
        str,
        Option(
            "--order",
            metavar="ORDER",
            help="How relations are found: `graph` (by rules), or `llm:MODEL`, which asks a model about pairs that the"
            " rules leave open.",
        ),
    ] = "graph"
    lsp: Servers = None
    dot: Annotated[bool, Option("--dot", help="Print the graph for Graphviz.")] = False
    jobs: Annotated[
        int,
        Option(
            "--max-concurrency",
            "--slots",
            "-j",
            min=1,
            help="The maximum number of commits or questions at once.",
        ),
    ] = 4
    base_url: BaseUrls = None
    insecure_http: InsecureHttp = False
    provider: Annotated[
        str, Option("--provider", help="The provider of the model; the id then needs no `provider/` before it.")
    ] = ""
    budget: Annotated[float | None, Option("--budget", min=0, help="The maximum cost of the model, in USD.")] = None
    rpm: Annotated[float | None, Option("--rpm", min=0.001, help="Maximum requests per minute.")] = None
    tpm: Annotated[float | None, Option("--tpm", min=1, help="Maximum tokens per minute.")] = None
    prices: PriceTable = None
    db: Db = DEFAULT_DB
    yes: Annotated[bool, Option("--yes", "-y", help="Do not ask for confirmation before a paid run.")] = False
    json: Json = False

    @property
    def asking(self) -> AskOptions:
        """How the model is asked."""
        return AskOptions(
            max_concurrency=self.jobs,
            base_url=self.base_url,
            insecure_http=self.insecure_http,
            provider=self.provider,
            budget=self.budget,
            rpm=self.rpm,
            tpm=self.tpm,
            prices=self.prices,
            db=self.db,
            yes=self.yes,
            json=self.json,
        )


def order(options: OrderCommand) -> None:
    """Show how the edits of a commit depend on each other.

    With --labels, shows how well these relations agree with labels by people.
    """
    from runner.cli.nextedit_subjects import commits_in, labelled_commits, one_commit
    from runner.suites.nextedit.order_choice import choose_order
    from runner.suites.nextedit.ordering import graphs_of

    choice = choose_order(options.order, options.lsp or (), options.asking)
    _check(options)
    if options.labels is not None:
        subjects, skipped = labelled_commits(options.labels)
    elif options.cases is not None:
        subjects, skipped = commits_in(options.cases, options.commit), 0
    else:
        subjects, skipped = [one_commit(options.commit, options.repo)], 0
    graphs, answers = graphs_of(subjects, choice.servers, choice.judge, options.jobs)
    if answers is not None and answers.exit_code:
        raise typer.Exit(answers.exit_code)
    if options.labels is not None:
        _show_agreement(subjects, graphs, skipped, as_json=options.json)
    else:
        _show_graphs(subjects, graphs, answers, options)


def _check(options: OrderCommand) -> None:
    from runner.errors import InputError

    if options.order in {"file", "none"}:
        raise InputError(f"--order {options.order}: is not a graph; give graph or llm:MODEL")
    sources = {"--labels": options.labels, "--cases": options.cases, "--repo": options.repo}
    named = [name for name, path in sources.items() if path is not None]
    if len(named) > 1:
        raise InputError(f"order: {' and '.join(named)} are two sources of commits; name one")
    if not options.commit and options.labels is None and options.cases is None:
        raise InputError("order: name a commit, a folder of commits with --cases, or labels with --labels")
    if options.labels is not None and options.commit:
        raise InputError(f"order: --labels names its own commits; leave out {options.commit!r}, or --labels")
    if options.dot and options.cases is not None and not options.commit:
        raise InputError("--dot: draws one commit's graph; name the commit, or leave --dot out")
    if options.dot and (options.json or options.labels is not None):
        other = "--json" if options.json else "--labels"
        raise InputError(f"--dot: draws one commit's graph; leave it out, or {other}")


def _show_agreement(
    subjects: "Iterable[Subject]", graphs: "Mapping[str, Graph]", skipped: int, *, as_json: bool
) -> None:
    from runner.console import put, put_json
    from runner.suites.nextedit.order.labels import agreement, total

    result = total(
        agreement(len(subject.commit.edits), graphs[subject.name].pairs(), subject.related or ())
        for subject in subjects
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


def _show_graphs(
    subjects: "Sequence[Subject]", graphs: "Mapping[str, Graph]", answers: "PairAnswers | None", options: OrderCommand
) -> None:
    """Print one graph; those of a folder one after the other, as JSON in a list."""
    from runner.console import put, put_json
    from runner.suites.nextedit.order.showing import dot_of, graph_json, lines_of

    pairs = [(subject.commit, graphs[subject.name]) for subject in subjects]
    folder = options.cases is not None and not options.commit
    judged = {"judged": answers.as_json()} if answers is not None else {}
    if options.json:
        documents = [graph_json(*pair) for pair in pairs]
        put_json({"commits": documents, **judged} if folder else {**documents[0], **judged})
    elif options.dot:
        put(dot_of(*pairs[0]))
    else:
        for commit, graph in pairs:
            put("".join(f"{line}\n" for line in ([commit.case_id] if folder else []) + [*lines_of(commit, graph)]))
