"""Reads what clients ask: bodies of OpenAI's, Anthropic's and Google's APIs."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from types import MappingProxyType

import orjson

from suts.simulated.agent_tools import AgentTurn, agent_turn, call_results
from suts.simulated.agent_words import agent_words
from suts.simulated.calls import EDIT_TOOL
from suts.simulated.google_forms import GOOGLE_WIRE, generated, google_tools, results_in
from suts.simulated.spec import WireName
from suts.simulated.tool_choice import ForcedCall, declared, forced_call, is_object

MOST_CHOICES = 128
_WITHOUT_LIMIT = 1 << 30
NO_FIELDS: Mapping[str, object] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class SimQuestion:
    """One request: the model's name, the system prompt, the texts of the conversation, and how to answer.

    `usage`: whether the answer must report its usage; `seed` is None where the client sent none; `parameters` are the
    names of all that the body holds. `choices` is how many answers the client asks for; `call` is the tool call that it
    demands; `native` is whether it declares the edit tool, so that edits are native calls.
    `turn` is where a coding agent stands, None where none asks; `marked` is false for a prompt that Anthropic's cache
    is not to keep.
    """

    wire: WireName
    model: str
    system: str
    texts: tuple[str, ...]
    max_tokens: int
    stream: bool
    usage: bool
    seed: int | None
    parameters: frozenset[str] = frozenset()
    choices: int = 1
    call: ForcedCall | None = None
    native: bool = False
    turn: AgentTurn | None = None
    marked: bool = True

    @property
    def conversation(self) -> str:
        """The digest by which the case is recognised."""
        return conversation_digest(self.texts)


def conversation_digest(texts: Iterable[str]) -> str:
    """24 hexadecimal digits over the texts of a conversation in their order; empty texts do not count.

    So a case is recognised over either wire, however its turns are grouped, whatever images and system prompt.
    """
    *_, last = prefix_digests(texts)
    return last


def prefix_digests(texts: Iterable[str]) -> Iterator[str]:
    """Yield the digest of no text, then of the first one, of the first two, and so on; empty texts do not count."""
    state = blake2b(digest_size=12)
    yield state.hexdigest()
    for text in texts:
        if text:
            state.update(text.encode("utf-8", "surrogatepass"))
            state.update(b"\0")
            yield state.hexdigest()


def read_question(wire: WireName, body: bytes, in_path: Mapping[str, object] = NO_FIELDS) -> SimQuestion:
    """Return the question in a request's body. Raises ValueError with one line saying what is wrong.

    `in_path` are further fields, of which an API has the values in the path of the request.
    """
    values = {**_values(body), **in_path}
    if wire == "anthropic-messages" and not isinstance(values.get("max_tokens"), int):
        raise ValueError("max_tokens: Field required")
    model, system, texts = _READERS.get(wire, _conversed)(values)
    raw = wire in {"openai-text", "llamacpp-infill"}
    tools = {} if raw else google_tools(values) if wire == GOOGLE_WIRE else declared(wire, values)
    stream, options = values.get("stream") is True, values.get("stream_options")
    seed = (_nested(values) or values).get("seed")
    return SimQuestion(
        wire=wire,
        model=model,
        system="".join(system),
        texts=tuple(texts),
        max_tokens=_limit(values),
        stream=stream,
        usage=not stream
        or wire in {"anthropic-messages", "llamacpp-infill", "openai-responses", GOOGLE_WIRE}
        or (is_object(options) and options.get("include_usage") is True),
        seed=seed if isinstance(seed, int) else None,
        parameters=frozenset(values),
        choices=_choices(wire, values),
        call=None if raw else forced_call(wire, values),
        native=EDIT_TOOL in tools,
        marked=wire != "anthropic-messages" or b'"cache_control"' in body,
        turn=_turn(wire, tools, values, system, texts),
    )


def _turn(
    wire: WireName,
    tools: Mapping[str, Mapping[str, object]],
    values: Mapping[str, object],
    system: list[str],
    texts: list[str],
) -> AgentTurn | None:
    """Return where a coding agent stands that asks, None where none does."""
    if not tools:
        return None
    return agent_turn(tools, _results(wire, values), agent_words(system, texts))


def _results(wire: WireName, values: Mapping[str, object]) -> list[str]:
    """Return the results of calls that a conversation holds."""
    return results_in(values) if wire == GOOGLE_WIRE else call_results(values.get("messages") or values.get("input"))


def _nested(values: Mapping[str, object]) -> Mapping[str, object]:
    """Return the parameters that Google's API has in an object of their own."""
    nested = values.get("generationConfig")
    return nested if is_object(nested) else NO_FIELDS


