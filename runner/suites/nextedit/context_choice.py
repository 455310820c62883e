"""The context that options name: decoys are drawn, and trees are found, before anything is asked."""

from collections.abc import Sequence

from runner.errors import InputError
from runner.suites.nextedit.context.contexts import ContextChoice, ContextKind
from runner.suites.nextedit.context.decoys import decoys_of
from runner.suites.nextedit.editor import Leak
from runner.suites.nextedit.model_choice import most_characters
from runner.suites.nextedit.options import NextEditOptions
from runner.suites.nextedit.sources import Ready


def choose_context(options: NextEditOptions, commits: Sequence[Ready]) -> ContextChoice:
    """Return the context of a run. Raises InputError where a commit lacks the rest of its project."""
    kind = ContextKind(options.visible)
    if kind is ContextKind.TOUCHED:
        return ContextChoice()
    lacking = [ready.commit.case_id for ready in commits if not ready.tree.whole]
    if lacking:
        raise InputError(
            f"--context {kind}: the bundle of {lacking[0]}{_others(lacking)} holds only files that the commit touches;"
            " write it with `evals nextedit bundle --tree`, or name its repository with --repo"
        )
    if kind is ContextKind.RETRIEVED:
        trees = {ready.commit.case_id: ready.tree for ready in commits}
        return ContextChoice(kind, most_characters(options), trees=trees)
    if Leak(options.leak) is Leak.NONE:
        raise InputError(
            "--context decoys: shows the files that a commit touches among others, which --leak none forbids; give"
            " --leak files, or --context retrieved"
        )
    decoys = {ready.commit.case_id: decoys_of(ready.commit, ready.tree, options.seed) for ready in commits}
    alone = [case_id for case_id, texts in decoys.items() if not texts]
    if alone:
        raise InputError(
            f"--context decoys: the project of {alone[0]}{_others(alone)} has no text that its commit does not touch;"
            " leave the commit out, or give --context touched"
        )
    return ContextChoice(kind, decoys=decoys)


def _others(cases: Sequence[str]) -> str:
    return f" (and {len(cases) - 1} others)" if len(cases) > 1 else ""
