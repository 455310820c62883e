"""A replayed commit as JSON, one file each: everything that was drawn, predicted, matched and timed."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from runner.file_names import name_part
from runner.suites.nextedit.editor import Suggestion
from runner.suites.nextedit.step_metrics import CUTS
from runner.suites.nextedit.steps import Call, CommitReplay, Content, Step, Trouble
from runner.suites.nextedit.summary import Figure

FORMAT = "next-edit-replay-v1"
_MILLION = 1_000_000


def replay_json(replay: CommitReplay, system: str) -> dict[str, object]:
    """A replay as plain data; times are in milliseconds, rates 0 to 1, BLEU 0 to 100."""
    return {
        "format": FORMAT,
        "case": replay.case_id,
        "sha": replay.sha,
        "system": system,
        "seed": replay.seed,
        "order": list(replay.order),
        "draws": [{"step": draw.step, "options": list(draw.options), "chosen": draw.chosen} for draw in replay.draws],
        "predicted_in_time": sorted(replay.predicted_in_time),
        "troubles": [_trouble(trouble) for trouble in replay.troubles],
        "steps": [step_json(step) for step in replay.steps],
    }


def step_json(step: Step) -> dict[str, object]:
    """One step as plain data, with the clocks and the cost of its answers."""
    return {**judged_json(step), "answers": [_call(call) for call in step.calls]}


def judged_json(step: Step) -> dict[str, object]:
    """What was known, predicted and made at a step, and how it was judged, as plain data."""
    metrics = step.metrics
    return {
        "step": step.number,
        "applied": list(step.applied),
        "allowed": list(step.allowed),
        "new_island": step.new_island,
        "in_view": None if step.in_view is None else list(step.in_view),
        "made": step.made_edit,
        "predictions": [_suggestion(suggestion) for suggestion in step.suggestions],
        "nothing_more": step.nothing_more,
        "flow": [str(flow) for flow in metrics.flows],
        "matches": [
            {
                "prediction": match.suggestion,
                "rank": match.rank,
                "edit": match.target,
                "bleu": match.bleu,
                "exact": match.exact,
            }
            for match in step.matches
        ],
        "precision": metrics.precision,
        "recall": metrics.recall,
        "f1": metrics.f1,
        **{f"tp@{cut}": metrics.kept_at(cut) for cut in CUTS},
        **{f"hit@{cut}": metrics.hit_at(cut) for cut in CUTS},
        "first_prediction": asdict(step.first),
        "content": _content(step.content),
        "latency_ms": step.latency_ns / _MILLION,
        "fill_ms": None if step.fill_ns is None else step.fill_ns / _MILLION,
        "troubles": [_trouble(trouble) for trouble in step.troubles],
    }


def _call(call: Call) -> dict[str, object]:
    return {
        "mode": call.mode,
        "outcome": call.outcome,
        **asdict(call.clocks),
        "tokens": asdict(call.tokens),
        "cost_usd": call.cost_usd,
    }


def _suggestion(suggestion: Suggestion) -> dict[str, object]:
    return {
        "path": suggestion.path,
        "start": suggestion.start,
        "before": list(suggestion.before),
        "after": list(suggestion.after),
        "confidence": suggestion.confidence,
    }


def _content(content: Content | None) -> dict[str, object] | None:
    if content is None:
        return None
    return {"asked": content.requested, "bleu": content.bleu, "exact": content.exact, **content.excision}


def _trouble(trouble: Trouble) -> dict[str, str]:
    return {"question": trouble.question, "reason": str(trouble.reason), "message": trouble.message}


def write_replay(replay: CommitReplay, system: str, project: str, folder: Path) -> Path:
    """Write `{project}-{sha}-{system}-results.json`, with ten digits of the commit's id; returns the path."""
    parts = (name_part(project), replay.sha[:10], file_name(system), "results.json")
    path = folder / "-".join(part for part in parts if part)
    folder.mkdir(parents=True, exist_ok=True)
    # Escapes, because texts may hold bytes that are no UTF-8 as lone surrogates.
    path.write_text(json.dumps(replay_json(replay, system), indent=1) + "\n", encoding="ascii")
    return path


def file_name(system: str) -> str:
    """A system's name as part of a file's; of a module's path the end, where paths that are long differ."""
    backwards = name_part(system.removeprefix("historian:")[::-1])
    return backwards[::-1]


def figures_json(figures: Mapping[str, Figure]) -> dict[str, object]:
    """Figures as plain data: {name: {"micro": [estimate, low, high] or None, "macro": the same}}."""
    return {
        name: {
            kind: None if interval is None else [interval.estimate, interval.low, interval.high]
            for kind, interval in (("micro", figure.micro), ("macro", figure.macro))
        }
        for name, figure in figures.items()
    }
