"""`evals serve-sim` takes its key from a variable: what is an argument shows in every list of processes."""

import pytest

from runner.cli.serve_sim import _key_in
from runner.errors import InputError


def test_the_key_is_what_the_variable_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERVED_KEY", "right")

    assert _key_in("SERVED_KEY") == "right"
    assert _key_in("") == ""


@pytest.mark.parametrize("value", [None, ""])
def test_a_variable_without_a_key_is_refused(value: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SERVED_KEY", raising=False)
    if value is not None:
        monkeypatch.setenv("SERVED_KEY", value)

    with pytest.raises(InputError, match="--key-env SERVED_KEY: no such variable, or an empty one"):
        _key_in("SERVED_KEY")
