"""How well our rules of order agree with the labels of two passes in Go, Java, TypeScript and JavaScript.

Run: python -m tests.bench.bench_order_languages; its lines are those of the table in docs/order-labels.md.
"""

import sys

from tests.labelled_languages import LANGUAGES, LanguageFigures, figures, labelled_in


def table_row(name: str, shown: LanguageFigures) -> str:
    """A row of the table: commits, edits, pairs, agreement, kappa, then precision, recall and F1 by either pass."""
    counts = (str(shown.commits), str(shown.edits), str(shown.pairs))
    passes = [result for each in (shown.first, shown.second) for result in (each.precision, each.recall, each.f1)]
    shares = (f"{share:.3f}".removeprefix("0") for share in (shown.agreed, shown.kappa, *passes))
    return f"| {name} | {' | '.join((*counts, *shares))} |"


def main() -> None:
    """Print the rows."""
    for language, name in LANGUAGES.items():
        sys.stdout.write(table_row(name, figures(labelled_in(language))) + "\n")


if __name__ == "__main__":
    main()
