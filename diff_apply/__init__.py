"""Algorithms that apply a SEARCH/REPLACE diff to a text: exact copies of Cline's published versions, and our `v4`."""

from diff_apply.checked import checked
from diff_apply.engine_v1 import EngineV1
from diff_apply.engine_v2 import EngineV2
from diff_apply.markers import BRACKETED, EXACT, LENGTHENED, TOLERANT
from diff_apply.places import Rules
from diff_apply.result import DiffAlgorithm
from diff_apply.stages import anchored, anchored_by_distance, exact, exact_anywhere, line_trimmed

_IN_ORDER = (exact, line_trimmed, anchored)
_BY_DISTANCE = (exact, line_trimmed, anchored_by_distance)
_ANY_ORDER = (*_IN_ORDER, exact_anywhere)
_ANY_ORDER_BY_DISTANCE = (*_BY_DISTANCE, exact_anywhere)

DIFF_ALGORITHMS: dict[str, DiffAlgorithm] = {
    "diff-06-06-25": EngineV1(EXACT, "-=+", _IN_ORDER, rebuilds=False),
    "diff-06-23-25": EngineV1(TOLERANT, "-<=+>", _ANY_ORDER, rebuilds=True),
    "diff-06-25-25": EngineV1(BRACKETED, "-<=+>", _ANY_ORDER, rebuilds=True),
    "diff-06-26-25": EngineV1(BRACKETED, "-<=+>", _ANY_ORDER_BY_DISTANCE, rebuilds=True, refuses_unmatched_end=True),
    "diff-06-06-25/v2": EngineV2(EXACT, "-=+", LENGTHENED, _IN_ORDER),
    "diff-06-23-25/v2": EngineV2(TOLERANT, "-<=+>", TOLERANT, _IN_ORDER),
    "diff-06-25-25/v2": EngineV2(BRACKETED, "-<=+>", BRACKETED, _IN_ORDER),
    "diff-06-26-25/v2": EngineV2(BRACKETED, "-<=+>", BRACKETED, _BY_DISTANCE),
    "v1": EngineV1(EXACT, "-=+", _IN_ORDER, rebuilds=False),
    "v2": EngineV2(EXACT, "-=+", LENGTHENED, _IN_ORDER),
    "v3": EngineV1(BRACKETED, "-<=+>", _ANY_ORDER, rebuilds=True, refuses_unmatched_end=True),
    "v3/v2": EngineV2(BRACKETED, "-<=+>", BRACKETED, _IN_ORDER),
    "v4": checked(Rules()),
}

DEFAULT_ALGORITHM = "v4"
# What Cline's evaluation calls these. Its V1, V2 and V3 are those of its README of 2025-06-20: V1 and V2 are the two
# engines of diff-06-06-25; V3 is the live function of the product, which had no number there.
ALIASES = {
    "constructNewFileContent": "v3",
    "constructNewFileContentV1": "v1",
    "constructNewFileContentV2": "v2",
    "constructNewFileContentV3": "v3",
}
