"""The event loops that `tests/unit/conftest.py` chooses."""

from __future__ import annotations

import asyncio
from contextlib import closing

import pytest

from tests.support.clockwork import VirtualLoop


async def test_a_sleep_lets_everything_happen_that_is_due_by_then_and_nothing_else() -> None:
    loop = asyncio.get_running_loop()
    happened: list[float] = []
    for seconds in (3_599.999, 1.0, 3_600.001):
        loop.call_later(seconds, happened.append, seconds)

    await asyncio.sleep(3_600)

    assert happened == [1.0, 3_599.999]
    assert loop.time() == 3_600


def test_a_wait_that_nothing_can_end_fails_at_once() -> None:
    loop = VirtualLoop()

    with closing(loop), pytest.raises(RuntimeError, match="nothing will ever happen"):
        loop.run_until_complete(loop.create_future())


@pytest.mark.real_loop
async def test_a_marked_test_runs_on_asyncios_own_loop() -> None:
    assert await asyncio.to_thread(lambda: "from a thread") == "from a thread"
