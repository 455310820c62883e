"""The version of the measure: which edits are allowed, what counts as an answer, and what as a prediction.

Figures of two versions are not comparable. A change of the measure takes a new version and a line here:

- 1: where no edit depended on those made, nothing was allowed; answers were asked for again until one was of a file
  that the commit touches.
- 2: where no edit depends on those made, all that remain are allowed; every answer counts.
"""

from collections.abc import Mapping
from typing import Any

from runner.errors import InputError

MEASURE = 2


def refuse_former(run_id: str, identity: Mapping[str, Any]) -> None:
    """Raise InputError for a run that was measured by another version: its steps cannot be judged again."""
    version = identity.get("measure", 1)
    if version != MEASURE:
        raise InputError(
            f"run {run_id}: was measured by version {version} of the measure, and this program replays by version"
            f" {MEASURE}; its scores are on record, for others ask its systems again in a new run"
        )
