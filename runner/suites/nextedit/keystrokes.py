"""How many keystrokes an edit takes by hand."""

# Texts with more pairs of characters than this are not aligned: the first is taken out whole, the second typed.
_MOST_PAIRS = 40_000_000


def keystrokes(before: str, after: str) -> int:
    """The keystrokes that turn one text into the other by hand.

    One for each character typed and one for each run of characters taken out, along a shortest sequence of insertions
    and deletions of characters (the indel distance). Equal texts take none. What is saved of them is what Trnka and
    McCoy call keystroke savings (Evaluating Word Prediction: Framing Keystroke Savings, ACL 2008).
    """
    from rapidfuzz.distance import Indel

    head = _common(before, after)
    before, after = before[head:], after[head:]
    tail = _common(before[::-1], after[::-1])
    before, after = before[: len(before) - tail], after[: len(after) - tail]
    if len(before) * len(after) > _MOST_PAIRS:
        return len(after) + 1
    operations = Indel.opcodes(before, after)
    typed = sum(operation.dest_end - operation.dest_start for operation in operations if operation.tag == "insert")
    return typed + sum(operation.tag == "delete" for operation in operations)


def _common(left: str, right: str) -> int:
    """How many characters at the beginning are equal."""
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if left[:middle] == right[:middle] else (low, middle - 1)
    return low
