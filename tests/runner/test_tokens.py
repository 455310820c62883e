"""Tokens are counted offline: by an encoding that is at hand, else by size."""

import pytest

from runner.tokens import encoding_folder, token_counter


@pytest.mark.parametrize("text, count", [("", 0), ("a", 1), ("x" * 35, 10), ("é" * 35, 20), ("half \ud83d", 2)])
def test_without_an_encoding_a_token_is_three_and_a_half_bytes(text: str, count: int) -> None:
    counter = token_counter(exact=False)

    assert (counter.method, counter.count(text)) == ("bytes/3.5", count)


def test_an_encoding_that_is_at_hand_counts_exactly(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = encoding_folder()
    if folder is None:
        pytest.skip("cl100k_base is not cached on this machine")
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(folder))

    counter = token_counter(exact=True)

    assert counter.method == "cl100k_base"
    assert counter.count("hello world <|endoftext|>") > counter.count("hello world") == 2
