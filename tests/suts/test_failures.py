import pytest

from suts.failures import MESSAGE_LIMIT, failure, kind_of_status, malformed, redacted, refusal
from suts.sut import ErrorKind


@pytest.mark.parametrize(
    "text,clean",
    [
        ("Bearer abc.def-123, then", "[redacted], then"),
        ("sk-proj-0123456789abcdef is wrong", "[redacted] is wrong"),
        ("sk-ant-api03-0123456789", "[redacted]"),
        ("key sk-0123****cdef.", "key [redacted]"),
        ("AIza0123456789012345678901234567", "[redacted]"),
        ("gsk_0123456789 xai-0123456789 hf_0123456789", "[redacted] [redacted] [redacted]"),
        ("ask-me-anything, risk-free, key_not_found, sk-short", "ask-me-anything, risk-free, key_not_found, sk-short"),
    ],
)
def test_what_looks_like_a_key_is_taken_out(text: str, clean: str) -> None:
    assert redacted(text) == clean


def test_the_key_itself_is_taken_out_whatever_it_looks_like() -> None:
    assert redacted("said hunter22 twice: hunter22", "hunter22") == "said [redacted] twice: [redacted]"


@pytest.mark.parametrize(
    "status,kind", [(418, ErrorKind.BAD_REQUEST), (301, ErrorKind.BAD_REQUEST), (599, ErrorKind.SERVER)]
)
def test_a_status_that_nobody_planned_has_a_kind(status: int, kind: ErrorKind) -> None:
    assert kind_of_status(status) == kind


@pytest.mark.parametrize(
    "error,kind,status",
    [
        pytest.param({"code": 529}, ErrorKind.OVERLOADED, 529, id="code"),
        pytest.param({"code": "model_not_found"}, ErrorKind.NOT_FOUND, None, id="word-as-code"),
        pytest.param({"code": 7, "type": "timeout_error"}, ErrorKind.TIMEOUT, None, id="no-status"),
        pytest.param({"code": None, "type": None}, ErrorKind.SERVER, None, id="nulls"),
        pytest.param(["odd"], ErrorKind.SERVER, None, id="list"),
        pytest.param(None, ErrorKind.SERVER, None, id="nothing"),
    ],
)
def test_an_error_object_without_a_status_tells_its_kind(error: object, kind: ErrorKind, status: int | None) -> None:
    told = failure(error)

    assert (told.kind, told.status) == (kind, status)


def test_the_status_counts_more_than_the_words() -> None:
    told = failure({"type": "invalid_request_error", "message": "busy"}, status=503, retry_after_s=2.0)

    assert (told.kind, told.retryable, told.retry_after_s) == (ErrorKind.OVERLOADED, True, 2.0)
    assert str(told) == "503 invalid_request_error: busy"


@pytest.mark.parametrize(
    "error, status",
    [
        pytest.param({"code": "context_length_exceeded", "message": "shorten it"}, 400, id="OpenAI, by its code"),
        pytest.param({"code": "context_length_exceeded"}, None, id="OpenAI, in a stream"),
        pytest.param(
            {
                "code": 400,
                "message": "request (4031 tokens) exceeds the available context size (2048 tokens), try increasing it",
                "type": "exceed_context_size_error",
                "n_prompt_tokens": 4031,
                "n_ctx": 2048,
            },
            400,
            id="llama.cpp",
        ),
        pytest.param("This model's maximum context length is 4096 tokens. However, you requested 5000", 400, id="vLLM"),
        pytest.param(
            "The decoder prompt (length 5000) is longer than the maximum model length of 4096", 400, id="vLLM, older"
        ),
        pytest.param("prompt is too long: 209872 tokens > 200000 maximum", 400, id="Anthropic"),
        pytest.param(
            "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000", 400, id="Anthropic, both"
        ),
        pytest.param("The input token count (1200000) exceeds the maximum number of tokens allowed", 400, id="Gemini"),
        pytest.param("too large for model with 32768 maximum context length", 400, id="Mistral"),
        pytest.param("This model's maximum prompt length is 131072 but the request has 537812", 400, id="xAI"),
        pytest.param(
            "The input (5000 tokens) is longer than the model's context length (4096 tokens).", 400, id="SGLang"
        ),
        pytest.param("the model is loaded with context length of only 4096 tokens", None, id="LM Studio, in a stream"),
        pytest.param("Input is too long for requested model.", 400, id="Bedrock"),
    ],
)
def test_a_question_that_does_not_fit_has_a_kind_of_its_own_and_is_final(error: object, status: int | None) -> None:
    overflow = failure(error, status=status)

    assert (overflow.kind, overflow.retryable) == (ErrorKind.CONTEXT, False)


@pytest.mark.parametrize(
    "message, status, kind",
    [
        ("max_tokens is too large: 99999. This model supports at most 16384 completion tokens", 400, "bad_request"),
        ("maximum context length", 429, "rate_limit"),
        ("maximum context length", 401, "auth"),
        ("the context window is being loaded", 503, "overloaded"),
    ],
)
def test_other_refusals_are_not_taken_for_an_overflow(message: str, status: int, kind: str) -> None:
    assert failure(message, status=status).kind == kind


