"""Any JSON value, for tests that put it where a field expects something else."""

from typing import Any

from hypothesis import strategies as st

# Also what only some parsers take: half of a surrogate pair, NaN, whole numbers of any length.
_TEXTS = st.text(st.characters(codec=None), max_size=8)

ANY_JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | _TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXTS, inner, max_size=3),
    max_leaves=6,
)
