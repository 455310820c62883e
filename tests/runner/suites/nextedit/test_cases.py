from dataclasses import replace

import pytest

from runner.suites.nextedit.commit_replay import replay_commit
from runner.suites.nextedit.commits import Commit, Limits
from runner.suites.nextedit.orders import ORDERS
from runner.suites.nextedit.replay_plan import ReplayPlan
from runner.suites.nextedit.sources import Ready, from_cases
from runner.suites.nextedit.systems import SYSTEMS
from runner.syntax import language_of, parses
from tests.nextedit import cases_folder

CASES = list(from_cases(cases_folder(), Limits(min_edits=3, max_edits=15)))
COMMITS = [found.commit for found in CASES if isinstance(found, Ready)]
PLAN = ReplayPlan(ORDERS["graph"])


def test_there_are_a_dozen_bundles_in_five_languages_and_none_is_refused() -> None:
    languages = {language_of(commit.files[0].path) for commit in COMMITS}

    assert len(COMMITS) == len(CASES) >= 12
    assert languages == {"python", "typescript", "go", "java", "javascript"}


@pytest.mark.parametrize("commit", [pytest.param(commit, id=commit.case_id) for commit in COMMITS])
def test_every_bundle_edits_two_files_or_more_and_parses_before_and_after(commit: Commit) -> None:
    assert len({edit.path for edit in commit.edits}) >= 2
    for touched in commit.files:
        for text in (touched.before, touched.after):
            assert parses(text or "", language_of(touched.path) or "")


async def test_the_oracle_is_right_and_the_silent_are_not_on_every_bundle() -> None:
    for commit in COMMITS:
        plan = replace(PLAN, seed=3)
        oracle = await replay_commit(commit, SYSTEMS["oracle"].make(commit, plan), plan, lambda: 0)
        silent = await replay_commit(commit, SYSTEMS["silent"].make(commit, plan), plan, lambda: 0)

        asked = [step.metrics for step in oracle.steps if step.allowed]
        assert all(metrics.precision == metrics.recall == 1 for metrics in asked), commit.case_id
        assert not any(step.metrics.hit_ranks for step in silent.steps)
