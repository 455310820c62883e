"""Truths that a client states to the running server: the right answers of cases that it will ask about.

The body of `POST /_sim/truths` is an object: by the name that `x-evals-case` will give, the fields of each truth, which
are `path`, `before`, and `blocks`, pairs of a text of the file and the text in its place. `case_id` names the case by
which a model draws what it does, where that is another name.
"""

from collections.abc import Mapping

import orjson

from suts.simulated.tool_choice import is_object
from suts.sut import Truth


def stated_truths(body: bytes) -> Mapping[str, Truth]:
    """Return the truths of a body by name. Raises ValueError with one line."""
    try:
        values: object = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise ValueError(f"the body is not JSON: {error}") from error
    if not is_object(values):
        raise ValueError("the body is no JSON object")
    return {name: _truth(name, fields) for name, fields in values.items()}


def truth_fields(truth: Truth) -> Mapping[str, object]:
    """Return the fields of a truth as `stated_truths` reads them."""
    return {"path": truth.path, "before": truth.before, "blocks": [list(block) for block in truth.blocks]}


def _truth(name: str, fields: object) -> Truth:
    match fields:
        case {"path": str() as path, "before": str() as before, "blocks": list() as blocks}:
            edits = tuple(_block(name, block) for block in blocks)
            return Truth(_case_id(name, fields), number=1, path=path, before=before, blocks=edits)
        case _:
            raise ValueError(f"{name}: path and before have to be strings, blocks an array")


def _case_id(name: str, fields: object) -> str:
    match fields:
        case {"case_id": str() as case_id}:
            return case_id
        case _:
            return name


def _block(name: str, block: object) -> tuple[str, str]:
    match block:
        case [str() as search, str() as new]:
            return search, new
        case _:
            raise ValueError(f"{name}: each of blocks has to be an array of two strings")
