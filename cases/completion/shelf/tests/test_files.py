"""Tests of files."""

from pathlib import Path

from shelf.files import load_stock, write_report
from shelf.quantities import Quantity


def test_an_absent_file_is_an_empty_warehouse(tmp_path: Path) -> None:
    """Nothing was delivered yet."""
    assert load_stock(tmp_path / "absent").total("nails") is None


def test_deliveries_are_loaded(tmp_path: Path) -> None:
    """All lines count."""
    file = tmp_path / "deliveries.txt"
    file.write_text("a1; nails; 3 pcs\nb2; nails; 4 pcs\n", encoding="utf-8")

    assert load_stock(file).total("nails") == Quantity(7, "pcs")


def test_a_report_has_a_line_for_what_there_is(tmp_path: Path) -> None:
    """Sorted by name; what there is not is left out."""
    (tmp_path / "in").write_text("a1; nails; 3 pcs\nb2; flour; 2 kg\nc3; flour; 1 kg\n", encoding="utf-8")

    written = write_report(load_stock(tmp_path / "in"), ["nails", "flour", "rope"], tmp_path / "out")

    assert written == 2
    assert (tmp_path / "out").read_text(encoding="utf-8") == "flour;3 kg;2\nnails;3 pcs;1\n"
