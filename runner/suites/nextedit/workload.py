"""What a model is asked over all commits, at most: for the cost that is named before a run."""

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from runner.run.plan import Workload
from runner.suites.nextedit.commits import Commit, split_lines
from runner.suites.nextedit.context.contexts import ContextChoice, ContextKind
from runner.suites.nextedit.editor import EditorSession, Made
from runner.suites.nextedit.model_choice import ModelChoice
from runner.suites.nextedit.wordings import wording_of
from runner.tokens import token_counter

# What an answer is taken to be in an estimate: a call with a small edit, and a sentence before it.
_ANSWER_TOKENS = 250


@dataclass(frozen=True, slots=True)
class LongestPrompt:
    """The tokens of a prompt that is at least as long as any that is sent about a commit with one system prompt."""

    commit: Commit
    prompt: str
    tokens: int


def workload_of(choice: ModelChoice | None, longest: Sequence[LongestPrompt]) -> Workload:
    """What a model is asked over all commits: at each step for recommendations, and at most once for a given place."""
    if choice is None:
        return Workload(0, 0, 0, 0)
    each_step = choice.options.valid_attempts_per_step + 1
    requests = [(len(row.commit.edits) - 1) * each_step for row in longest]
    tokens = sum(count * row.tokens for count, row in zip(requests, longest, strict=True))
    return Workload(sum(requests), tokens, _ANSWER_TOKENS, sum(requests))


def longest_prompts(
    choice: ModelChoice | None, context: ContextChoice, commits: Iterable[Commit]
) -> list[LongestPrompt]:
    """The longest prompt of each commit and system prompt; none without a model."""
    if choice is None:
        return []
    count = token_counter(exact=False).count
    rows: list[LongestPrompt] = []
    systems = [(prompt, count(next(choice.readings(prompt)).system)) for prompt in choice.prompts]
    for commit in commits:
        session = _longest_session(commit, context)
        for prompt, fixed in systems:
            characters = choice.characters(prompt)
            text = wording_of(prompt)(session, None, sys.maxsize).text
            if context.kind is ContextKind.RETRIEVED:
                # What is retrieved fills a prompt, whatever the commit.
                text *= characters // len(text) + 1
            text = text[:characters]
            rows.append(LongestPrompt(commit, prompt.name, fixed + count(text)))
    return rows


def _longest_session(commit: Commit, context: ContextChoice) -> EditorSession:
    """What makes a question at least as long as any about a commit: all its edits, and every line of its files."""
    past_edits = tuple(Made(edit, edit.parent) for edit in commit.edits)
    texts = {touched.path: touched.before or "" for touched in commit.files}
    for edit in commit.edits:
        # A diff repeats six lines around an edit.
        around = 6 * max(split_lines(texts[edit.path]), key=len, default="")
        texts[edit.path] += "".join(edit.after) + around
    texts |= (context.decoys or {}).get(commit.case_id, {})
    return EditorSession(commit.case_id, 1, past_edits, texts, message=commit.message)
