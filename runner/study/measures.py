"""The measures of a study: metrics of ours and other programs, and the measure that the others are compared with."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from runner.errors import InputError
from runner.metrics import METRICS, Metric, metrics_named
from runner.metrics.labelled_answers import LabelledAnswer
from runner.stats.correlation import Floats
from runner.study.analysis import labelled_rows
from runner.study.combination import BEST_SINGLE, COMBINATION, held_out
from runner.study.external import External, external, score_externally
from runner.study.scores import score_answers


@dataclass(frozen=True, slots=True)
class Measures:
    """What answers are scored by, and the measure that the others are compared with."""

    metrics: Mapping[str, Metric]
    externals: Sequence[External]
    against: str
    combine: bool = False

    def scores(
        self, answers: Sequence[LabelledAnswer], environ: Mapping[str, str], advance: Callable[[], object], *, seed: int
    ) -> dict[str, Floats]:
        """Return a score for each answer, in their order, by measure; `advance` is called after each answer.

        The seed deals problems into parts for the combination.

        Raises InputError for an answer that is too large to align, and for a program that fails.
        """
        scores = score_answers(answers, self.metrics, advance)
        scores |= {measure.name: score_externally(measure, answers, environ) for measure in self.externals}
        return scores | (held_out(scores, labelled_rows(answers), seed=seed) if self.combine else {})


def measures_of(requested: Sequence[str], commands: Sequence[str], against: str, *, combine: bool = False) -> Measures:
    """Return the measures of these names (`all` for every metric) and of these `NAME=COMMAND`.

    With `combine`, two more are fitted to them: their combination, and the best of them alone.

    `against` is es-token, or else the first, where it is ""; with `combine`, the best measure alone. Raises
    InputError for unknown and repeated names.
    """
    metrics = dict(METRICS) if tuple(requested) == ("all",) else metrics_named(requested)
    externals = [external(words) for words in commands]
    fitted = (COMBINATION, BEST_SINGLE) if combine else ()
    names = [*metrics, *(measure.name for measure in externals), *fitted]
    if len(set(names)) < len(names):
        raise InputError(f"--external: two measures have one name among {', '.join(names)}; rename one")
    if against and against not in names:
        raise InputError(f"--against: {against!r} is not measured; choose from {', '.join(names)}")
    against = against or (BEST_SINGLE if combine else "es-token" if "es-token" in names else names[0])
    return Measures(metrics, externals, against, combine)
