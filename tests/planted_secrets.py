"""Invented secrets of each kind: how each is written in a text, and the part that must be gone afterwards.

They are put together here, so that no file of this project looks as if it held one.
"""

import random
import string

_DRAW = random.Random("secrets of nobody")


def _any(count: int, signs: str = string.ascii_letters + string.digits) -> str:
    # A digit in each: a secret of letters alone could be a word.
    return "".join(_DRAW.choice(signs) for _ in range(count - 1)) + "7"


def _hex(count: int) -> str:
    return _any(count, "0123456789abcdef")


def _behind(prefix: str, secret: str) -> tuple[str, str]:
    return f"{prefix}{secret}", secret


def _in_url(secret: str) -> tuple[str, str]:
    return f"postgres://shop:{secret}@db.local/shop", secret


SECRETS: dict[str, tuple[str, str]] = {
    "anthropic": _behind("sk-" + "ant-api03-", _any(40)),
    "openai": _behind("sk-" + "proj-", _any(40)),
    "openrouter": _behind("sk-" + "or-v1-", _hex(64)),
    "aws": _behind("AK" + "IA", _any(16, string.ascii_uppercase + string.digits)),
    "github": _behind("gh" + "p_", _any(36)),
    "github fine": _behind("github" + "_pat_", _any(40)),
    "gitlab": _behind("gl" + "pat-", _any(20)),
    "google": _behind("AI" + "za", _any(35)),
    "slack": _behind("xo" + "xb-", _any(24)),
    "slack webhook": _behind("https://hooks.slack.com/" + "services/", f"T{_any(8)}/B{_any(8)}/{_any(24)}"),
    "stripe": _behind("sk" + "_live_", _any(24)),
    "npm": _behind("np" + "m_", _any(36)),
    "pypi": _behind("py" + "pi-", _any(60)),
    "huggingface": _behind("h" + "f_", _any(34)),
    "sendgrid": _behind("S" + "G.", f"{_any(22)}.{_any(43)}"),
    "twilio": _behind("S" + "K", _hex(32)),
    "telegram": _behind("123456789" + ":A", "A" + _any(33)),
    "json web token": _behind("ey" + "J", f"{_any(20)}.eyJ{_any(30)}.{_any(43)}"),
    "password in a url": _in_url(_any(14)),
    "azure": _behind("AccountKey" + "=", _any(86) + "=="),
    "bearer": _behind("Authorization: Bearer ", _any(30)),
    "assigned password": _behind("DB_PASSWORD=", _any(16)),
    "digitalocean": _behind("do" + "p_v1_", _hex(64)),
    "databricks": _behind("da" + "pi", _hex(32)),
    "vault": _behind("hv" + "s.", _any(24)),
}
