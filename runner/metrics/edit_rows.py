"""The form that rows about edits share: an origin, and one reference or several."""

from typing import Annotated

import msgspec

from runner.errors import InputError
from runner.jsonl import Row
from runner.structs import NOT_EMPTY, fix


class EditRow(msgspec.Struct, frozen=True, kw_only=True):
    """What is edited, and what it may be afterwards: `references` go before `reference`."""

    origin: str
    reference: str | None = None
    references: (
        Annotated[tuple[str, ...], NOT_EMPTY, fix("make it a list of strings with at least one in it")] | None
    ) = None


def references_of(row: Row, form: EditRow) -> tuple[str, ...]:
    """Return the references, at least one. Raises InputError where the row has none."""
    if form.references is not None:
        return form.references
    if form.reference is None:
        raise InputError(f"{row.where}: field 'reference' is missing; add it, or a list 'references'")
    return (form.reference,)
