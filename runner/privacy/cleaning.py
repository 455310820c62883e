"""Replaces secrets and people in texts: the same one by the same name, in all texts of an import."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from runner.privacy.detected import detected
from runner.privacy.people import account_names, mail_addresses, named_in_paths
from runner.privacy.secret_forms import FORMS, PRIVATE_KEY
from suts.redaction import REDACTED, redactor_of

_SECRET_NAME = re.compile(r"(?i)key|token|secret|passw|credential|auth")
_SHORTEST = 8
# Longer lines are packed or generated texts, of which only the forms of secrets are searched.
_LONGEST_LINE = 4000


class Cleaner:
    """Learns from texts what is to be replaced, and replaces it."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        """Begin with the values of the environment's own keys and the name of its user."""
        own = {value for name, value in environment.items() if _SECRET_NAME.search(name) and _is_value(value)}
        self._own = redactor_of(*sorted(own))
        self._secrets: dict[str, str] = {}
        self._numbers = Counter[str]()
        self._seen = set[str]()
        self._accounts: dict[str, tuple[re.Pattern[str], str]] = {}
        self._mails: dict[str, str] = {}
        self._found_own = set[str]()
        for name in ("USER", "LOGNAME", "USERNAME"):
            if environment.get(name, "root") != "root":
                self._learn_account(environment[name])

    def removed(self) -> dict[str, int]:
        """Return how many different secrets and people of each kind were found."""
        people = {"home-folder": len(self._accounts), "mail-address": len(self._mails)}
        kinds = {**self._numbers, **people, "own-key": len(self._found_own)}
        return {kind: count for kind, count in sorted(kinds.items()) if count}

    def learn(self, text: str) -> None:
        """Note the secrets and the people of a text. Each line is searched once."""
        for line in text.split("\n"):
            if line in self._seen:
                continue
            self._seen.add(line)
            for kind, secret in _secrets_of(line):
                self._learn_secret(kind, secret)
            for name in account_names(line):
                self._learn_account(name)
            for address in mail_addresses(line):
                self._mails.setdefault(address, f"person{len(self._mails) + 1}@example.com")

    def clean(self, text: str) -> str:
        """Return a text with a name in place of each secret and person that was learned."""
        self._found_own.update(text[span.start : span.end] for span in self._own.spans(text))
        text = self._own.text(text).replace(REDACTED, "REMOVED_OWN_KEY")
        for secret in sorted(self._secrets, key=len, reverse=True):
            text = text.replace(secret, self._secrets[secret])
        for address, instead in self._mails.items():
            text = text.replace(address, instead)
        for pattern, instead in self._accounts.values():
            text = pattern.sub(rf"\g<1>{instead}", text)
        return text

    def clean_values(self, value: Any) -> Any:  # noqa: ANN401 - JSON
        """Return JSON values with all of their texts clean; the names of their fields stay."""
        if isinstance(value, str):
            return self.clean(value)
        if isinstance(value, list):
            return [self.clean_values(item) for item in value]
        return {name: self.clean_values(item) for name, item in value.items()} if isinstance(value, dict) else value

    def _learn_secret(self, kind: str, secret: str) -> None:
        if secret not in self._secrets and not secret.startswith("REMOVED_"):
            self._numbers[kind] += 1
            self._secrets[secret] = f"REMOVED_{kind.upper().replace('-', '_')}_{self._numbers[kind]}"

    def _learn_account(self, name: str) -> None:
        if name not in self._accounts:
            self._accounts[name] = (named_in_paths(name), f"user{len(self._accounts) + 1}")


def has_private_key(texts: Iterable[str]) -> bool:
    """Return whether a text has the beginning of a private key."""
    return any(PRIVATE_KEY.search(text) for text in texts)


def texts_of(value: object) -> Iterator[str]:
    """Yield all texts of JSON values."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from texts_of(item)
    elif isinstance(value, dict):
        yield from texts_of(list(value.values()))


def _secrets_of(line: str) -> Iterator[tuple[str, str]]:
    for form in FORMS:
        for match in form.pattern.finditer(line):
            yield form.kind, match[1]
    if len(line) <= _LONGEST_LINE:
        yield from detected(line)


def _is_value(value: str) -> bool:
    """Whether a variable's value can be a key: a path or a word such as `true` is none."""
    return len(value) >= _SHORTEST and "/" not in value[:2] and not value.isalpha()
