"""Files that git takes for renamed: one file that has moved, under its old name before and its new one after."""

import pytest

from runner.suites.nextedit.bundles import Bundle, commits_of
from runner.suites.nextedit.commits import Commit, Origin, Touched
from runner.suites.nextedit.order import order_graph
from tests.nextedit import ANY_SIZE


def moved(*files: Touched) -> Commit:
    (commit,) = commits_of([Bundle(Origin("0" * 40, "1" * 40, "test"), "move", files)], ANY_SIZE)
    assert isinstance(commit, Commit)
    return commit


@pytest.mark.parametrize(
    "old, new, user, before, after",
    [
        pytest.param(
            "app/store.py",
            "app/shelves.py",
            "app/main.py",
            "from app.store import open_shelf\n\n\nopen_shelf()\n",
            "from app.shelves import shelf\n\n\nshelf()\n",
            id="absolute",
        ),
        pytest.param(
            "app/store.py",
            "app/deep/store.py",
            "app/main.py",
            "from .store import open_shelf\n\n\nopen_shelf()\n",
            "from .deep.store import shelf\n\n\nshelf()\n",
            id="relative",
        ),
        pytest.param(
            "src/store.js",
            "src/shelves.js",
            "src/main.js",
            "import { open_shelf } from './store.js';\n\nopen_shelf();\n",
            "import { shelf } from './shelves.js';\n\nshelf();\n",
            id="script",
        ),
    ],
)
def test_imports_find_a_moved_file_by_its_old_name_before(
    old: str, new: str, user: str, before: str, after: str
) -> None:
    if new.endswith(".py"):
        # What is defined under the old name alone: after the commit nothing of that name is there to be found.
        texts = "def open_shelf():\n    pass\n\n\nx = 1\n", "x = 1\n"
    else:
        texts = "export function open_shelf() {}\n\nlet x = 1;\n", "let x = 1;\n"
    commit = moved(Touched(user, before, after), Touched(new, *texts, old))
    definition = next(edit.idx for edit in commit.edits if edit.path == new)

    related = {pair for pair in order_graph(commit).pairs() if definition in pair}

    assert len(related) == 2


def test_a_moved_files_own_imports_start_from_where_it_was() -> None:
    helper = Touched("app/names.py", "def clean():\n    pass\n\n\nx = 1\n", "x = 1\n")
    before, after = "from .names import clean\n\n\nclean()\n", "\n\nprint()\n"
    commit = moved(helper, Touched("tools/deep/store.py", before, after, "app/store.py"))

    assert {(0, 1), (0, 2)} <= order_graph(commit).pairs()


def test_imports_of_a_moved_file_change_together() -> None:
    users = [
        Touched(
            f"app/{name}.py", f"from app.store import x\n\n{name} = x\n", f"from app.shelves import x\n\n{name} = x\n"
        )
        for name in ("one", "two")
    ]
    commit = moved(*users, Touched("app/shelves.py", "x = 1\n\n\ny = 2\n", "x = 1\n\n\ny = 3\n", "app/store.py"))

    by_path = {edit.path: edit.idx for edit in commit.edits}
    one, two, store = (by_path[path] for path in ("app/one.py", "app/two.py", "app/shelves.py"))

    assert order_graph(commit).pairs() == {(min(one, two), max(one, two))}
    assert store not in (one, two)
