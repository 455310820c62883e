"""Words that people type at the warehouse's terminal."""

from shelf.quantities import QuantityError, parse_quantity, show_quantity
from shelf.stock import Stock


def obey(stock: Stock, line: str) -> str:
    """Do what a line says; returns what is to be answered."""
    words = line.split()
    try:
        return _obey(stock, words)
    except QuantityError as error:
        return f"refused: {error}"


def _obey(stock: Stock, words: list[str]) -> str:
    match words:
        case ["put", place, goods, *quantity]:
            stock.put(place, goods, parse_quantity(" ".join(quantity)))
            return "ok"
        case ["take", place, goods, amount]:
            taken = stock.take(place, goods, int(amount))
            return f"took {show_quantity(taken)}"
        case ["find", goods]:
            return ", ".join(stock.places(goods)) or "nowhere"
        case []:
            return ""
        case [unknown, *_]:
            return f"what is {unknown}?"


def obey_all(stock: Stock, lines: list[str]) -> list[str]:
    """Do what several lines say, until one says `stop`."""
    answers = []
    position = 0
    while position < len(lines) and lines[position] != "stop":
        answer = obey(stock, lines[position])
        position += 1
        if answer:
            answers.append(answer)
    return answers
