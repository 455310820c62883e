"""What a model is asked over all commits, at most: for the cost that is named before a run."""

import sys
from collections.abc import Iterable

from runner.run.plan import Workload
from runner.suites.nextedit.commits import Commit
from runner.suites.nextedit.editor import EditorSession, Made
from runner.suites.nextedit.model_choice import ModelChoice
from runner.suites.nextedit.prompting import recommend_message
from runner.tokens import token_counter

# What an answer is taken to be in an estimate: a call with a small edit, and a sentence before it.
_ANSWER_TOKENS = 250


def workload_of(choice: ModelChoice | None, prompts: Iterable[tuple[Commit, int]]) -> Workload:
    """What a model is asked over all commits: at each step for recommendations, and at most once for a given place.

    `prompts` are the longest ones.
    """
    if choice is None:
        return Workload(0, 0, 0, 0)
    each_step = choice.options.valid_attempts_per_step + 1
    questions = tokens = 0
    for commit, prompt_tokens in prompts:
        requests = (len(commit.edits) - 1) * each_step
        questions += requests
        tokens += requests * prompt_tokens
    return Workload(questions, tokens, _ANSWER_TOKENS, questions)


def longest_prompts(choice: ModelChoice | None, commits: Iterable[Commit]) -> list[tuple[Commit, int]]:
    """Each commit with the tokens of a prompt at least as long as any that is sent about it; none without a model."""
    if choice is None:
        return []
    count = token_counter(exact=False).count
    fixed = count(choice.reading.system)
    return [(commit, fixed + count(_longest_question(commit)[: choice.characters])) for commit in commits]


def _longest_question(commit: Commit) -> str:
    """A text at least as long as any question about a commit: all its edits, and every line that files ever have."""
    past_edits = tuple(Made(edit, edit.parent) for edit in commit.edits)
    texts = {touched.path: touched.before or "" for touched in commit.files}
    for edit in commit.edits:
        texts[edit.path] += "".join(edit.after)
    return recommend_message(EditorSession(commit.case_id, 1, past_edits, texts, message=commit.message), sys.maxsize)
