from math import isfinite

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from suts.rate_headers import Allowance, RateHeaders, read_rate_headers, seconds_until

NOW = 1_741_305_590.0


def read(headers: dict[str, str], status: int = 200) -> RateHeaders:
    return read_rate_headers(headers, status=status, at_ns=5, unix_s=NOW)


@pytest.mark.parametrize(
    "text,seconds",
    [
        ("7", 7.0),
        ("1.5", 1.5),
        (" 0 ", 0.0),
        ("20ms", 0.02),
        ("1m30s", 90.0),
        ("6m0s", 360.0),
        ("1h2m3.5s", 3723.5),
        ("2d", 172_800.0),
        ("1741305600", 10.0),
        ("1741305600000", 10.0),
        ("1741305000", 0.0),
        ("Fri, 07 Mar 2025 00:00:00 GMT", 10.0),
        ("Thu, 06 Mar 2025 00:00:00 GMT", 0.0),
        ("2025-03-07T00:00:00Z", 10.0),
        ("2025-03-07T01:00:00+01:00", 10.0),
        ("2025-03-07T00:00:00", 10.0),
        ("", None),
        ("soon", None),
        ("-3", None),
        ("nan", None),
        ("1m30", None),
        ("9" * 400, None),
    ],
)
def test_a_wait_is_read_in_every_form(text: str, seconds: float | None) -> None:
    assert seconds_until(text, NOW) == (None if seconds is None else pytest.approx(seconds))


def test_openais_headers_are_read() -> None:
    headers = {
        "x-ratelimit-limit-requests": "500",
        "x-ratelimit-remaining-requests": "499",
        "x-ratelimit-reset-requests": "120ms",
        "x-ratelimit-limit-tokens": "200000",
        "x-ratelimit-remaining-tokens": "199000",
        "x-ratelimit-reset-tokens": "6m0s",
    }

    assert read(headers) == RateHeaders(
        5, 200, requests=Allowance(500, 499, 0.12), tokens=Allowance(200_000, 199_000, 360.0)
    )


def test_anthropics_headers_are_read() -> None:
    headers = {
        "Anthropic-Ratelimit-Requests-Limit": "50",
        "Anthropic-Ratelimit-Requests-Remaining": "0",
        "Anthropic-Ratelimit-Requests-Reset": "2025-03-07T00:00:00Z",
        "Anthropic-Ratelimit-Tokens-Remaining": "70000",
    }

    assert read(headers) == RateHeaders(5, 200, Allowance(50, 0, 10.0), Allowance(remaining=70_000))


def test_openrouters_headers_are_read() -> None:
    headers = {"X-RateLimit-Limit": "20", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1741305600000"}

    read_headers = read(headers, status=429)

    assert read_headers.requests == Allowance(20, 0, 10.0)
    assert read_headers.retry_after_s == 10.0


@pytest.mark.parametrize(
    "headers,status,wait",
    [
        pytest.param({"Retry-After": "3"}, 429, 3.0, id="seconds"),
        pytest.param({"retry-after": "Fri, 07 Mar 2025 00:00:00 GMT"}, 503, 10.0, id="date"),
        pytest.param({"retry-after-ms": "250", "retry-after": "9"}, 429, 0.25, id="milliseconds-first"),
        pytest.param({"retry-after": "3", "x-ratelimit-reset": "60"}, 429, 3.0, id="before-the-reset"),
        pytest.param({"ratelimit-reset": "60"}, 429, 60.0, id="reset"),
        pytest.param({"ratelimit-reset": "60"}, 500, None, id="reset-of-another-error"),
        pytest.param(
            {
                "x-ratelimit-remaining-requests": "5",
                "x-ratelimit-reset-requests": "900",
                "x-ratelimit-remaining-tokens": "0",
                "x-ratelimit-reset-tokens": "7",
            },
            429,
            7.0,
            id="only-what-is-used-up",
        ),
        pytest.param({"retry-after": "soon"}, 429, None, id="unreadable"),
    ],
)
def test_the_wait_after_a_refusal(headers: dict[str, str], status: int, wait: float | None) -> None:
    assert read(headers, status).retry_after_s == wait


def test_a_point_in_time_is_measured_by_the_servers_own_clock() -> None:
    headers = {"Date": "Sat, 01 Jan 2000 00:00:00 GMT", "Retry-After": "Sat, 01 Jan 2000 00:00:30 GMT"}

    assert read(headers, 429).retry_after_s == 30.0


def test_a_response_without_limits_tells_nothing() -> None:
    assert read({"Date": "Sat, 01 Jan 2000 00:00:00 GMT", "X-Other": "1"}) == RateHeaders(5, 200)
    assert not read({}).has_limits
    assert read({"x-ratelimit-limit": "3"}).has_limits


NAMES = [
    "Date",
    "retry-after",
    "retry-after-ms",
    *(
        f"{family}-{part}{rest}"
        for family, rest in (("x-ratelimit", "-requests"), ("x-ratelimit", ""), ("ratelimit", ""))
        for part in ("limit", "remaining", "reset")
    ),
    *(f"anthropic-ratelimit-tokens-{part}" for part in ("limit", "remaining", "reset")),
]
DAYS = st.datetimes().map(lambda moment: moment.strftime("Fri, %d %b %Y %H:%M:%S GMT"))
NUMBERS = st.integers().map(str) | st.floats().map(str) | st.from_regex(r"\d{1,400}(\.\d{1,40})?(ms|s|m|h|d)?")
DIGITS = st.text("0123456789.:-+TZ, GMTjanfeb", max_size=60)
texts = st.text(max_size=60) | NUMBERS | DAYS | st.datetimes().map(lambda moment: moment.isoformat()) | DIGITS


@given(headers=st.dictionaries(st.sampled_from(NAMES), texts), status=st.sampled_from([200, 429, 503]))
@example({"retry-after": "Fri, 31 Dec 9999 23:59:59 GMT"}, 429)
@example({"retry-after": "Fri, 31 Dec 9999 23:59:59 -2359"}, 429)
@example({"retry-after": "Mon, 01 Jan 0001 00:00:00 +2359"}, 429)
@example({"retry-after": "0001-01-01T00:00:00+23:59"}, 429)
@example({"retry-after": "9999-12-31T23:59:59-23:59"}, 429)
@example({"retry-after": "Fri, 31 Dec 99999999999999999999 23:59:59 GMT"}, 429)
@example({"retry-after": "Fri, 31 Dec 2025 23:59:59 +99999999999999999999"}, 429)
@example({"retry-after": "1e400"}, 429)
@example({"retry-after": "-1"}, 429)
@example({"date": "Mon, 01 Jan 0001 00:00:00 GMT", "retry-after": "Fri, 31 Dec 9999 23:59:59 GMT"}, 429)
def test_no_header_text_raises_and_each_number_is_finite_and_not_negative(headers: dict[str, str], status: int) -> None:
    limits = read(headers, status)

    numbers = [limits.retry_after_s]
    for allowance in (limits.requests, limits.tokens):
        numbers += [allowance.limit, allowance.remaining, allowance.reset_s]
    assert all(number is None or (isfinite(number) and number >= 0) for number in numbers)
