"""Refuses fill-in-the-middle prompts that a server would not read as such, before any question is asked."""

from runner.console import say
from runner.errors import InputError
from runner.run.plan import FillIn
from suts.server_facts import Server, ServerFacts, exchanged, server_of, token_count
from suts.sut import Request, Sut, SutError
from suts.variants import plain_sut

_PREFIX, _SUFFIX = "def add(a, b):\n    return ", "\n\n\nprint(add(1, 2))\n"
_QUOTED = 200
_WORD = " a"


def inserting_server(sut: Sut, fill_in: FillIn) -> Server | None:
    """Return the server of a system that is asked with a suffix, a vendor's own included."""
    plain = plain_sut(sut)
    return plain if fill_in.suffix and isinstance(plain, Server) else None


async def check_fill_in(sut: Sut, facts: ServerFacts, fill_in: FillIn) -> None:
    """Raise InputError for marks that are no tokens of the model, and for a suffix that the server does not use."""
    server = server_of(sut)
    try:
        if server is not None:
            await _check_marks(sut, server, facts, fill_in)
        if inserting := inserting_server(sut, fill_in):
            await _check_suffix(sut, inserting, fill_in.suffix)
    except SutError as error:
        say(f"{sut.name}: it is not known whether it reads the marks of fill-in-the-middle: {error}")


async def _check_marks(sut: Sut, server: Server, facts: ServerFacts, fill_in: FillIn) -> None:
    for prompt, marks in fill_in.marks.items():
        for mark in marks:
            # Some vocabularies have the mark with the space before it.
            counts = [await token_count(server, facts, text) for text in (mark, f" {mark}")]
            if None not in counts and 1 not in counts:
                raise InputError(
                    f"--prompts {prompt}: to {sut.name} the mark {mark!r} is {counts[0]} tokens, not one: the model is"
                    " of another family; give the prompt of its own family, or fim/suffix"
                )


async def _check_suffix(sut: Sut, server: Server, prompt: str) -> None:
    """Ask for one token with and without a suffix: a server that ignores it counts equally many prompt tokens."""
    if server.infills:
        body: dict[str, object] = {"input_prefix": _PREFIX, "input_suffix": _SUFFIX, "n_predict": 1, "stream": False}
        reply = await exchanged(server, "/infill", {"model": server.model, **body})
        if reply.is_refusal:
            raise InputError(
                f"--prompts {prompt}: {sut.name} cannot fill in: {_words(reply.body)}; use a model that can, or chats"
            )
        return
    body = {"model": server.model, "prompt": _PREFIX, "max_tokens": 1, "temperature": 0, "stream": False}
    bare = await exchanged(server, "completions", body)
    full = await exchanged(server, "completions", {**body, "suffix": _SUFFIX})
    if full.is_refusal and not bare.is_refusal:
        raise InputError(
            f"--prompts {prompt}: {sut.name} refuses a suffix: {_words(full.body)}; give the prompt of its family"
        )
    counts = [_prompt_tokens(reply.body) for reply in (bare, full)]
    if counts[0] is not None and counts[0] == counts[1]:
        raise InputError(
            f"--prompts {prompt}: the server of {sut.name} ignores the suffix ({counts[0]} prompt tokens with it and"
            " without); give the prompt of the model's family, or provider llamacpp for llama.cpp's server"
        )


async def cut_by_server(server: Server, facts: ServerFacts, request: Request) -> str:
    """Return a warning if `/infill` does not read all of a question of this size; "" where that is not known.

    llama.cpp's server cuts prefix and suffix to shares of its batch size. The text that is sent has only the size of
    the question: the question itself would be in the server's cache when it is asked.
    """
    sizes = [await token_count(server, facts, text) for text in (request.prompt or "", request.suffix or "")]
    prefix, suffix = (_WORD * size if size else "" for size in sizes)
    counts = [await token_count(server, facts, text) for text in (prefix, suffix)]
    body: dict[str, object] = {"input_prefix": prefix, "input_suffix": suffix, "n_predict": 1, "stream": False}
    reply = await exchanged(server, "/infill", {"model": server.model, **body})
    read = reply.body.get("tokens_evaluated") if isinstance(reply.body, dict) else None
    sent = sum(count or 0 for count in counts)
    if type(read) is not int or read >= sent:
        return ""
    return f"its server cuts the longest question from {sent:,} to {read:,} tokens; start it with a larger batch size"


def _prompt_tokens(body: object) -> int | None:
    usage = body.get("usage") if isinstance(body, dict) else None
    count = usage.get("prompt_tokens") if isinstance(usage, dict) else None
    return count if type(count) is int else None


def _words(body: object) -> str:
    """Return the beginning of what a refusal says, in one line."""
    error = body.get("error", body) if isinstance(body, dict) else body
    text = error.get("message", error) if isinstance(error, dict) else error
    return " ".join(str(text).split())[:_QUOTED]
