"""What comes with evals is found from any folder, and never in place of what is there."""

from pathlib import Path

import pytest

from runner.shipped import each_shipped, shipped, shipped_folder, shipped_or_none

OURS = Path(__file__).parents[2] / "cases"


def test_cases_that_are_not_here_are_those_that_come_with_evals(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    assert shipped_folder() == OURS
    assert shipped(Path("cases/diff_edit")) == OURS / "diff_edit"
    assert each_shipped([Path("cases/codrep"), Path("other")]) == [OURS / "codrep", Path("other")]


def test_cases_that_are_here_come_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cases" / "diff_edit").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)

    assert shipped(Path("cases/diff_edit")) == Path("cases/diff_edit")


@pytest.mark.parametrize("path", ["cases/of_mine", "diff_edit", "my/cases/diff_edit", "/cases/diff_edit"])
def test_another_path_stays_as_it_is(path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    assert shipped(Path(path)) == Path(path)


def test_a_missing_option_stays_missing() -> None:
    assert shipped_or_none(None) is None
    assert each_shipped(None) is None
