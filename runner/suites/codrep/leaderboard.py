"""The published scores of the 2018 competition on Dataset5, to stand beside ours."""

from dataclasses import dataclass

from runner.suites.codrep.ranker.model import Card


@dataclass(frozen=True, slots=True)
class PublishedScore:
    """A score on Dataset5 (18,366 tasks, unchanged since its release): who, when, how it was made and measured."""

    team: str
    loss: float
    dated: str
    approach: str
    measured: str = "published: run by the organisers on the hidden set"


PUBLISHED: tuple[PublishedScore, ...] = (
    PublishedScore(
        "Wisconsin-Madison and Microsoft, open track",
        0.07180536507565463,
        "2018-11",
        "text similarities, LambdaMART, check that the patched file parses",
        "published: by its authors, after Dataset5 was public",
    ),
    PublishedScore(
        "Inria",
        0.0722766571799,
        "2018-10",
        "hard rules on tokens, then Dice over character trigrams; hors concours, as an organiser's colleague",
    ),
    PublishedScore(
        "Wisconsin-Madison and Microsoft, the winner",
        0.07747553105298915,
        "2018-10",
        "some 43 text similarities, LambdaMART",
    ),
    PublishedScore("KAIST", 0.079663531979, "2018-10", "difflib figures in a formula found by genetic programming"),
    PublishedScore(
        "Las Villas", 0.08577749683758787, "2018-10", "pairs seen in training, else Jaro-Winkler with a parse check"
    ),
    PublishedScore("JetBrains and HSE", 0.10971915848, "2018-10", "difflib's ratio over raw lines"),
    PublishedScore("Ericsson and RISE", 0.114314056641, "2018-10", "embeddings of lines by a recurrent network"),
    PublishedScore("source{d}", 0.14120935716477273, "2018-10", "not published"),
)


def beside_ours(card: Card) -> str:
    """The published scores and, apart from them, those of the shipped model's card."""
    lines = ["Dataset5, published:"]
    lines += [
        f"  {score.loss:.4f}  {score.dated}  {score.team}: {score.approach} ({score.measured})" for score in PUBLISHED
    ]
    lines += ["", f"Ours, the ranker of {card.dated}; not measured on Dataset5, each line by a model of the others:"]
    for name, figure in card.held_out.items():
        interval = f"95 % interval {figure.low:.4f} to {figure.high:.4f}"
        lines.append(f"  {figure.loss:.4f}  {name}, {figure.tasks} tasks: recall {figure.recall:.4f}, {interval}")
    lines.append("What was published on Dataset1 to Dataset4 is of older, larger editions and cannot be set beside it.")
    return "\n".join(lines) + "\n"
