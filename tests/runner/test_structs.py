"""A value fits its form, or every wrong field is named with its path, its problem and its fix."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any, Literal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.structs import NOT_EMPTY, WHOLE, WrongField, converted, fitted, fix
from tests.any_json import ANY_JSON


class Colour(StrEnum):
    """Allowed words."""

    RED = "red"


@dataclass(frozen=True, slots=True)
class Place:
    """A dataclass whose fields are those of the file."""

    path: str
    line: int = 1


class Form(msgspec.Struct, frozen=True, kw_only=True):
    """Every kind of field that forms have."""

    name: Annotated[str, NOT_EMPTY, fix("name it")]
    role: Literal["user", "assistant"] = "user"
    size: Annotated[float, WHOLE, fix("give pixels")] | None = None
    count: Annotated[int, msgspec.Meta(ge=-5, le=2**63 - 1)] = 0
    flag: bool = False
    texts: str | Annotated[tuple[str, ...], NOT_EMPTY] | None = None
    places: Annotated[tuple[Place, ...], fix("list places")] = ()
    colours: dict[str, Colour] = {}
    images: tuple[Annotated[str, NOT_EMPTY, fix("write a URL")], ...] | None = None


def wrong(**changes: object) -> list[str]:
    found = fitted({"name": "x"} | changes, Form)
    assert isinstance(found, tuple)
    return [f"{each.path}: {each.problem}; {each.fix}" for each in found]


def test_a_value_that_fits_is_a_struct_with_its_dataclasses() -> None:
    found = fitted({"name": "x", "size": 900.0, "texts": ["a"], "places": [{"path": "p", "more": 1}]}, Form)

    assert found == Form(name="x", size=900.0, texts=("a",), places=(Place("p"),))


@pytest.mark.parametrize(
    "changes, line",
    [
        pytest.param({"name": 7}, "name: is a number; name it", id="another-type"),
        pytest.param({"name": None}, "name: is null; name it", id="null"),
        pytest.param({"name": ""}, "name: is empty; name it", id="empty"),
        pytest.param({"role": "system"}, "role: is 'system'; make it one of 'user', 'assistant'", id="another-word"),
        pytest.param({"size": 1.5}, "size: is 1.5; give pixels", id="a-fraction"),
        pytest.param({"size": True}, "size: is true or false; give pixels", id="a-flag-is-no-number"),
        pytest.param({"count": "1"}, "count: is a string; make it a whole number", id="no-number"),
        pytest.param({"count": 10**400}, f"count: is 1{'0' * 36}...; make it a whole number", id="a-long-number"),
        pytest.param({"flag": 1}, "flag: is a number; make it true or false", id="a-number-is-no-flag"),
        pytest.param({"texts": []}, "texts: is empty; make it a string or an array or null", id="no-item"),
        pytest.param(
            {"texts": ["a", {}]}, "texts[1]: is an object; make it a string", id="an-item-of-one-of-several-types"
        ),
        pytest.param({"places": {}}, "places: is an object; list places", id="no-array"),
        pytest.param({"places": [3]}, "places[0]: is a number; list places", id="an-item"),
        pytest.param({"places": [{}]}, "places[0].path: is missing; add it, a string", id="missing-in-an-item"),
        pytest.param({"colours": {"a": "blue"}}, "colours['a']: is 'blue'; make it one of 'red'", id="a-key"),
        pytest.param({"colours": {"a": "\ud800"}}, r"colours['a']: is '\ud800'; make it one of 'red'", id="half-word"),
        pytest.param({"images": ["a", ""]}, "images[1]: is empty; write a URL", id="an-item-with-its-own-fix"),
    ],
)
def test_a_wrong_field_is_named_with_path_problem_and_fix(changes: dict[str, object], line: str) -> None:
    assert wrong(**changes) == [line]


def test_all_wrong_fields_are_found_at_once_in_the_order_of_the_form() -> None:
    found = wrong(places=[{"path": 1, "line": "x"}, 2], role=3, name=None)

    assert [line.partition(":")[0] for line in found] == [
        "name",
        "role",
        "places[0].path",
        "places[0].line",
        "places[1]",
    ]


def test_what_is_no_object_is_wrong_as_a_whole() -> None:
    assert fitted([], Form) == (WrongField("", "is an array", "make it an object"),)


def test_half_a_character_in_a_fields_name_is_wrong_as_a_whole() -> None:
    assert wrong(**{"\ud800": 1}) == [": has half a character in the name of a field; make it an object"]


def test_the_first_wrong_field_is_raised_as_the_callers_error() -> None:
    with pytest.raises(LookupError, match="name"):
        converted({"role": 1}, Form, lambda field: LookupError(field.path))


@given(st.dictionaries(st.sampled_from(Form.__struct_fields__), ANY_JSON))
def test_any_json_gives_a_value_or_wrong_fields_on_one_line_each(values: dict[str, Any]) -> None:
    found = fitted(values, Form)

    if not isinstance(found, Form):
        assert found
        assert all("\n" not in f"{field.path}{field.problem}{field.fix}" for field in found)
        # Without the fields that are wrong, nothing is.
        names = {field.path.partition(".")[0].partition("[")[0] for field in found}
        good = {name: value for name, value in values.items() if name not in names} | {"name": "x"}
        assert isinstance(fitted(good, Form), Form)
