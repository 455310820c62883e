"""What the three checkpoints read, in the marks that they were trained with."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from runner.suites.nextedit.commits import Edit
from runner.suites.nextedit.context.ranking import Bm25
from runner.suites.nextedit.editor import EditorSession, Made
from runner.suites.nextedit.systems.trace.blocks import ChangeBlock, blocks_of
from runner.suites.nextedit.systems.trace.gate import Service
from runner.syntax import language_of

KEEP, REPLACE, DELETE = "keep", "replace", "delete"
NULL, INSERT, SPLIT = "null", "insert", "block-split"
_PREVIOUS, _PRIOR = 2, 3
_WORD = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class LabelledLines:
    """Lines with a label for each and for each gap between, before and after them: one gap more than lines."""

    lines: tuple[str, ...]
    line_labels: tuple[str, ...]
    gap_labels: tuple[str, ...]


def invoker_texts(service: Service, past_edits: Sequence[Made]) -> list[str]:
    """What the invoker reads: the last edit, block by block unless it is a clone, after it the two before."""
    last = past_edits[-1].edit
    blocks = [block for block in blocks_of(last.before, last.after, language_of(last.path)) if block.modified]
    if service is Service.CLONE:
        blocks = [ChangeBlock(last.before, last.after)]
    earlier = "".join(
        f"<previous_edit>{_sides(past_edit.edit.before, past_edit.edit.after)}</previous_edit>"
        for past_edit in reversed(past_edits[-1 - _PREVIOUS : -1])
    )
    return [f"<{service}><latest_edit>{_sides(block.before, block.after)}</latest_edit>{earlier}" for block in blocks]


def _sides(before: Sequence[str], after: Sequence[str]) -> str:
    return f"<before>{''.join(before)}</before><after>{''.join(after)}</after>"


def locator_text(lines: Sequence[str], session: EditorSession) -> str:
    """What the locator reads: a mask for each line and each gap, the task, and the likest edits made."""
    masked = "".join(f"<mask>{line}<inter-mask>" for line in lines)
    return f"<code_window><inter-mask>{masked}<prompt>{session.message or ''}</prompt>{_prior(lines, session)}"


def generator_text(window: LabelledLines, service: Service, session: EditorSession) -> str:
    """What the generator reads: the service, the lines with their labels, the task, and the likest edits made."""
    text = f"<feedback>{service}</feedback><code_window><{window.gap_labels[0]}>"
    for line, label, gap in zip(window.lines, window.line_labels, window.gap_labels[1:], strict=True):
        text += f"<{label}>{line}<{gap}>"
    return f"{text}</code_window><prompt>{session.message or ''}</prompt>{_prior(window.lines, session)}"


def _prior(lines: Sequence[str], session: EditorSession) -> str:
    chosen = likest("".join(lines), session.past_edits)
    return f"<prior_edits>{''.join(prior_edit(past_edit.edit) for past_edit in chosen)}</prior_edits>"


def prior_edit(edit: Edit) -> str:
    """An edit that was made, with up to three unchanged lines on either side."""
    head = "".join(f"<null><keep>{line.rstrip(chr(10))}" for line in edit.prefix)
    tail = "".join(f"<keep>{line.rstrip(chr(10))}<null>" for line in edit.suffix)
    text, gap = "", ""
    for block in blocks_of(edit.before, edit.after, language_of(edit.path)):
        if not block.before:
            text, gap = f"{text}<insert>{''.join(block.after)}</insert>", "inserted"
            continue
        label = REPLACE if block.after else DELETE
        first = {"": f"<{NULL}>", "inserted": "", "split": f"<{SPLIT if block.after else NULL}>"}[gap]
        text += first + f"<{NULL}>".join(f"<{label}>{line}" for line in block.before)
        text += f"<replace-by>{''.join(block.after)}</replace-by>" if block.after else ""
        gap = "split" if block.after else ""
    between = "" if gap == "inserted" else f"<{NULL}>"
    return f"<edit>{head}{text}{between}{tail}</edit>"


def likest(text: str, past_edits: Sequence[Made]) -> list[Made]:
    """The three edits that have most to do with a text, by Okapi's BM25 over the tokens of both sides."""
    documents = tuple("".join((*past_edit.edit.before, *past_edit.edit.after)) for past_edit in past_edits)
    scores = _index_of(documents).scores(dict.fromkeys(_WORD.findall(text))).tolist()
    ranked = sorted(range(len(past_edits)), key=lambda at: (-scores[at], -at))
    return [past_edits[at] for at in ranked[:_PRIOR]]


# Every window of a question is compared with the same edits.
@lru_cache(maxsize=4)
def _index_of(documents: tuple[str, ...]) -> Bm25:
    return Bm25([_WORD.findall(document) for document in documents])