def read_prompt(wire: WireName, body: bytes, in_path: Mapping[str, object] = NO_FIELDS) -> tuple[str, list[str]]:
    """Return the system prompt and the texts of a conversation whose tokens are to be counted. Raises ValueError."""
    _, system, texts = _READERS.get(wire, _conversed)({**_values(body), **in_path})
    return "".join(system), texts


def _values(body: bytes) -> Mapping[str, object]:
    try:
        values: object = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise ValueError(f"the body is not JSON: {error}") from error
    if not is_object(values):
        raise ValueError("the body is no JSON object")
    return values


def _choices(wire: WireName, values: Mapping[str, object]) -> int:
    count = values.get("n")
    if wire in {"anthropic-messages", "openai-responses"} or count is None:
        return 1
    most = MOST_CHOICES if wire == "openai-chat" else 1
    if not isinstance(count, int) or not 1 <= count <= most:
        raise ValueError(f"n has to be a whole number from 1 to {most}")
    return count


def _conversed(values: Mapping[str, object]) -> tuple[str, list[str], list[str]]:
    """Return the model, the texts of the system prompt and those of the conversation."""
    match values.get("model"), values.get("messages"):
        case str() as model, list() as messages:
            pass
        case _:
            raise ValueError("model has to be a string and messages an array")
    system = list(_texts(values.get("system")))
    return model, system, _turns(messages, system)


def _responded(values: Mapping[str, object]) -> tuple[str, list[str], list[str]]:
    """Return the same of a request for a response; its input is one text or items."""
    match values.get("model"), values.get("input"), values.get("instructions"):
        case str() as model, str() | list() as given, str() | None as instructions:
            system = [instructions] if instructions else []
            return model, system, [given] if isinstance(given, str) else _turns(given, system)
        case _:
            raise ValueError("model has to be a string, input a string or an array, and instructions a string")


def _turns(messages: Iterable[object], system: list[str]) -> list[str]:
    """Return the texts of a conversation and of the results in it; those of the system prompt are added to it."""
    texts: list[str] = []
    for message in filter(is_object, messages):
        target = system if message.get("role") in {"system", "developer"} else texts
        target.extend(_texts(message.get("content")))
        if message.get("type") in {"function_call_output", "custom_tool_call_output"}:
            texts.extend(_texts(message.get("output")))
    return texts


def _prompted(values: Mapping[str, object]) -> tuple[str, list[str], list[str]]:
    """Return the model, and the prompt with the suffix if there is one."""
    match values.get("model"), values.get("prompt"), values.get("suffix"):
        case str() as model, str() as prompt, None:
            return model, [], [prompt]
        case str() as model, str() as prompt, str() as suffix:
            return model, [], [prompt, suffix]
        case _:
            raise ValueError("model and prompt have to be strings, and suffix if there is one")


def _infilled(values: Mapping[str, object]) -> tuple[str, list[str], list[str]]:
    """Return the model, and the prefix with the suffix."""
    match values.get("model"), values.get("input_prefix"), values.get("input_suffix"):
        case str() as model, str() as prefix, str() as suffix:
            return model, [], [prefix, suffix]
        case _:
            raise ValueError("model, input_prefix and input_suffix have to be strings")


_READERS = {
    "openai-text": _prompted,
    "llamacpp-infill": _infilled,
    "openai-responses": _responded,
    GOOGLE_WIRE: generated,
}


def _limit(values: Mapping[str, object]) -> int:
    stated = _nested(values) or values
    for name in ("max_completion_tokens", "max_tokens", "max_output_tokens", "n_predict", "maxOutputTokens"):
        limit = stated.get(name)
        if isinstance(limit, int):
            return limit
    return _WITHOUT_LIMIT


def _texts(content: object) -> Iterator[str]:
    """Yield the texts of a content: a string, or parts of which those of text and results of calls count."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        for part in filter(is_object, content):
            if isinstance(text := part.get("text"), str):
                yield text
            elif part.get("type") == "tool_result":
                yield from _texts(part.get("content"))
