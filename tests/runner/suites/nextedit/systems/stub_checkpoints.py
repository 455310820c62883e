"""Checkpoints of TRACE for tests: folders that load themselves and answer by rules that can be seen here."""

import textwrap
from pathlib import Path

# Agrees with every gate.
INVOKER = """
    def load(folder, device):
        return lambda texts: [[0.9, 0.1, 0.1, 0.1] if text.startswith("<rename>") else
                              [0.1, 0.1, 0.9, 0.1] if text.startswith("<def&ref>") else [0.1, 0.1, 0.1, 0.9]
                              for text in texts]
"""
# Replaces every line with "old" in it, and inserts below every line that ends in "HERE".
LOCATOR = """
    import re

    def load(folder, device):
        print("loading on", device)
        return lambda texts: [labels(text.partition("<prompt>")[0]) for text in texts]

    def labels(text):
        marks = [{"null": 0.99, "insert": 0.01}]
        for line in re.findall(r"<mask>(.*?)<inter-mask>", text, re.DOTALL):
            marks.append({"keep": 0.2, "replace": 0.8} if "old" in line else {"keep": 1.0})
            marks.append({"null": 0.05, "insert": 0.95} if line.endswith("HERE\\n") else {"null": 1.0})
        return marks
"""
# Says "new" for "old" in the lines to be replaced, and "added" where something is to be inserted.
GENERATOR = """
    import re

    def load(folder, device):
        return lambda texts: [written(text.partition("</code_window>")[0]) for text in texts]

    def written(text):
        lines = re.findall(r"<replace>(.*?)<(?:null|insert|block-split)>", text, re.DOTALL)
        return "".join(lines).replace("old", "new") if lines else "added"
"""


def write_stubs(folder: Path, **sources: str) -> Path:
    """Write the three into folders of their names; `sources` take the place of those above."""
    for name, source in {"invoker": INVOKER, "locator": LOCATOR, "generator": GENERATOR, **sources}.items():
        (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / name / "checkpoint.py").write_text(textwrap.dedent(source))
    return folder
