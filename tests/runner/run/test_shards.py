"""Shards of a run: which there are, how a process knows its own, and which cases each holds."""

from collections import Counter

import pytest

from runner.errors import InputError
from runner.run.sharded_plan import shared_run_id
from runner.run.shards import Shard, chosen_shard
from tests.runner.made_runs import plan

_SLURM = {"SLURM_ARRAY_TASK_COUNT": "4", "SLURM_ARRAY_TASK_MIN": "0", "SLURM_ARRAY_TASK_MAX": "3"}


@pytest.mark.parametrize(
    "text, variables, shard",
    [
        pytest.param("2/4", {}, Shard(2, 4), id="given"),
        pytest.param("2/4", {**_SLURM, "SLURM_ARRAY_TASK_ID": "3"}, Shard(2, 4), id="given in an array"),
        pytest.param("", {**_SLURM, "SLURM_ARRAY_TASK_ID": "3"}, None, id="not asked for"),
        pytest.param("auto", {**_SLURM, "SLURM_ARRAY_TASK_ID": "3"}, Shard(4, 4), id="Slurm"),
        pytest.param(
            "auto",
            {
                "SLURM_ARRAY_TASK_ID": "1",
                "SLURM_ARRAY_TASK_COUNT": "2",
                "SLURM_ARRAY_TASK_MIN": "1",
                "SLURM_ARRAY_TASK_MAX": "2",
            },
            Shard(1, 2),
            id="Slurm from 1",
        ),
        pytest.param("auto/5", {"JOB_COMPLETION_INDEX": "4"}, Shard(5, 5), id="Kubernetes"),
        pytest.param("auto", {"CI_NODE_INDEX": "1", "CI_NODE_TOTAL": "3"}, Shard(1, 3), id="GitLab CI"),
        pytest.param("auto", {"CIRCLE_NODE_INDEX": "0", "CIRCLE_NODE_TOTAL": "3"}, Shard(1, 3), id="CircleCI"),
        pytest.param(
            "auto", {"BUILDKITE_PARALLEL_JOB": "2", "BUILDKITE_PARALLEL_JOB_COUNT": "3"}, Shard(3, 3), id="Buildkite"
        ),
        pytest.param("auto", {"CLOUD_RUN_TASK_INDEX": "1", "CLOUD_RUN_TASK_COUNT": "2"}, Shard(2, 2), id="Cloud Run"),
    ],
)
def test_a_shard_is_named_or_read_from_a_job_array(text: str, variables: dict[str, str], shard: Shard | None) -> None:
    assert chosen_shard(text, variables) == shard


@pytest.mark.parametrize(
    "text, variables, words",
    [
        pytest.param("0/4", {}, "counted from 1", id="from 0"),
        pytest.param("5/4", {}, "counted from 1", id="beyond the last"),
        pytest.param("a/4", {}, "is no shard", id="no number"),
        pytest.param("auto", {}, "no variable of a job array is set", id="no array"),
        pytest.param("auto", {"JOB_COMPLETION_INDEX": "0"}, "does not say how many", id="no total"),
        pytest.param("auto/2", {"JOB_COMPLETION_INDEX": "2"}, "counted from 1", id="beyond the given total"),
        pytest.param("auto/x", {"JOB_COMPLETION_INDEX": "2"}, "is 'x'", id="no total in figures"),
        pytest.param("auto/4", {"CI_NODE_INDEX": "1", "CI_NODE_TOTAL": "3"}, "CI_NODE_TOTAL is 3", id="two totals"),
        pytest.param(
            "auto", {"JOB_COMPLETION_INDEX": "1", "CI_NODE_INDEX": "1"}, "are both set", id="two environments"
        ),
        pytest.param(
            "auto",
            {
                "SLURM_ARRAY_TASK_ID": "3",
                "SLURM_ARRAY_TASK_COUNT": "2",
                "SLURM_ARRAY_TASK_MIN": "3",
                "SLURM_ARRAY_TASK_MAX": "7",
            },
            "may be a rest of a larger one",
            id="a rest of an array of Slurm",
        ),
    ],
)
def test_a_shard_that_is_not_certain_is_refused(text: str, variables: dict[str, str], words: str) -> None:
    with pytest.raises(InputError, match=words):
        chosen_shard(text, variables)


def test_every_case_is_in_one_shard_and_no_shard_is_much_larger_than_another() -> None:
    shards = [Shard(index, 4) for index in range(1, 5)]

    held = Counter(shard for case in range(1000) for shard in shards if shard.holds(f"case {case}"))

    assert sum(held.values()) == 1000
    assert all(200 <= held[shard] <= 300 for shard in shards)


def test_shards_of_one_configuration_name_one_run_and_others_name_another() -> None:
    first, same, other = (shared_run_id(plan(validity=validity)) for validity in ("strict", "strict", "lenient"))

    assert first == same != other
