"""Files and diffs with malformed markers, as careless models write them: doubled, bent, nested, missing."""

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

# Short and alike, so that lines match exactly, trimmed, by similarity, in several places or not at all.
TEXT = (
    "", " ", "a", "b", "c", " a", "a ", "\tb", "    a", "alpha beta gamma", "  alpha beta gamma", "alpha beta gamna",
    "return total", "    return total", "}", "  }", "- item", "<div>", "+1", "=", "==",
)  # fmt: skip
STARTS = ("------- SEARCH", "<<<<<<< SEARCH", "--- SEARCH", "-------- SEARCH", "------- SEARCH>")
SEPARATORS = ("=======", "===", "========")
ENDS = ("+++++++ REPLACE", ">>>>>>> REPLACE", "+++ REPLACE", "++++++++ REPLACE", "+++++++ REPLACE>")
BENT = (
    "-------SEARCH", "------ search", "-- SEARCH", "------- SEARCH:", " ------- SEARCH", "------- SEARCH ",
    "------- SEAR", "<<<<<<<", "<<<<<<< HEAD", "<<<<<< SEARCH", "-------", "======= ", " =======", "======",
    "=======x", "==", "+++++++", "+++++++REPLACE", "+++++++ REPLACED", "+++++++ REPLACE.", " +++++++ REPLACE",
    "+++++++ REPLACE ", "+++++++ REPL", "++ REPLACE", ">>>>>>>", ">>>>>>> UPDATED", ">>>>>> REPLACE", "+++++++ replace",
    "------- REPLACE", "+++++++ SEARCH", "\\ No newline at end of file", "\\ Newline at end of file", "```", "prose",
)  # fmt: skip

_text = st.sampled_from(TEXT)
_lines = st.lists(_text, max_size=6)


@st.composite
def files(draw: st.DrawFn) -> str:
    """A small file, with LF or CRLF, with or without a newline at its end."""
    lines = draw(st.lists(st.one_of(_text, _text, _text, st.sampled_from(SEPARATORS + BENT)), max_size=10))
    ending = draw(st.sampled_from(["\n", "\n", "\n", "\r\n"]))
    return ending.join(lines) + draw(st.sampled_from([ending, ending, ""]))


@st.composite
def diffs(draw: st.DrawFn, original: str) -> str:
    """Blocks whose SEARCH is often a part of the file, with some lines changed, and markers of any kind."""
    lines = list[str]()
    for _ in range(draw(st.integers(1, 3))):
        lines += [draw(_marker(STARTS)), *draw(_search(original)), draw(_marker(SEPARATORS)), *draw(_lines)]
        lines.append(draw(_marker(ENDS)))
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(lines)))
        change = draw(st.sampled_from(["insert", "insert", "delete", "double"]))
        if change == "insert":
            lines.insert(at, draw(st.sampled_from(STARTS + SEPARATORS + ENDS + BENT)))
        elif at < len(lines):
            lines[at : at + 1] = [] if change == "delete" else [lines[at]] * 2
    ending = draw(st.sampled_from(["\n", "\n", "\n", "\r\n"]))
    return ending.join(lines) + draw(st.sampled_from(["", ending]))


def _marker(right: tuple[str, ...]) -> SearchStrategy[str]:
    """The standard marker most of the time, another right one, or a bent one."""
    return st.one_of(*[st.just(right[0])] * 8, st.sampled_from(right), st.sampled_from(right), st.sampled_from(BENT))


@st.composite
def _search(draw: st.DrawFn, original: str) -> list[str]:
    rows = original.replace("\r\n", "\n").split("\n")
    start = draw(st.integers(0, len(rows)))
    search = rows[start : draw(st.integers(start, min(len(rows), start + 5)))]
    is_changed = draw(st.booleans())
    if search and is_changed:
        at = draw(st.integers(0, len(search) - 1))
        search[at] = draw(st.sampled_from([search[at].strip(), f"  {search[at]}", f"{search[at]} ", *TEXT[:6]]))
    return search


cases = files().flatmap(lambda original: st.tuples(st.just(original), diffs(original)))
"""(file, diff) pairs."""
