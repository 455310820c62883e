"""A study is shown as tables, as data and as a figure, with the same numbers."""

from xml.etree import ElementTree as ET

import orjson
import pytest

from runner.stats.intervals import Interval
from runner.study.analysis import Difference, Measure, Study, Subset
from runner.study.figure import svg
from runner.study.present import as_json, document, ranked

ROWS_OF = {"without_exact": 7, "without_nothing": 6, "real_edits": 5}
BY_TOKEN = {f"{name}_by_token": rows - 1 for name, rows in ROWS_OF.items()}
SVG = "{http://www.w3.org/2000/svg}"


def subset(rows: int, r: float | None, minus: float | None = None) -> Subset:
    difference = None if minus is None else Difference("es", Interval(minus, minus - 0.1, minus + 0.1), 0.25)
    return Subset(rows, None if r is None else Interval(r, r - 0.1, r + 0.1), difference)


def measure(r: float | None, minus: float | None = None) -> Measure:
    interval = None if r is None else Interval(r, r - 0.1, r + 0.1)
    everywhere = {name: subset(8, r, minus) for name in ("all", *ROWS_OF, *BY_TOKEN)}
    return Measure(dict.fromkeys(("pearson", "spearman", "auc", "within"), interval), everywhere)


STUDY = Study(
    problems=4,
    models={"m": (8, 2)},
    rows={"all": 8, **ROWS_OF, **BY_TOKEN},
    passed=0.25,
    draws=100,
    seed=7,
    measures={"nes <x>": measure(-0.3, -0.8), "flat": measure(None), "es": measure(0.5)},
)


def test_the_best_measure_comes_first_and_one_without_a_correlation_last() -> None:
    assert ranked(STUDY) == ["es", "nes <x>", "flat"]


def test_the_tables_hold_correlations_and_differences() -> None:
    shown = document(STUDY, "a study")
    everything, by_kind, by_token = shown.tables

    assert everything.columns[-2:] == ("minus es", "p")
    assert everything.rows[0] == ("es", *["0.500 [0.400, 0.600]"] * 4, "-", "-")
    assert everything.rows[1][-2:] == ("-0.800 [-0.900, -0.700]", "0.250")
    assert by_kind.columns[1:4] == (
        "without exact matches (n=7)",
        "without do-nothing answers (n=6)",
        "real edits only (n=5)",
    )
    assert by_token.columns[3] == "real edits only (n=4)"
    assert (by_kind.title, by_token.title) == tuple(
        f"Pearson r by kind of answer, compared by {what}" for what in ("text", "token")
    )
    assert by_kind.rows[2] == ("flat", "-", "-", "-", "-", "-")
    assert shown.notes[0] == "4 problems, 1 models, 25.0 % passed; 100 resamples, seed 7"


def test_the_data_have_rows_and_measures() -> None:
    data = orjson.loads(orjson.dumps(as_json(STUDY)))

    assert data["rows"] == 8
    assert data["models"] == {"m": {"rows": 8, "passed": 2}}
    assert data["measures"]["es"]["pearson"] == 0.5
    assert data["measures"]["es"]["ci"] == [0.4, 0.6]
    assert data["measures"]["es"]["difference"] is None
    assert data["measures"]["flat"]["ci"] is None
    assert data["measures"]["nes <x>"]["difference"] == {
        "against": "es",
        "pearson": -0.8,
        "ci": pytest.approx([-0.9, -0.7]),
        "p": 0.25,
    }
    assert data["measures"]["es"]["subsets"]["real_edits"]["rows"] == 8


def test_the_figure_is_sound_svg_with_a_dot_and_a_bar_for_each_correlation() -> None:
    figure = ET.fromstring(svg(STUDY, "a study of <tags>"))  # noqa: S314 - our own text

    titles = [found.text for found in figure.iter(f"{SVG}title")]
    texts = [found.text for found in figure.iter(f"{SVG}text")]
    assert "a study of <tags>" in texts
    assert [text for text in texts if text in STUDY.measures] == ["es", "nes <x>", "flat"]
    assert "es, all answers: 0.500 [0.400, 0.600]" in titles
    assert sum(title is not None and "[" in title for title in titles) == 4


def test_the_figure_keeps_every_mark_inside() -> None:
    figure = ET.fromstring(svg(STUDY, "a study"))  # noqa: S314 - our own text
    _, _, width, height = map(float, figure.attrib["viewBox"].split())

    for dot in figure.iter(f"{SVG}circle"):
        assert 0 < float(dot.attrib["cx"]) < width
        assert 0 < float(dot.attrib["cy"]) < height
