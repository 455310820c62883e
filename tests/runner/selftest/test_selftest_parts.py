"""What the selftest is built from: sound cases, models that differ, a meter of the event loop, a server's log."""

import asyncio
import time
from pathlib import Path

from runner.prices import Prices
from runner.records import Tokens
from runner.selftest.cases import write_cases
from runner.selftest.lag import lag_measured
from runner.selftest.parts import FAULTS, FULL, IN_PROCESS, SERVED, prices_as_asked, simulated_prices
from runner.selftest.server import serving
from runner.suites.diff_edit.check import check_folder
from suts.simulated.faults import KINDS, parse_faults
from suts.simulated.usage import count


def test_its_cases_are_sound(tmp_path: Path) -> None:
    write_cases(tmp_path / "cases", FULL.cases)

    assert check_folder(tmp_path / "cases", strict=True) == ()


def test_its_cases_are_always_the_same(tmp_path: Path) -> None:
    for name in ("one", "other"):
        write_cases(tmp_path / name, 3)

    one, other = ([file.read_text() for file in sorted((tmp_path / name).iterdir())] for name in ("one", "other"))

    assert one == other
    assert len(set(one)) == 3


def test_no_two_served_models_share_the_numbers_of_their_attempts() -> None:
    identities = {subject.spec.identity for subject in SERVED}

    assert len(identities) == len(SERVED)


def test_every_wire_and_every_fault_are_there() -> None:
    assert {subject.wire for subject in SERVED} == {"openai-chat", "openai-responses", "anthropic-messages"}
    assert all(subject.spec.pace.time == "virtual" for subject in IN_PROCESS)
    assert set(parse_faults(FAULTS).rates) == set(KINDS)


def test_the_price_table_bills_what_the_simulated_models_bill() -> None:
    prices: Prices = prices_as_asked(simulated_prices(), [subject.sut for subject in (*SERVED, *IN_PROCESS)])

    for subject in SERVED:
        told = count(subject.spec, 2, 5000, "an answer", "a thought")
        tokens = Tokens(told.input, told.cache_read, told.cache_write, told.output, told.reasoning)
        cost = prices.cost(subject.sut, tokens)
        assert cost is not None
        assert abs(cost - told.cost_usd) < 1e-12


def test_a_blocked_event_loop_is_late() -> None:
    async def blocked() -> list[float]:
        with lag_measured() as late_ms:
            await asyncio.sleep(0.05)
            time.sleep(0.1)  # noqa: ASYNC251 - the loop is to be late
            await asyncio.sleep(0.05)
        return late_ms

    late_ms = asyncio.run(blocked())

    assert max(late_ms) > 60
    assert len(late_ms) > 3


def test_the_server_tells_what_it_did(tmp_path: Path) -> None:
    write_cases(tmp_path / "cases", 1)

    with serving(("--cases", str(tmp_path / "cases"))) as server:
        log = server.log()

    assert server.url.startswith("http://127.0.0.1:")
    assert log == []
