"""A task as the database of a run keeps it: its answer, and what models were shown of its file."""

from dataclasses import dataclass
from typing import Any

from runner.json_texts import stored_json
from runner.storage.rows import to_json
from runner.storage.runs import CaseRow
from runner.storage.store import Store
from runner.suites.codrep.cases import CodrepCase, ReplacedLine
from runner.suites.codrep.question import question
from runner.suites.codrep.showing import Shown
from runner.suites.codrep.windowing import Window, whole_window


@dataclass(frozen=True, slots=True)
class StoredTask:
    """A task on record: `prompt` is the question to models, with `window` of the file; None where no model is asked."""

    target: ReplacedLine
    prompt: str | None = None
    window: Window | None = None

    def seen(self, prompt: str) -> Window:
        """What a system saw of the file; a predictor, which has no prompt, sees the whole of it."""
        if prompt and self.window is not None:
            return self.window
        return whole_window(self.target.lines)


def case_row(case: CodrepCase, case_window: Shown | None) -> CaseRow:
    """The row of a case; `case_window` is what models are shown, None where none is asked."""
    content: dict[str, object] = {"answer": case.answer, "lines": case.lines, "file": case.file}
    if case_window is not None:
        window = case_window.window
        content["messages"] = [{"role": "user", "text": question(case.task(), window)}]
        content["shown"] = {"spans": window.spans, "tokens": window.tokens, "whole": window.whole}
    return CaseRow(
        case_id=case.case_id,
        digest=case.digest,
        path=str(case.path),
        source=case.dataset.name,
        tokens=case_window.tokens if case_window else None,
        content=to_json(content),
    )


def stored_task(store: Store, run_id: str, case_id: str) -> StoredTask:
    """A task as a run knew it."""
    row = store.rows("SELECT content_id FROM cases WHERE run_id = ? AND case_id = ?", run_id, case_id)[0]
    return parsed_task(store.text(row["content_id"]) or "{}")


def parsed_task(text: str) -> StoredTask:
    """A task from its JSON text."""
    content: dict[str, Any] = stored_json(text)
    target = ReplacedLine(content["answer"], content["lines"], content.get("file", ""))
    if "shown" not in content:
        return StoredTask(target)
    stored_window = content["shown"]
    spans = tuple((first, last) for first, last in stored_window["spans"])
    window = Window(spans, stored_window["tokens"], whole=stored_window["whole"])
    return StoredTask(target, content["messages"][0]["text"], window)
