"""A study as tables for people and as data."""

from runner.document import Document, Table
from runner.stats.intervals import Interval
from runner.study.analysis import Difference, Study, Subset

_HEADS = {
    "without_exact": "without exact matches",
    "without_nothing": "without do-nothing answers",
    "real_edits": "real edits only",
}
# What a subset compares, and what its name ends in.
_COMPARED = {"text": "", "token": "_by_token"}


def document(study: Study, title: str) -> Document:
    """Return the tables: all answers by every statistic, and Pearson's r by subset, compared by text and by token."""
    return Document(title, (_statistics(study), *(_subsets(study, what) for what in _COMPARED)), _notes(study))


def as_json(study: Study) -> dict[str, object]:
    """`{"rows": n, "measures": {name: {"pearson": r, "ci": [low, high], ...}}, ...}`; null where there is none."""
    return {
        "rows": study.rows["all"],
        "problems": study.problems,
        "models": {model: {"rows": rows, "passed": passed} for model, (rows, passed) in study.models.items()},
        "passed": study.passed,
        "draws": study.draws,
        "seed": study.seed,
        "subsets": study.rows,
        "measures": {
            name: {
                **_data("pearson", "ci", measure.statistics["pearson"]),
                **_data("spearman", "spearman_ci", measure.statistics["spearman"]),
                **_data("auc", "auc_ci", measure.statistics["auc"]),
                **_data("within", "within_ci", measure.statistics["within"]),
                "difference": _difference(measure.subsets["all"].difference),
                "subsets": {
                    subset: {
                        "rows": subset_result.rows,
                        **_data("pearson", "ci", subset_result.r),
                        "difference": _difference(subset_result.difference),
                    }
                    for subset, subset_result in measure.subsets.items()
                },
            }
            for name, measure in study.measures.items()
        },
    }


def ranked(study: Study) -> list[str]:
    """Return the measures by Pearson's r over all answers, the highest first; those without one last."""

    def r(name: str) -> float:
        interval = study.measures[name].statistics["pearson"]
        return interval.estimate if interval else -2.0

    return sorted(study.measures, key=r, reverse=True)


def _statistics(study: Study) -> Table:
    rows = []
    for name in ranked(study):
        statistics, subset = study.measures[name].statistics, study.measures[name].subsets["all"]
        rows.append(
            (name, *(_cell(statistics[key]) for key in ("pearson", "spearman", "auc", "within")), *_apart(subset))
        )
    columns = ("measure", "Pearson r", "Spearman", "AUC", "within problems", _against(study), "p")
    return Table(
        f"with passing, all {study.rows['all']:,} answers: 95 % intervals, problems resampled", columns, tuple(rows)
    )


def _subsets(study: Study, compared: str) -> Table:
    ending = _COMPARED[compared]
    heads = [f"{head} (n={study.rows[key + ending]:,})" for key, head in _HEADS.items()]
    rows = []
    for name in ranked(study):
        subsets = study.measures[name].subsets
        cells = (_cell(subsets[key + ending].r) for key in _HEADS)
        rows.append((name, *cells, *_apart(subsets["real_edits" + ending])))
    columns = ("measure", *heads, f"{_against(study)}, real edits", "p")
    return Table(f"Pearson r by kind of answer, compared by {compared}", columns, tuple(rows))


def _against(study: Study) -> str:
    differences = [m.subsets["all"].difference for m in study.measures.values()]
    return next((f"minus {difference.against}" for difference in differences if difference), "minus the other")


def _notes(study: Study) -> tuple[str, ...]:
    what = f"{study.problems} problems, {len(study.models)} models, {100 * study.passed:.1f} % passed"
    how = f"{study.draws} resamples, seed {study.seed}"
    return f"{what}; {how}", "comments and blank lines are removed from every text before any measure"


def _cell(interval: Interval | None) -> str:
    return f"{interval.estimate:.3f} [{interval.low:.3f}, {interval.high:.3f}]" if interval else "-"


def _apart(subset: Subset) -> tuple[str, str]:
    if subset.difference is None:
        return "-", "-"
    r = subset.difference.r
    return f"{r.estimate:+.3f} [{r.low:+.3f}, {r.high:+.3f}]", f"{subset.difference.p:.3f}"


def _data(name: str, interval_name: str, interval: Interval | None) -> dict[str, object]:
    if interval is None:
        return {name: None, interval_name: None}
    return {name: interval.estimate, interval_name: [interval.low, interval.high]}


def _difference(difference: Difference | None) -> dict[str, object] | None:
    if difference is None:
        return None
    return {"against": difference.against, **_data("pearson", "ci", difference.r), "p": difference.p}
