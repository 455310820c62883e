"""A study as a figure: each measure's Pearson r with its interval, as SVG text."""

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from runner.stats.intervals import Interval
from runner.study.analysis import Study
from runner.study.present import ranked

_LEFT, _RIGHT, _TOP, _BOTTOM, _ROW, _WIDTH = 130, 30, 64, 50, 30, 720


@dataclass(frozen=True, slots=True)
class _Mark:
    """How the correlation in one subset is drawn."""

    subset: str
    label: str
    colour: str
    offset: int


_MARKS = (_Mark("all", "all answers", "#1b5e8c", 0), _Mark("real_edits", "real edits only", "#b8601a", 9))


def svg(study: Study, title: str) -> str:
    """Points and bars, best measure first, on a white ground."""
    names = ranked(study)
    height = _TOP + _ROW * len(names) + _BOTTOM
    low = _lowest(study)
    box = f'viewBox="0 0 {_WIDTH} {height}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {box} font-family="sans-serif" font-size="12">',
        f'<rect width="{_WIDTH}" height="{height}" fill="#ffffff"/>',
        _text(_LEFT, 22, title, "start"),
        *_legend(study),
        *_axis(low, height),
        *(line for at, name in enumerate(names) for line in _row(study, name, low, _TOP + _ROW * at + 8)),
    ]
    return "\n".join([*parts, "</svg>\n"])


def _lowest(study: Study) -> float:
    """0, or the step of .2 below the lowest interval."""
    intervals = (measure.subsets[mark.subset].r for measure in study.measures.values() for mark in _MARKS)
    return min([0.0, *(interval.low for interval in intervals if interval)]) * 5 // 1 / 5


def _x(value: float, low: float) -> float:
    return _LEFT + (value - low) / (1 - low) * (_WIDTH - _LEFT - _RIGHT)


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y}" text-anchor="{anchor}">{escape(text)}</text>'


def _dot(x: float, y: float, colour: str, tooltip: str = "") -> str:
    return f'<circle cx="{x:.1f}" cy="{y}" r="4" fill="{colour}"><title>{escape(tooltip)}</title></circle>'


def _bar(x: tuple[float, float], y: tuple[float, float], colour: str, width: int = 1) -> str:
    ends = f'x1="{x[0]:.1f}" y1="{y[0]}" x2="{x[1]:.1f}" y2="{y[1]}"'
    return f'<line {ends} stroke="{colour}" stroke-width="{width}"/>'


def _legend(study: Study) -> Iterator[str]:
    for number, mark in enumerate(_MARKS):
        at = _LEFT + 200 * number
        yield _dot(at + 4, 40, mark.colour, mark.label)
        yield _text(at + 14, 44, f"{mark.label} (n={study.rows[mark.subset]:,})", "start")


def _axis(low: float, height: int) -> Iterator[str]:
    for tick in range(round(low * 10), 11, 2):
        at = _x(tick / 10, low)
        yield _bar((at, at), (_TOP - 8, height - 40), "#dddddd")
        yield _text(at, height - 24, f"{tick / 10:.1f}", "middle")
    yield _text(_LEFT, height - 6, "Pearson r with passing, 95 % intervals, problems resampled", "start")


def _row(study: Study, name: str, low: float, y: int) -> Iterator[str]:
    yield _text(_LEFT - 12, y + 8, name, "end")
    for mark in _MARKS:
        interval = study.measures[name].subsets[mark.subset].r
        if interval is not None:
            at = y + mark.offset
            yield _bar((_x(interval.low, low), _x(interval.high, low)), (at, at), mark.colour, 2)
            yield _dot(_x(interval.estimate, low), at, mark.colour, f"{name}, {mark.label}: {_interval_text(interval)}")


def _interval_text(interval: Interval) -> str:
    return f"{interval.estimate:.3f} [{interval.low:.3f}, {interval.high:.3f}]"
