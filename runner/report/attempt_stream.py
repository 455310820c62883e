"""The scored attempts of one variant, case by case in the order of indices: nothing is sorted, and no row is held."""

from collections.abc import Iterator
from dataclasses import dataclass

from runner.storage.runs import VariantKey
from runner.storage.store import Row, Store

_FROM = """
FROM lanes l CROSS JOIN answers a ON a.lane_id = l.lane_id CROSS JOIN scorings s ON s.answer_id = a.answer_id
CROSS JOIN classes c ON c.scoring_id = s.scoring_id"""
_WHERE = """
WHERE l.run_id = ?1 AND l.sut = ?2 AND l.prompt = ?3 AND s.run_id = ?4 AND s.parser = ?5 AND s.diff_algorithm = ?6"""
# By the number of blocks, as `--edits` names it.
EDITS = {"": "", "1": " AND num_edits = 1", "2": " AND num_edits = 2", "3+": " AND num_edits >= 3"}
LAUNCHED = " ORDER BY l.case_id, a.step, a.mode, a.number, a.try"
BY_CASE = " ORDER BY l.case_id"


@dataclass(frozen=True, slots=True)
class AttemptStream:
    """The attempts of a variant of a run, all or those of so many `edits`."""

    store: Store
    run: Row
    variant: VariantKey
    edits: str = ""

    def rows(self, columns: str, *values: str, joined: str = "", where: str = "", order: str = "") -> Iterator[Row]:
        """Yield columns of the lanes `l`, answers `a`, scorings `s` and classes `c`, and of what else is joined.

        An order is one of the constants above, or none. The values are those of parameters from `?7` on.
        """
        sut, prompt, parser, algorithm = self.variant
        run_id: str = self.run["run_id"]
        sql = f"SELECT {columns}{_FROM}{joined}{_WHERE}{EDITS[self.edits]}{where}{order}"
        return self.store.stream(sql, self.run["replay_of"] or run_id, sut, prompt, run_id, parser, algorithm, *values)
