"""The published scores of the 2018 competition on Dataset5 and Dataset4, to stand beside ours."""

from dataclasses import asdict, dataclass

from runner.suites.codrep.ranker.model import Card, model_at
from runner.suites.codrep.ranker.shipped import ranker_digest


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


@dataclass(frozen=True, slots=True)
class IntermediateScore:
    """A score of the competition's ranking of July 2018, on Dataset4 as it was then: who, and the loss."""

    team: str
    loss: float


# Dataset4 had 17,132 tasks then; without its duplicates, since October 2018, it has 10,431.
INTERMEDIATE: tuple[IntermediateScore, ...] = (
    IntermediateScore("Inria", 0.0834200326357),
    IntermediateScore("KAIST", 0.0884776175201),
    IntermediateScore("Ericsson and RISE", 0.09253418191163333),
    IntermediateScore("Otto von Guericke, Magdeburg", 0.11869677510133332),
)


@dataclass(frozen=True, slots=True)
class FinalMeasurement:
    """One model's figures on Dataset5, which no training and no choice had seen; the interval is clustered by file."""

    model_digest: str
    loss: float
    low: float
    high: float
    recall: float
    tasks: int
    measured: str


OURS_ON_DATASET5 = FinalMeasurement(
    "48f1e856", 0.0440, 0.0411, 0.0467, 0.955, 18_366, "once, by the owner of the project, at 3f9969b"
)


def shipped() -> tuple[Card, str]:
    """The card and the digest of the model that the package carries."""
    return model_at().card, ranker_digest()


def leaderboard(card: Card, model_digest: str) -> str:
    """The published scores and, apart from them, those of a model; on Dataset5 only if they are that model's."""
    ours = OURS_ON_DATASET5 if OURS_ON_DATASET5.model_digest == model_digest else None
    lines = ["Dataset5, published:"]
    lines += [
        f"  {score.loss:.4f}  {score.dated}  {score.team}: {score.approach} ({score.measured})" for score in PUBLISHED
    ]
    lines += ["", "Dataset4, the ranking of July 2018, on its older edition of 17,132 tasks:"]
    lines += [f"  {score.loss:.4f}  {score.team}" for score in INTERMEDIATE]
    lines += ["", f"Ours, the ranker of {card.dated}:"]
    if ours:
        interval = f"95 % interval {ours.low:.4f} to {ours.high:.4f}, clustered by file"
        recall = f"recall {ours.recall:.3f}"
        lines.append(f"  {ours.loss:.4f}  Dataset5, {ours.tasks} tasks: {recall}, {interval}; measured {ours.measured}")
    lines.append("and, each line by a model that was trained on the other three:")
    for name, figure in card.held_out.items():
        interval = f"95 % interval {figure.low:.4f} to {figure.high:.4f}"
        lines.append(f"  {figure.loss:.4f}  {name}, {figure.tasks} tasks: recall {figure.recall:.4f}, {interval}")
    lines.append(
        "Only figures on Dataset5 can be set beside published ones: the others have lost their duplicates since."
    )
    return "\n".join(lines) + "\n"


def leaderboard_data(card: Card, model_digest: str) -> dict[str, object]:
    """The same as JSON values."""
    is_ours = OURS_ON_DATASET5.model_digest == model_digest
    return {
        "published": [asdict(score) for score in PUBLISHED],
        "dataset4_july_2018": [asdict(score) for score in INTERMEDIATE],
        "ours": {**asdict(card), "dataset5": asdict(OURS_ON_DATASET5) if is_ours else None},
    }
