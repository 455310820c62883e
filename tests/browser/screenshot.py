"""Takes docs/view.png, the picture of an attempt in the README: `python -m tests.browser.screenshot`.

The run is simulated; its clocks are planned, so that the picture changes with the pages alone.
"""

import subprocess
import sys
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from runner.storage.store import Store
from tests.browser.browsing import chromium, viewing

PICTURE = Path(__file__).parents[2] / "docs" / "view.png"
MODELS = ("sim/careful?time=virtual", "sim/sloppy?time=virtual")
CASE = "rust_ring_buffer"
# An answer that one algorithm applies right and another refuses.
_ATTEMPT = """
SELECT t.scoring_id FROM attempts t JOIN classes c USING (scoring_id)
JOIN attempts o ON o.answer_id = t.answer_id AND o.diff_algorithm = 'v3' AND o.outcome = 'no_match'
WHERE t.case_id = ? AND c.class = 'right' AND t.diff_algorithm = 'v4' AND t.num_edits > 1 LIMIT 1"""


def main() -> None:
    """Make a run, and take the picture of an attempt in the middle of its stream."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "evals.db")
        words = [
            "diff",
            *MODELS,
            "-n",
            "3",
            "--diff-apply",
            "v4,v3,v1",
            "--parallel",
            "--run-id",
            "first",
            "--db",
            str(path),
        ]
        command = [sys.executable, "-c", "from runner.cli import main; main()", *words]
        subprocess.run(command, check=True, capture_output=True)
        with closing(Store.open_to_read(path)) as store:
            scoring_id = store.rows(_ATTEMPT, CASE)[0][0]
        with viewing(path) as address, chromium() as browser:
            shown = browser.new_page(viewport={"width": 1280, "height": 1000}, color_scheme="light")
            shown.goto(address)
            shown.goto(f"{shown.url.rstrip('/')}/run/first/attempt/{scoring_id}")
            slider = shown.locator("#slider")
            slider.fill(str(int(slider.get_attribute("max") or "0") * 2 // 3))
            shown.evaluate("document.activeElement.blur()")
            shown.screenshot(path=str(PICTURE))


if __name__ == "__main__":
    main()
