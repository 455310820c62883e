"""Who really answers: a line when a system is first answered by another model or upstream than was asked for."""

from collections.abc import Callable
from dataclasses import dataclass, field

from runner.records import Completion
from suts.model_names import asked_model, is_same_model
from suts.routing import is_upstream
from suts.sut import Sut
from suts.variants import routing_of


@dataclass(frozen=True, slots=True)
class ServedModels:
    """The models and upstreams of a session's answers, by system; `say` gets each line once."""

    say: Callable[[str], None]
    models: dict[str, set[str]] = field(default_factory=dict)
    upstreams: dict[str, set[str]] = field(default_factory=dict)

    def note(self, sut: Sut, completion: Completion) -> None:
        """Note who served an answer. Simulated models are what they say."""
        if sut.endpoint.simulated:
            return
        if model := _news(self.models, sut.name, completion.served_model):
            self._note_model(sut.name, model)
        if upstream := _news(self.upstreams, sut.name, completion.upstream):
            self._note_upstream(sut.name, upstream)

    def _note_model(self, sut: str, model: str) -> None:
        requested = asked_model(sut)
        if not is_same_model(requested, model):
            self.say(f"warning: {sut}: the server reports that {model} answered, not {requested}")
        elif model != requested:
            self.say(f"{sut}: answered by {model}")

    def _note_upstream(self, sut: str, upstream: str) -> None:
        pinned = routing_of(sut).upstream
        if pinned and not is_upstream(pinned, upstream):
            self.say(f"warning: {sut}: the router reports that {upstream} answered, not {pinned}")
        elif not pinned and len(self.upstreams[sut]) == 2:
            names = ", ".join(sorted(self.upstreams[sut]))
            self.say(f"warning: {sut}: several upstreams answer ({names}); pin one: model@upstream=NAME")


def _news(known: dict[str, set[str]], sut: str, name: str | None) -> str:
    """Return the name if it is new for a system, "" otherwise."""
    names = known.setdefault(sut, set())
    if not name or name in names:
        return ""
    names.add(name)
    return name
