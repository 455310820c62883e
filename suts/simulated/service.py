"""Answers the requests of the simulated server: who asks for what, which attempt it is, and what goes wrong.

A seed above the server's own names the attempt: evals sends `--seed` plus the attempt's number, and the same seed gives
the same answer. Without one it is counted: the n-th answer that arrives whole for one model, seed, case and system
prompt is that of attempt n, so the counts of a run are exact however its requests overtake one another, and a request
that failed uses up no number. A client may name the attempt itself by `x-evals-attempt: N` (and the case by
`x-evals-case`), which makes each answer that of its own number. A coding agent, whose request declares tools that read
and change files, gets one turn of a script (`suts.simulated.scripts`).
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final
from urllib.parse import unquote

import orjson

from suts.simulated.answer import Sending
from suts.simulated.batches import NoSuchBatchError, SimulatedBatches
from suts.simulated.book import Numbers
from suts.simulated.config import ServerConfig
from suts.simulated.connection import ClientConnection, HttpRequest
from suts.simulated.delivery import Delivery, Exchange, Hooks, sending_of
from suts.simulated.draws import Key, digest, unit
from suts.simulated.errors import error_body
from suts.simulated.faults import FORBIDDEN, REFUSALS, WHOLE
from suts.simulated.google_forms import GOOGLE_WIRE, MODELS, GooglePath, google_models, google_path
from suts.simulated.journal import Journal, JournalEntry
from suts.simulated.llamacpp import LlamaCpp
from suts.simulated.model_pages import model_page, models_page
from suts.simulated.pacer import Pacer
from suts.simulated.question import NO_FIELDS, SimQuestion, read_prompt, read_question
from suts.simulated.rate_limit import TokenBucket, rate_headers, retry_after
from suts.simulated.spec import PRESETS, ModelSpec, WireName, parse_spec
from suts.simulated.stated_truths import stated_truths
from suts.simulated.usage import prompt_tokens
from suts.sut import Truth

_ROUTES: Final[dict[str, WireName]] = {
    "/chat/completions": "openai-chat",
    "/completions": "openai-text",
    "/responses": "openai-responses",
    "/messages": "anthropic-messages",
    "/infill": "llamacpp-infill",
}
_COUNT_TOKENS: Final = "/messages/count_tokens"
_MODEL: Final = "/models/"
_OWN: Final = "/_sim/"
_MESSAGES: Final = {
    403: "this input is not allowed",
    429: "too many requests",
    500: "the simulated server failed",
    529: "the simulated server is full",
}


class RequestRefusedError(Exception):
    """A request that gets no answer but a status."""

    def __init__(
        self,
        status: int,
        message: str,
        headers: Mapping[str, str] | None = None,
        *,
        parameter: str | None = None,
        body: bytes | None = None,
    ) -> None:
        """Keep the status, the headers, the parameter that is refused and a body of its own beside the message."""
        super().__init__(message)
        self.status = status
        self.headers = headers or {}
        self.parameter = parameter
        self.body = body


class SimulatedService:
    """The state of one server: numbers, faults, rate limit, journal."""

    def __init__(
        self, config: ServerConfig, pacer: Pacer, call_later: Callable[[float, Callable[[], None]], object]
    ) -> None:
        """Start with an empty journal. Raises ValueError when a parameter for all models is wrong."""
        self._config = config
        self._pacer = pacer
        self._specs: dict[tuple[str, WireName], ModelSpec] = {}
        self._bucket = TokenBucket(config.rps, config.burst, config.now_ns()) if config.rps else None
        self._numbers = Numbers()
        self._arrivals: dict[Key, int] = {}
        self._stated: dict[str, Truth] = {}
        self.journal = Journal()
        self._batches = SimulatedBatches(self._line, config.batches, config.unix_s)
        self._hooks = Hooks(config.now_ns, call_later, self.journal.end, config.stall_s)
        self._spec("any", "openai-chat")

    def forget(self) -> None:
        """Start again: numbers from 1, faults from the first, an empty journal."""
        self._numbers = Numbers()
        self._arrivals = {}
        self._batches = SimulatedBatches(self._line, self._config.batches, self._config.unix_s)
        self.journal.forget()

    def handle(self, request: HttpRequest, connection: ClientConnection) -> None:
        """Answer one request, now or over time."""
        path = request.path.removeprefix("/v1")
        if request.method == "POST" and path in _ROUTES and (path != "/infill" or self._config.llamacpp):
            self._serve(_ROUTES[path], request, connection)
            return
        called = google_path(request.path) if request.method == "POST" else None
        if called is not None and not called.counts:
            self._serve(GOOGLE_WIRE, request, connection)
            return
        wire = _api_of(request, path)
        try:
            if self._batches.has(path):
                self._answer_about_batches(request, path, connection)
                return
            played = self._config.llamacpp and self._config.llamacpp.page(request.method, path, request.body)
            page = played or (
                self._google_page(request, called) if wire == GOOGLE_WIRE else self._page(wire, request, path)
            )
        except RequestRefusedError as refused:
            connection.respond(refused.status, error_body(wire, refused.status, str(refused)))
        else:
            connection.respond(200, b"" if request.method == "HEAD" else orjson.dumps(page))

    def _google_page(self, request: HttpRequest, called: GooglePath | None) -> object:
        """Return what a page of Google's API says. Raises RequestRefusedError."""
        self._authorize(request)
        if called is not None:
            return {"totalTokens": _counted(request.body, GOOGLE_WIRE, called.fields)}
        if request.method != "GET" or request.path != MODELS:
            raise RequestRefusedError(404, f"there is no {request.method} {request.path}")
        return google_models(sorted(PRESETS))

    def _answer_about_batches(self, request: HttpRequest, path: str, connection: ClientConnection) -> None:
        """Answer, or break the connection. Raises RequestRefusedError."""
        self._authorize(request)
        try:
            page = self._batches.page(request.method, path, request.query, request.headers, request.body)
        except NoSuchBatchError as error:
            raise RequestRefusedError(error.status, str(error)) from error
        if page.broken:
            connection.break_off(page.body)
        else:
            connection.respond(200, page.body)

    def _line(self, wire: WireName, body: bytes) -> tuple[int, bytes]:
        """Answer a line of a batch by its status and its body; a fault that would break a stream is status 500."""
        entry = JournalEntry(self._config.now_ns(), wire, model="")
        self.journal.begin(entry)
        try:
            # The request about the whole batch had the key.
            headers = {"x-api-key": self._config.key}
            sending = _undisturbed(self._query(wire, HttpRequest("POST", "", headers, body), entry, limited=False))
        except RequestRefusedError as refused:
            entry.status = refused.status
            return refused.status, refused.body or error_body(wire, refused.status, str(refused), refused.parameter)
        else:
            entry.status, entry.planned, entry.usage, entry.whole = 200, sending.planned.outcome, sending.usage, True
            return 200, sending.frames[0]
        finally:
            entry.ended_ns = self._config.now_ns()
            self.journal.end()

    def refusal(self, path: str, status: int, message: str) -> bytes:
        """Return the body of an error about a request that could not be read, in the form of the wire of its path."""
        return error_body(_ROUTES.get(path.removeprefix("/v1"), "openai-chat"), status, message)

    def _page(self, wire: WireName, request: HttpRequest, path: str) -> object:
        """Return what a page says. Raises RequestRefusedError."""
        match "GET" if request.method == "HEAD" else request.method, path:
            case "GET", "/" | "/health":
                return {"status": "ok", "simulated": True}
            case "GET", "/models":
                self._authorize(request)
                return models_page(wire)
            case "GET", _ if path.startswith(_MODEL):
                self._authorize(request)
                return self._model(wire, unquote(path.removeprefix(_MODEL)))
            case "POST", _ if path == _COUNT_TOKENS:
                self._authorize(request)
                return {"input_tokens": _counted(request.body)}
            case _ if path.startswith(_OWN):
                return self._own_page(request, path)
            case _:
                raise RequestRefusedError(404, f"there is no {request.method} {request.path}")

    def _own_page(self, request: HttpRequest, path: str) -> object:
        """Return what a page about the server itself says. Raises RequestRefusedError."""
        match request.method, path.removeprefix(_OWN):
            case "GET", "log":
                return self.journal.entries
            case "GET", "stats":
                return self.journal.stats
            case "POST", "truths":
                self._stated |= _stated(request.body)
            case "POST", "reset":
                self.forget()
            case _:
                raise RequestRefusedError(404, f"there is no {request.method} {request.path}")
        return {}

    def _model(self, wire: WireName, name: str) -> object:
        try:
            self._spec(name, wire)
        except ValueError as error:
            raise RequestRefusedError(404, str(error)) from error
        return model_page(wire, name)

    def _serve(self, wire: WireName, request: HttpRequest, connection: ClientConnection) -> None:
        entry = JournalEntry(self._config.now_ns(), wire, model="")
        self.journal.begin(entry)
        try:
            query = self._query(wire, request, entry)
        except RequestRefusedError as refused:
            entry.status = refused.status
            entry.first_byte_ns = entry.ended_ns = self._config.now_ns()
            self.journal.end()
            body = refused.body or error_body(wire, refused.status, str(refused), refused.parameter)
            connection.respond(refused.status, body, refused.headers)
            return
        self._pacer.play(Delivery(query, entry, connection, self._hooks).playing)

    def _query(self, wire: WireName, request: HttpRequest, entry: JournalEntry, *, limited: bool = True) -> Exchange:
        """Return what is to be answered. Raises RefusedError for what gets no answer."""
        config = self._config
        question, spec = self._read(wire, request)
        entry.model, entry.stream = question.model, question.stream
        if limited and self._bucket is not None and not self._bucket.admit(entry.arrived_ns):
            wait = retry_after(self._bucket.retry_s)
            raise RequestRefusedError(429, _MESSAGES[429], self._rate_headers(wire) | wait)
        entry.turn = None if question.turn is None else question.turn.position
        seed, named = config.seed if question.seed is None else question.seed, None
        if seed > config.seed:
            seed, named = config.seed, seed - config.seed
        elif question.turn is not None:
            # An attempt of an agent asks many times, and nothing but a header distinguishes it from another attempt.
            named = 1
        truth = self._truth(question, request.headers.get("x-evals-case", ""), seed)
        entry.case_id = truth.case_id
        key: Key = (spec.identity, seed, truth.case_id, digest((question.system,)))
        if truth.repairs:
            key = (*key, "repair", truth.repairs)
        arrival = self._arrivals.get(key, 0)
        self._arrivals[key] = arrival + 1
        is_forbidden = bool(config.forbidden) and truth.case_id == config.forbidden
        entry.fault = FORBIDDEN if is_forbidden else config.faults.draw((config.seed, *key), arrival)
        if entry.fault in REFUSALS:
            status = REFUSALS[entry.fault]
            raise RequestRefusedError(status, _MESSAGES[status], self._fault_headers(wire, status))
        numbers, give_back = self._take(request, key, question.choices, named, faulty=entry.fault not in WHOLE)
        entry.number = numbers[0]
        return Exchange(
            question,
            spec,
            replace(truth, number=entry.number),
            numbers,
            give_back,
            entry.fault,
            unit((config.seed, *key, "place", arrival)),
            self._rate_headers(wire),
        )

    def _truth(self, question: SimQuestion, case: str, seed: int) -> Truth:
        if case in self._stated:
            return replace(self._stated[case], seed=seed)
        if question.turn is not None:
            return self._config.book.find_among(question.texts, case, seed)
        return self._config.book.find_followed(question.texts, case, seed, question.system)

    def _read(self, wire: WireName, request: HttpRequest) -> tuple[SimQuestion, ModelSpec]:
        self._authorize(request)
        try:
            called = google_path(request.path)
            question = read_question(wire, request.body, {} if called is None else called.fields)
        except ValueError as error:
            raise RequestRefusedError(400, str(error)) from error
        refused = next((name for name in self._config.refused if name in question.parameters), None)
        if refused is not None:
            raise RequestRefusedError(400, f"`{refused}` is not supported with this model.", parameter=refused)
        if self._config.llamacpp:
            question = self._played(self._config.llamacpp, question)
        try:
            return question, self._spec(question.model, wire)
        except ValueError as error:
            raise RequestRefusedError(404, str(error)) from error

    def _authorize(self, request: HttpRequest) -> None:
        headers = request.headers
        bearer = headers.get("authorization", "").removeprefix("Bearer ")
        key = headers.get("x-api-key") or headers.get("x-goog-api-key") or bearer
        if self._config.key and key != self._config.key:
            raise RequestRefusedError(401, "this key is not served")

    def _spec(self, model: str, wire: WireName) -> ModelSpec:
        spec = self._specs.get((model, wire))
        if spec is None:
            spec = parse_spec(model, self._config.parameters)
            flavour = "llamacpp" if self._config.llamacpp else spec.bill.flavour
            spec = replace(spec, bill=replace(spec.bill, wire=wire, flavour=flavour))
            self._specs[model, wire] = spec
        return spec

    def _played(self, server: LlamaCpp, question: SimQuestion) -> SimQuestion:
        """Return what llama.cpp's server makes of a question. Raises RequestRefusedError for one that is too long."""
        if question.wire == "openai-text":
            question = replace(question, texts=question.texts[:1])
        if body := server.overflow(prompt_tokens(question.system, question.texts)):
            raise RequestRefusedError(400, "too long", body=body)
        return question

    def _take(
        self, request: HttpRequest, key: Key, count: int, named: int | None, *, faulty: bool
    ) -> tuple[tuple[int, ...], Callable[[], None]]:
        """Return the numbers of the attempts, one per choice, and a function that frees them.

        Numbers that the client sent are not freed. A faulty answer only borrows the next numbers: its client may ask
        again before the connection is closed.
        """
        attempt = request.headers.get("x-evals-attempt", "")
        if attempt.isdecimal():
            named = int(attempt)
        if named is not None or faulty:
            first = self._numbers.next(key) if named is None else named
            return tuple(range(first, first + count)), _nothing
        # A reset replaces them: an answer from before gives nothing back to those after it.
        taken_from = self._numbers
        numbers = tuple(taken_from.take(key) for _ in range(count))

        def give_back() -> None:
            for number in numbers:
                taken_from.give_back(key, number)

        return numbers, give_back

    def _rate_headers(self, wire: WireName) -> dict[str, str]:
        bucket, config = self._bucket, self._config
        if bucket is None or not config.rate_headers:
            return {}
        return rate_headers(wire, bucket.burst, bucket.remaining, bucket.reset_s, config.unix_s())

    def _fault_headers(self, wire: WireName, status: int) -> dict[str, str]:
        if status != 429:
            return {}
        config, wait = self._config, retry_after(self._config.retry_after_s)
        if not config.rate_headers:
            return wait
        return rate_headers(wire, config.burst, 0, config.retry_after_s, config.unix_s()) | wait


def _undisturbed(exchange: Exchange) -> Sending:
    """Return an answer that nothing happens to. Raises RequestRefusedError for one that would not arrive whole."""
    if exchange.fault not in WHOLE:
        exchange.give_back()
        raise RequestRefusedError(500, _MESSAGES[500])
    return sending_of(exchange)


def _api_of(request: HttpRequest, path: str) -> WireName:
    """Return the wire of the API that a page is of: OpenAI and Anthropic have a list of models at the same place."""
    if request.path.startswith(MODELS):
        return GOOGLE_WIRE
    anthropic = path == _COUNT_TOKENS or "anthropic-version" in request.headers
    return "anthropic-messages" if anthropic else "openai-chat"


def _stated(body: bytes) -> Mapping[str, Truth]:
    try:
        return stated_truths(body)
    except ValueError as error:
        raise RequestRefusedError(400, str(error)) from error


def _counted(body: bytes, wire: WireName = "anthropic-messages", in_path: Mapping[str, object] = NO_FIELDS) -> int:
    try:
        return prompt_tokens(*read_prompt(wire, body, in_path))
    except ValueError as error:
        raise RequestRefusedError(400, str(error)) from error


def _nothing() -> None:
    """There is no number to give back."""