@pytest.mark.parametrize("word, retryable", [("rate_limit_exceeded", True), ("insufficient_quota", False)])
def test_an_empty_purse_is_not_waited_for_as_a_burst_is(word: str, retryable: bool) -> None:
    told = failure({"code": word, "message": "too much"}, status=429)

    assert (told.kind, told.retryable) == (ErrorKind.RATE_LIMIT, retryable)


@pytest.mark.parametrize("shown", range(1, 12))
def test_no_part_of_a_key_is_left_where_a_message_is_cut(shown: int) -> None:
    key, padding = "hunter2-hunter2", "x" * (MESSAGE_LIMIT - len("401: ") - 1 - shown)

    told = str(failure(f"{padding} {key}", status=401, secrets=[key]))

    assert told == f"401: {padding} [redacted]"[:MESSAGE_LIMIT]
    assert "hunt" not in told


def test_a_malformed_chunk_is_quoted_briefly_and_without_keys() -> None:
    told = malformed(b'{"key": "sk-0123456789abcdef", "more": "' + b"x" * 1000 + b"\xff")

    assert "[redacted]" in str(told)
    assert "sk-0123" not in str(told)
    assert len(str(told)) == MESSAGE_LIMIT


def test_a_body_that_is_no_text_is_still_quoted() -> None:
    assert str(refusal(b"\xff\xfe bad", status=500)) == "500: \ufffd\ufffd bad"


EXHAUSTED = (
    "insufficient_quota",
    "credit_balance_exhausted",
    "enforced_spend_limit_reached",
    "contract_spend_limit_reached",
)


@pytest.mark.parametrize("status", [429, None], ids=["refused", "in a stream"])
@pytest.mark.parametrize("word", EXHAUSTED)
def test_spent_money_does_not_come_back_by_waiting(word: str, status: int | None) -> None:
    by_code = failure({"code": word, "message": "spent"}, status=status)
    by_detail = failure({"type": "rate_limit_error", "details": {"error_code": word}}, status=status)

    for told in (by_code, by_detail):
        assert (told.kind, told.retryable) == (ErrorKind.RATE_LIMIT, False)


def test_money_that_requests_under_way_have_reserved_comes_back() -> None:
    reserved = {"code": 402, "message": "wait", "metadata": {"limit_source": "openrouter_in_flight_budget"}}

    told = failure(reserved, status=402, retry_after_s=3.0)

    assert (told.kind, told.retryable, told.retry_after_s, told.status) == (ErrorKind.RATE_LIMIT, True, 3.0, 402)
    assert not failure({"code": 402, "message": "empty"}, status=402, retry_after_s=3.0).retryable


@pytest.mark.parametrize(
    "error",
    [{"code": 403, "message": "flagged"}, {"type": "permission_error"}, {"code": "permission_denied"}],
)
def test_what_is_forbidden_has_the_status_403_also_inside_a_stream(error: dict[str, object]) -> None:
    told = failure(error)

    assert (told.kind, told.status, told.retryable) == (ErrorKind.AUTH, 403, False)


@pytest.mark.parametrize("code", ["9" * 5000, "\u0664\u0660\u0663\u0660", 10**18])
def test_a_number_that_is_no_status_is_none(code: object) -> None:
    assert failure({"code": code}).status is None


@pytest.mark.parametrize(
    "error, parameter",
    [
        pytest.param(
            {"message": "Unsupported value: 'temperature' does not support 0 with this model.", "param": "temperature"},
            "temperature",
            id="OpenAI, a value",
        ),
        pytest.param(
            {
                "message": "Unsupported parameter: 'max_tokens' is not supported with this model. "
                "Use 'max_completion_tokens' instead.",
                "param": "max_tokens",
            },
            "max_tokens",
            id="OpenAI, a name",
        ),
        pytest.param({"message": "`temperature` is deprecated for this model."}, "temperature", id="Anthropic"),
        pytest.param(
            {"message": "`temperature` may only be set to 1 when thinking is enabled."}, "temperature", id="thinking"
        ),
        pytest.param(
            {"detail": [{"type": "extra_forbidden", "loc": ["body", "seed"], "msg": "Extra inputs are not permitted"}]},
            "seed",
            id="Mistral",
        ),
        pytest.param({"message": "max_tokens is too large: 9000. At most 4096 are possible"}, "", id="too large"),
        pytest.param({"message": "this content is not allowed", "param": "messages"}, "", id="content"),
        pytest.param({"message": "this model does not support images"}, "", id="nothing that we send"),
    ],
)
def test_a_refused_parameter_is_named(error: dict[str, object], parameter: str) -> None:
    assert failure(error, status=400).parameter == parameter
    assert failure(error, status=500).parameter == ""


def test_google_states_a_bad_key_and_a_time_to_wait_among_the_details() -> None:
    key = b'{"error": {"code": 400, "message": "API key not valid.", "details": [{"reason": "API_KEY_INVALID"}]}}'
    wait = b'{"error": {"code": 429, "message": "Quota.", "details": [{"links": []}, {"retryDelay": "31.5s"}]}}'

    unknown_key, busy = refusal(key, status=400), refusal(wait, status=429)

    assert (unknown_key.kind, unknown_key.retryable) == (ErrorKind.AUTH, False)
    assert (busy.kind, busy.retryable, busy.retry_after_s) == (ErrorKind.RATE_LIMIT, True, 31.5)
    assert refusal(wait, status=429, retry_after_s=2.0).retry_after_s == 2.0
