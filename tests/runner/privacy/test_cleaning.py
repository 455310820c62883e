"""Secrets and people are replaced in all texts, the same one by the same name; ordinary code stays as it is."""

import pytest

from runner.privacy.cleaning import Cleaner, has_private_key
from tests.planted_secrets import SECRETS

CODE = """def total(items: list[Item], token: str) -> int:
    password = get_password(user)
    secret = load("secret.txt")
    return sum(item.price for item in items if item.sku != "A-100")
"""


def cleaned(*texts: str, **environment: str) -> list[str]:
    cleaner = Cleaner(environment)
    for text in texts:
        cleaner.learn(text)
    return [cleaner.clean(text) for text in texts]


@pytest.mark.parametrize("kind", SECRETS)
@pytest.mark.parametrize(
    "words",
    [
        pytest.param("{}", id="alone"),
        pytest.param('KEY = "{}"\n', id="in code"),
        pytest.param('{{"text": "first\\n{}\\nlast"}}', id="behind an escaped line end"),
        pytest.param("is it {}?", id="in a sentence"),
    ],
)
def test_a_secret_of_each_kind_is_removed_wherever_it_stands(kind: str, words: str) -> None:
    written, secret = SECRETS[kind]

    (text,) = cleaned(words.format(written))

    assert secret not in text
    assert "REMOVED_" in text


def test_a_secret_that_one_text_shows_is_removed_from_all_by_one_name() -> None:
    shown, plain = cleaned("PASSWORD=hunter2hunter2", "it is hunter2hunter2, he wrote")

    assert shown == "PASSWORD=REMOVED_ASSIGNED_SECRET_1"
    assert plain == "it is REMOVED_ASSIGNED_SECRET_1, he wrote"


def test_ordinary_code_stays_as_it_is() -> None:
    assert cleaned(CODE) == [CODE]


def test_the_environments_own_keys_are_removed_in_any_spelling() -> None:
    (text,) = cleaned("a plain-words-key b plain%2Dwords%2Dkey c", MY_API_KEY="plain-words-key")

    assert text == "a REMOVED_OWN_KEY b REMOVED_OWN_KEY c"


def test_people_are_replaced_consistently() -> None:
    texts = cleaned(
        "/home/maria/shop and /Users/maria/x",
        "-home-maria-shop",
        "C:\\Users\\jo_b\\y",
        "maria <maria@shop.de>",
        "rosemaria",
    )

    assert texts == [
        "/home/user1/shop and /Users/user1/x",
        "-home-user1-shop",
        "C:\\Users\\user2\\y",
        "user1 <person1@example.com>",
        "rosemaria",
    ]


def test_what_was_removed_is_counted_by_kind() -> None:
    cleaner = Cleaner({})
    for text in (f"{SECRETS['github'][0]} {SECRETS['aws'][0]} /home/maria/x", SECRETS["github"][0]):
        cleaner.learn(text)

    assert cleaner.removed() == {"aws-key": 1, "github-token": 1, "home-folder": 1}


@pytest.mark.parametrize("name", ["RSA ", "EC ", "OPENSSH ", "ENCRYPTED ", "DSA ", ""])
def test_private_key_blocks_are_seen(name: str) -> None:
    assert has_private_key(["x", f"-----BEGIN {name}PRIVATE KEY-----\nMIIE"])
    assert has_private_key(["-----BEGIN PGP PRIVATE KEY BLOCK-----"])
    assert not has_private_key([f"-----BEGIN {name}PUBLIC KEY-----"])
