"""The form of a bundle: a zip file of JSON lines and raw streams, described in docs/bundles.md."""

from typing import Annotated, Literal

import msgspec

from runner.input_files import MEGABYTE, LineLimits
from runner.structs import NOT_EMPTY, fix

FORMAT: Literal["evals-bundle"] = "evals-bundle"
VERSION = 1
MANIFEST = "manifest.json"
# The comment at the end of the zip file: SHA-256 of all bytes before it, in hexadecimal digits.
DIGEST_LENGTH = 64
# A run that asked is in the folder `asked`; one that scored its answers again, beside it in `replay`.
ASKED, REPLAY = "asked", "replay"
RUN, REPORT = "run.json", "report.json"
TEXTS, STREAMS, STREAM_BYTES = "texts.jsonl", "streams.jsonl", "streams.bin"
# The tables of a part in the order in which they are written and read: what refers stands after what it refers to.
TABLES = ("variants", "cases", "lanes", "answers", "calls", "scorings", "sessions", "overflows")
MEMBERS = (RUN, TEXTS, *(f"{table}.jsonl" for table in TABLES), STREAMS, STREAM_BYTES, REPORT)

# A member is no larger than a zip file can say without extensions, unpacked or packed.
LARGEST_MEMBER = 2047 * MEGABYTE
LARGEST_MANIFEST = MEGABYTE
# A text of an answer takes 32 MB at most, and up to six characters for each byte as JSON.
LINES = LineLimits(line=256 * MEGABYTE, total=LARGEST_MEMBER)
# Text packs to a tenth, equal simulated answers to a hundredth; zeros to a thousandth.
MOST_RATIO = 400
# What is unpacked in any case.
HARMLESS = 64 * MEGABYTE

Redaction = Literal["cases", "streams", "answers"]
REDACTIONS: tuple[Redaction, ...] = ("cases", "streams", "answers")
# What stands in place of a folder, a file or a program of the machine that made a run.
LEFT_OUT = "(left out)"


class MemberFacts(msgspec.Struct, frozen=True):
    """What the manifest says of a member: SHA-256 in hexadecimal digits, and its size in bytes, both unpacked."""

    sha256: str
    bytes: Annotated[int, msgspec.Meta(ge=0)]


class Manifest(msgspec.Struct, frozen=True):
    """What a bundle holds: the runs by folder, what was left out, and the digest of each member."""

    format: Literal["evals-bundle"]
    version: Annotated[int, fix("give a bundle that this version of evals can read")]
    evals: str
    suite: str
    runs: dict[str, Annotated[str, NOT_EMPTY]]
    redacted: tuple[Redaction, ...]
    members: dict[str, MemberFacts]


def member_names(runs: dict[str, str]) -> list[str]:
    """Return the members of the runs' parts, in their order."""
    return [f"{part}/{name}" for part in (ASKED, REPLAY) if part in runs for name in MEMBERS]
