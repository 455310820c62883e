"""What edit tools declare for native calls: schemas that vendors take, and that need no argument they lack."""

import re

import pytest

from runner.edit_tools import EDIT_TOOLS

NAMES = [name for name in EDIT_TOOLS if not name.endswith("+")]


@pytest.mark.parametrize("name", NAMES)
def test_a_list_of_a_schema_says_what_is_in_it(name: str) -> None:
    properties = EDIT_TOOLS[name].declaration.schema["parameters"]["properties"]

    lists = {key for key, value in properties.items() if value["type"] == "array"}

    assert lists == {key for key, value in properties.items() if "items" in value}
    assert lists == {"hashline": {"edits"}, "line-range": {"ranges"}}.get(name, set())


@pytest.mark.parametrize("name", NAMES)
def test_a_tool_has_a_name_that_vendors_take_and_needs_no_argument_that_it_lacks(name: str) -> None:
    schema = EDIT_TOOLS[name].declaration.schema

    assert re.fullmatch("[a-z_]{1,64}", schema["name"])
    assert set(schema["parameters"]["required"]) <= set(schema["parameters"]["properties"])
