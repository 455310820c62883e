"""Tasks that tests of CodRep write by hand."""

from pathlib import Path

from runner.suites.codrep.dataset import CodrepTask, open_dataset

ROOT = Path(__file__).parents[1]
SAMPLE = ROOT / "cases" / "codrep"

PROGRAM = """\
package shop;

import java.util.List;
import java.util.Map;

public class Till {
    private int sum;

    public int total(List<Item> items) {
        int sum = 0;
        for (Item item : items) {
            sum += item.price();
        }
        return sum;
    }

    public boolean empty() {
        return sum == 0;
    }

    public int count(Map<String, Item> stock) {
        int number = 0;
        for (Item item : stock.values()) {
            number += item.price();
        }
        return number;
    }
}
""".splitlines()


def task_of(new_line: str, *lines: str, answer: int | None = None) -> CodrepTask:
    """A task that stands in no file."""
    return CodrepTask("Written/1", Path("1.txt"), new_line, lines, answer)


def tasks_of(folder: Path) -> list[CodrepTask]:
    """Every task of a dataset folder."""
    dataset = open_dataset(folder)
    return [dataset.read(path) for path in dataset.task_paths()]


def write_dataset(folder: Path, tasks: int, lines: int = 30) -> Path:
    """A dataset folder with so many tasks, whose programs have so many lines and one more each."""
    for part in ("Tasks", "Solutions"):
        (folder / part).mkdir(parents=True)
    for number in range(1, tasks + 1):
        answer = 1 + 7 * number % lines
        program = "".join(f"int value{line} = compute({line * number});\n" for line in range(1, lines + number + 1))
        new_line = f"long value{answer} = compute({answer * number});"
        (folder / "Tasks" / f"{number}.txt").write_text(f"{new_line}\n\n{program}", encoding="utf-8", newline="\n")
        (folder / "Solutions" / f"{number}.txt").write_text(str(answer), encoding="utf-8")
    return folder
