"""The forms of secrets that are known by how they begin or by what stands before them; group 1 is the secret."""

import re
from dataclasses import dataclass

# Where a token may begin: not within a word, but behind an escaped line end.
_LEFT = r"(?:(?<![A-Za-z0-9_])|(?<=\\[nrt]))"


@dataclass(frozen=True, slots=True)
class SecretForm:
    """A kind of secrets and the pattern that finds them."""

    kind: str
    pattern: re.Pattern[str]


def _token(kind: str, pattern: str) -> SecretForm:
    return SecretForm(kind, re.compile(f"{_LEFT}({pattern})"))


def _behind(kind: str, before: str, pattern: str) -> SecretForm:
    return SecretForm(kind, re.compile(f"{before}({pattern})"))


FORMS: tuple[SecretForm, ...] = (
    _token("age-key", r"AGE-SECRET-KEY-1[0-9A-Z]{20,}"),
    _token("anthropic-key", r"sk-ant-[A-Za-z0-9_-]{16,}"),
    _token("openrouter-key", r"sk-or-[A-Za-z0-9_-]{16,}"),
    _token("openai-key", r"sk-(?!ant-|or-)[A-Za-z0-9_-]{20,}"),
    _token("aws-key", r"(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}"),
    _token("databricks-token", r"dapi[0-9a-f]{32}"),
    _token("digitalocean-token", r"do[opr]_v1_[0-9a-f]{32,}"),
    _token("docker-token", r"dckr_pat_[A-Za-z0-9_-]{16,}"),
    _token("github-token", r"(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})"),
    _token("gitlab-token", r"gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|soat)-[A-Za-z0-9_.-]{16,}"),
    _token("google-key", r"(?:AIza[A-Za-z0-9_-]{30,}|ya29\.[A-Za-z0-9_-]{16,}|GOCSPX-[A-Za-z0-9_-]{16,})"),
    _token("groq-key", r"gsk_[A-Za-z0-9]{20,}"),
    _token("huggingface-token", r"hf_[A-Za-z0-9]{20,}"),
    _token("json-web-token", r"eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?"),
    _token("linear-key", r"lin_(?:api|oauth)_[A-Za-z0-9]{16,}"),
    _token("npm-token", r"npm_[A-Za-z0-9]{20,}"),
    _token("notion-token", r"(?:ntn_|secret_)[A-Za-z0-9]{30,}"),
    _token("perplexity-key", r"pplx-[A-Za-z0-9]{20,}"),
    _token("postman-key", r"PMAK-[A-Za-z0-9-]{20,}"),
    _token("pypi-token", r"pypi-[A-Za-z0-9_-]{16,}"),
    _token("replicate-token", r"r8_[A-Za-z0-9]{20,}"),
    _token("sendgrid-key", r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"),
    _token("shopify-token", r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{20,}"),
    _token("slack-token", r"(?:xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-[A-Za-z0-9-]{10,})"),
    _token("slack-webhook", r"https://hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/_-]{16,}"),
    _token("stripe-key", r"(?:[srp]k_(?:live|test)|whsec)_[A-Za-z0-9]{16,}"),
    _token("supabase-token", r"sb(?:p|_secret)_[A-Za-z0-9_]{16,}"),
    _token("telegram-token", r"[0-9]{8,10}:AA[A-Za-z0-9_-]{30,}"),
    _token("twilio-key", r"(?:SK|AC)[0-9a-f]{32}"),
    _token("vault-token", r"hv[sbr]\.[A-Za-z0-9_-]{20,}"),
    _token("xai-key", r"xai-[A-Za-z0-9]{20,}"),
    _behind("azure-key", r"(?i:(?:Account|SharedAccess)Key)=", r"[A-Za-z0-9+/]{40,}={0,2}"),
    _behind("authorization", r"(?i:bearer|basic)\s+", r"[A-Za-z0-9+/_.~=-]{16,}"),
    _behind("password-in-url", r"[a-z][a-z0-9+.-]*://[^\s:/@'\"]*:", r"[^\s:/@'\"{}$<>]{3,}(?=@)"),
    _behind(
        "assigned-secret",
        r"(?i:password|passwd|secret|token|api_?key|access_?key|private_?key|credentials?)['\"]?\s*[=:]\s*['\"]?",
        # Words of a program, such as a name or a call, are no secret: there is a digit in it.
        r"(?=[^\s'\"]*[0-9])[A-Za-z0-9+/_.~!@#%^&*=-]{8,}",
    ),
)

PRIVATE_KEY = re.compile(r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-\d")
