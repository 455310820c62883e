"""Fill-in-the-middle prompts: for each family of models the marks around prefix and suffix, and the stop texts.

The marks are those of the families' model cards. A text that contains a mark of its family is refused: the model, or
its tokenizer, would read the text's own characters as the mark.
"""

import re
from dataclasses import dataclass

_MARK = re.compile(r"<[^<>]+>|\[[A-Z]+\]")


class MarkError(ValueError):
    """The text around a hole contains one of the family's marks."""


@dataclass(frozen=True, slots=True)
class Family:
    """The prompt of a family: a template with one `{prefix}` and one `{suffix}`, and texts that end an answer."""

    template: str
    stops: tuple[str, ...]

    @property
    def marks(self) -> tuple[str, ...]:
        """The parts of the template, and the stops, that a text must not contain."""
        pieces = self.template.replace("{suffix}", "{prefix}").split("{prefix}")
        return tuple(dict.fromkeys(piece.strip() for piece in (*pieces, *self.stops) if piece.strip()))

    @property
    def tokens(self) -> tuple[str, ...]:
        """The marks of the template, each of which is one token of a model of the family."""
        return tuple(_MARK.findall(self.template))

    def render(self, prefix: str, suffix: str) -> str:
        """Return the prompt for a hole. Raises MarkError that names a mark in the text."""
        for mark in self.marks:
            if mark in prefix or mark in suffix:
                raise MarkError(f"the text around the hole holds the mark {mark!r}")
        # Neither `str.format` nor two replacements: the text itself may contain braces.
        head, _, rest = self.template.partition("{")
        first, _, rest = rest.partition("}")
        middle, _, rest = rest.partition("{")
        texts = {"prefix": prefix, "suffix": suffix}
        second, _, tail = rest.partition("}")
        return f"{head}{texts[first]}{middle}{texts[second]}{tail}"


# The full-width vertical line, which looks like the ASCII one.
_BAR = "\uff5c"

FAMILIES = {
    "codegeex4": Family(
        "<|user|>\n<|code_prefix|>{prefix}<|code_suffix|>{suffix}<|code_middle|><|assistant|>",
        ("<|endoftext|>", "<|user|>"),
    ),
    "codegemma": Family("<|fim_prefix|>{prefix}<|fim_suffix|>{suffix}<|fim_middle|>", ("<|file_separator|>", "<eos>")),
    "codellama": Family("<PRE> {prefix} <SUF>{suffix} <MID>", ("<EOT>",)),
    "codeqwen1.5": Family("<fim_prefix>{prefix}<fim_suffix>{suffix}<fim_middle>", ("<|endoftext|>",)),
    "codestral": Family("[SUFFIX]{suffix}[PREFIX]{prefix}", ("</s>",)),
    "deepseek-coder": Family(
        f"<{_BAR}fim▁begin{_BAR}>{{prefix}}<{_BAR}fim▁hole{_BAR}>{{suffix}}<{_BAR}fim▁end{_BAR}>",
        (f"<{_BAR}end▁of▁sentence{_BAR}>",),
    ),
    "qwen2.5-coder": Family(
        "<|fim_prefix|>{prefix}<|fim_suffix|>{suffix}<|fim_middle|>",
        ("<|endoftext|>", "<|fim_pad|>", "<|file_sep|>", "<|repo_name|>"),
    ),
    "starcoder2": Family("<fim_prefix>{prefix}<fim_suffix>{suffix}<fim_middle>", ("<|endoftext|>", "<file_sep>")),
}


def window(prefix: str, suffix: str, budget: int) -> tuple[str, str]:
    """Return the whole lines around the hole that fit `budget` characters: three quarters before it, one after it.

    One side may use what the other does not need. The line of the hole itself is never cut, whatever its length.
    """
    behind = min(len(suffix), budget // 4)
    before = min(len(prefix), budget - behind)
    behind = min(len(suffix), budget - before)
    return _last_lines(prefix, before), _first_lines(suffix, behind)


def _last_lines(text: str, length: int) -> str:
    if length >= len(text):
        return text
    own_line = text.rfind("\n") + 1
    start = text.find("\n", len(text) - length - 1) + 1 if length else 0
    return text[start if 0 < start <= own_line else own_line :]


def _first_lines(text: str, length: int) -> str:
    if length >= len(text):
        return text
    end = text.rfind("\n", 0, length + 1)
    own_line = text.find("\n")
    return text[: max(end, own_line)] if own_line >= 0 else text
