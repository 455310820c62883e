"""The editor: the gate, the invoker that confirms it, its service, and else the locator over everything."""

import re
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence

from runner.suites.nextedit.commits import split_lines
from runner.suites.nextedit.editor import EditorError, EditorSession, Made, Mishap, Place, Suggestion
from runner.suites.nextedit.systems.baselines import Resting
from runner.suites.nextedit.systems.rules.places import texts_of
from runner.suites.nextedit.systems.trace.gate import Service, gate, renamed, signature_changes
from runner.suites.nextedit.systems.trace.labels import (
    Labels,
    LineWindow,
    TargetLines,
    labelled,
    locations,
    take,
    windows_around,
    windows_over,
)
from runner.suites.nextedit.systems.trace.models import Models
from runner.suites.nextedit.systems.trace.wording import (
    INSERT,
    NULL,
    REPLACE,
    generator_text,
    invoker_texts,
    locator_text,
)

_SURE = 0.5
# What the invoker's four probabilities stand for: renames of variables and of functions are one service.
_SERVICES = (Service.RENAME, Service.RENAME, Service.USES, Service.CLONE)
_ALIKE, _LEAST_LENGTH = 80.0, 15
_WORD = re.compile(r"\w+")


class Trace(Resting):
    """Predicts by the three checkpoints."""

    def __init__(self, models: Models) -> None:
        """Take the checkpoints, which serve all commits of a run."""
        self._models = models

    async def recommend(self, session: EditorSession) -> Sequence[Suggestion]:
        """The predictions, the surest first. Raises EditorError."""
        service = await self._service(session.past_edits)
        if service is Service.RENAME and (suggestions := list(_renames(session))):
            return suggestions
        places = await self._located(_served(service, session), service, session) if service != Service.NORMAL else []
        if not places:
            windows = [window async for window in self._everything(session)]
            places = await self._located(windows, Service.NORMAL, session)
            service = Service.NORMAL
        return await self._generated(places, service, session)

    async def fill(self, session: EditorSession, place: Place) -> Sequence[str]:
        """What the generator puts in the place. Raises EditorError."""
        lines = split_lines(session.texts.get(place.path, ""))
        inside, size = (place.start, place.start + len(place.before)), len(place.before)
        window = labelled(lines, inside, [REPLACE] * size, [NULL] * (size + 1) if size else [INSERT])
        (text,) = await self._models.generate([generator_text(window, Service.NORMAL, session)])
        return _lines(text, place.before)

    async def _service(self, past_edits: Sequence[Made]) -> Service:
        """The gate's service if the invoker agrees."""
        proposed = gate(past_edits)
        texts = invoker_texts(proposed, past_edits) if proposed is not Service.NORMAL else []
        if not texts:
            return Service.NORMAL
        for probabilities in await self._models.invoke(texts):
            for service, probability in zip(_SERVICES, probabilities, strict=True):
                if probability >= _SURE:
                    return service if service is proposed else Service.NORMAL
        return Service.NORMAL

    async def _everything(self, session: EditorSession) -> AsyncIterator[LineWindow]:
        for path, text in session.texts.items():
            lines = split_lines(text)
            for window in windows_over(path, lines, await self._models.count(lines)):
                yield window

    async def _located(
        self, windows: Iterable[LineWindow], service: Service, session: EditorSession
    ) -> list[TargetLines]:
        """The places that the locator finds in windows, the surest first."""
        chosen = list(windows)
        answers = await self._models.locate([locator_text(window.lines, session) for window in chosen])
        labels: dict[str, Labels] = {}
        for window, marks in zip(chosen, answers, strict=True):
            try:
                take(labels.setdefault(window.path, Labels()), window, marks)
            except ValueError as error:
                raise EditorError(Mishap.NONSENSE, f"the locator gives {error}") from error
        places = [
            place
            for path, known in labels.items()
            for place in locations(path, split_lines(session.texts[path]), known, service)
        ]
        return sorted(places, key=lambda place: -place.confidence)

    async def _generated(
        self, places: Sequence[TargetLines], service: Service, session: EditorSession
    ) -> list[Suggestion]:
        """The places with what the generator puts there; those that it leaves as they are are left out."""
        texts = await self._models.generate([generator_text(place.window, service, session) for place in places])
        suggestions = [
            Suggestion(place.path, place.start, place.lines, _lines(text, place.lines), place.confidence)
            for place, text in zip(places, texts, strict=True)
        ]
        return [suggestion for suggestion in suggestions if suggestion.before != suggestion.after]


def _renames(session: EditorSession) -> Iterator[Suggestion]:
    """The names of the last edit exchanged wherever they stand; neighbouring lines are one edit."""
    last = session.past_edits[-1].edit
    names = renamed(last)
    for text in texts_of(session):
        run: list[tuple[int, str]] = []
        for at, line in enumerate((*text.lines, "")):
            changed = _WORD.sub(lambda word: names.get(word.group(), word.group()), line)
            if changed != line and at not in text.edited_lines:
                run.append((at, changed))
            elif run:
                start, size = run[0][0], len(run)
                after = tuple(line for _, line in run)
                yield Suggestion(text.path, start, text.lines[start : start + size], after, 1.0)
                run = []


def _served(service: Service, session: EditorSession) -> Iterator[LineWindow]:
    """The windows around what a service finds: uses of a name by that name, clones by their similarity."""
    last = session.past_edits[-1]
    names = frozenset(signature_changes(last.edit.before, last.edit.after))
    for text in texts_of(session):
        if service is Service.USES:
            rows = (at for at, line in enumerate(text.lines) if names & set(_WORD.findall(line)))
            places = [(at, at + 1) for at in rows if at not in text.edited_lines]
        else:
            places = list(_similarities("".join(last.edit.before), len(last.edit.before), text.lines))
        yield from windows_around(text.path, text.lines, places)


def _similarities(pattern: str, size: int, lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    from rapidfuzz.fuzz import ratio

    if len(pattern.strip()) < _LEAST_LENGTH:
        return
    for start in range(len(lines) - size + 1):
        if ratio(pattern, "".join(lines[start : start + size])) >= _ALIKE:
            yield start, start + size


def _lines(text: str, before: Sequence[str]) -> tuple[str, ...]:
    """Generated text as lines; its last line ends as the last one before did, or with a newline."""
    if text and not text.endswith("\n") and (not before or before[-1].endswith("\n")):
        text += "\n"
    return split_lines(text)
