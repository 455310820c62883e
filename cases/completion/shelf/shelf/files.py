"""Deliveries and reports as files."""

from pathlib import Path

from shelf.quantities import show_quantity
from shelf.stock import Stock, read_deliveries


def load_stock(path: Path) -> Stock:
    """The stock after all deliveries of a file; an absent file is an empty warehouse."""
    stock = Stock()
    try:
        with path.open(encoding="utf-8") as file:
            for place, goods, quantity in read_deliveries(file):
                stock.put(place, goods, quantity)
    except FileNotFoundError:
        return stock
    return stock


def write_report(stock: Stock, goods: list[str], path: Path) -> int:
    """Write a line for each kind of goods that there is; returns how many lines."""
    import csv

    written = 0
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, delimiter=";", lineterminator="\n")
        for name in sorted(goods):
            total = stock.total(name)
            if total is not None:
                rows.writerow([name, show_quantity(total), len(stock.places(name))])
                written += 1
    return written
