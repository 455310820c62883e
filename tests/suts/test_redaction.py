"""What counts as a key that came back, in whatever spelling."""

import base64
import html
import json
import urllib.parse
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suts.redaction import MIN_LENGTH, REDACTED, Redactor, redactor_of, too_short
from tests.keys import KEYS

SPELLINGS: dict[str, Callable[[str], str]] = {
    "plain": lambda key: key,
    "json": lambda key: json.dumps(key)[1:-1],
    "json-unicode": lambda key: json.dumps(key, ensure_ascii=False)[1:-1],
    "json-slashes": lambda key: json.dumps(key)[1:-1].replace("/", "\\/"),
    "json-twice": lambda key: json.dumps(json.dumps(key))[1:-1],
    "json-all": lambda key: "".join(f"\\u{unit:04x}" for unit in utf16(key)),
    "json-all-upper": lambda key: "".join(f"\\u{unit:04X}" for unit in utf16(key)),
    "json-first": lambda key: f"\\u{ord(key[0]):04x}{json.dumps(key[1:])[1:-1]}",
    "python": lambda key: repr(key)[1:-1],
    "percent": lambda key: urllib.parse.quote(key, safe=""),
    "percent-lower": lambda key: "".join(f"%{byte:02x}" for byte in key.encode()),
    "percent-twice": lambda key: urllib.parse.quote(urllib.parse.quote(key, safe=""), safe=""),
    "form": urllib.parse.quote_plus,
    "html": html.escape,
    "basic-0": lambda key: base64.b64encode(key.encode()).decode(),
    "basic-1": lambda key: base64.b64encode(b"u" + key.encode() + b"!").decode(),
    "basic-2": lambda key: base64.b64encode(b"u:" + key.encode()).decode(),
    "url-safe": lambda key: base64.urlsafe_b64encode(b"u:" + key.encode()).decode(),
}
every_key = pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)


def utf16(text: str) -> list[int]:
    data = text.encode("utf-16-be")
    return [int.from_bytes(data[start : start + 2]) for start in range(0, len(data), 2)]


@every_key
def test_a_key_is_found_and_removed_in_every_spelling(key: str) -> None:
    redactor = redactor_of(key)

    for spelling, spell in SPELLINGS.items():
        spelled = spell(key)
        clean = redactor.text(f"before {spelled} after")

        assert redactor.finds(f"before {spelled} after"), spelling
        assert clean.startswith("before "), spelling
        assert clean.endswith(" after"), spelling
        assert REDACTED in clean, spelling
        # Of Base64 the digits at the ends stay, which hold other bytes too.
        assert len(clean) <= len(f"before {REDACTED} after") + 10, spelling
        assert not redactor.finds(clean), spelling


@every_key
def test_a_text_without_the_key_stays_as_it_is(key: str) -> None:
    redactor = redactor_of(key)
    text = f"{key[:-1]} {key[1:]}? 100% \\u00e9 %2F \\/"

    assert not redactor.finds(text)
    assert redactor.text(text) == text


@given(key=st.text(st.characters(min_codepoint=33, max_codepoint=0x2FFF, exclude_categories=["Cs", "Zs"]), min_size=8))
def test_any_key_is_removed_from_json_and_addresses(key: str) -> None:
    redactor = redactor_of(key)

    for spelled in (key, json.dumps(key), urllib.parse.quote(key)):
        assert key in REDACTED or not redactor.finds(redactor.text(spelled))
        assert key in REDACTED or redactor.finds(spelled)


def test_the_longest_of_several_keys_is_removed_whole() -> None:
    redactor = Redactor(["12345678", "1234567890"])

    assert redactor.text("a 1234567890 b 12345678 c") == f"a {REDACTED} b {REDACTED} c"


@pytest.mark.parametrize("key", ["", "x", "1234567"])
def test_a_short_key_is_not_removed(key: str) -> None:
    assert len(key) < MIN_LENGTH
    assert redactor_of(key).text(f"x {key} y") == f"x {key} y"
    assert not redactor_of(key).finds(f"x {key} y")


def test_a_system_with_a_short_key_is_known() -> None:
    class System:
        def __init__(self, *secrets: str) -> None:
            self.secrets = secrets

    assert [too_short(System(*keys)) for keys in ((), ("",), ("x",), ("12345678",), ("12345678", "x"))] == [
        False, False, True, False, True,
    ]  # fmt: skip


def test_a_redactor_shows_no_key() -> None:
    assert KEYS["plain"] not in repr(redactor_of(KEYS["plain"]))


@every_key
def test_a_key_is_suspected_wherever_it_stands_in_a_long_text(key: str) -> None:
    redactor = redactor_of(key)

    for spelling, spell in SPELLINGS.items():
        spelled = spell(key)
        for before in range(2**16 - len(spelled) - 2, 2**16 + 2, max(len(spelled) // 2, 1)):
            text = "x" * before + " " + spelled + " " + "x" * 1_000

            assert any(redactor.suspicions(text)), (spelling, before)
            assert redactor.finds(text), (spelling, before)
