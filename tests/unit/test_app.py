"""The wiring: what the contexts of the application do while it runs."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest
from aiohttp import web

from server.app import HOUSE, SOCKETS, STREAMS, _sweep
from server.live.house import House
from server.web.entrance import Entrance
from server.web.proxies import Proxies
from server.web.stream import Streams
from server.web.websocket import Sockets
from tests.support.houses import new_house


def new_app() -> tuple[web.Application, House]:
    app, house, proxies = web.Application(), new_house(), Proxies(())
    app[HOUSE], app[SOCKETS] = house, Sockets(house, Entrance(house, (), proxies))
    app[STREAMS] = Streams(house, proxies)
    return app, house


async def test_a_sweep_that_fails_is_logged_and_the_next_one_runs(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    app, house = new_app()
    every, sweeps = house.limits.ping / 4, 0

    async def fail_once() -> None:
        nonlocal sweeps
        sweeps += 1
        if sweeps == 1:
            raise ZeroDivisionError

    monkeypatch.setattr(house, "sweep", fail_once)
    context = _sweep(app)
    await anext(context)
    await asyncio.sleep(2.5 * every)

    assert sweeps == 2
    assert caplog.text.count("our fault: a sweep failed") == 1
    assert "ZeroDivisionError" in caplog.text

    with pytest.raises(StopAsyncIteration):
        await anext(context)  # the end of the application
    await asyncio.sleep(2 * every)
    assert sweeps == 2


async def test_sweeping_ends_although_a_sweep_swallows_its_cancellation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app, house = new_app()

    async def swallow() -> None:
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(10)

    monkeypatch.setattr(house, "sweep", swallow)
    context = _sweep(app)
    await anext(context)
    await asyncio.sleep(house.limits.ping / 4 + 1)

    async with asyncio.timeout(100):
        with pytest.raises(StopAsyncIteration):
            await anext(context)
