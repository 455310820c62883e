"""Next edits by rules, without a model: what the last edits did, done wherever it fits."""

from runner.suites.nextedit.systems.rules.editor import CLONES, RULES, Rules

__all__ = ["CLONES", "RULES", "Rules"]
