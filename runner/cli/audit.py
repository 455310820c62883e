"""`evals audit`: how the edits of recorded sessions of coding agents went."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from runner.run.options import Json, PriceTable, Wide

_SINCE = "Leave out what happened before a date, such as 2026-11-01, or so many days ago, such as 30d."


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditOptions:
    """The options of `evals audit`."""

    paths: Annotated[
        list[Path] | None, Argument(metavar="[PATH]...", help="Sessions, or folders of them; else the usual places.")
    ] = None
    since: Annotated[str, Option("--since", metavar="DATE", help=_SINCE)] = ""
    agent: Annotated[str, Option("--agent", metavar="NAMES", help="Only these agents, comma-separated.")] = ""
    prices: PriceTable = None
    markdown: Annotated[bool, Option("--markdown", help="Print Markdown.")] = False
    html: Annotated[Path | None, Option("--html", metavar="FILE", help="Write one HTML page instead.")] = None
    json: Json = False
    wide: Wide = False


def audit(options: AuditOptions) -> None:
    """Show how the edits of recorded agent sessions went.

    Reads the sessions of Claude Code, Codex, Gemini CLI, Cline and Aider, and ATIF trajectories: success at the first
    try, causes of failure, and what retries cost. No model is asked, and nothing is sent or written.
    """
    import os
    from datetime import UTC, datetime

    from runner.audit.gathering import gathered
    from runner.audit.page import write_audit_page
    from runner.audit.reading import chosen_agents, session_files, since_time, usual_or_given
    from runner.audit.tables import as_data, audit_document, data_without_secrets, without_secrets
    from runner.console import put, put_json, say, show
    from runner.document import markdown
    from runner.errors import InputError
    from runner.prices import load_prices
    from runner.privacy.cleaning import Cleaner

    if options.html and (options.json or options.markdown):
        raise InputError("--html: takes the place of --json and --markdown; leave one of them out")

    agents = chosen_agents(options.agent)
    places = usual_or_given(options.paths or (), os.environ)
    prices, since = load_prices(options.prices, {}), since_time(options.since, datetime.now(UTC))
    figures = gathered(session_files(places, agents), prices, since, say)
    cleaner = Cleaner(os.environ)
    document = without_secrets(audit_document(figures, len(places)), cleaner)
    if options.html:
        write_audit_page(document, options.html)
    elif options.json:
        put_json(data_without_secrets(as_data(figures), cleaner))
    elif options.markdown:
        put(markdown(document))
    else:
        show(document, wide=options.wide)
