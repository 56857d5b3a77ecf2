"""Health and metrics over a real connection; test_pages.py has a store that fails."""

from __future__ import annotations

import asyncio

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from noughts import __version__
from server.store.memory import MemoryStore
from server.web import health
from server.web.health import Health
from tests.support.houses import new_house


class Counting(MemoryStore):
    """Counts how often it is asked whether it can write."""

    probes = 0

    async def can_write(self) -> bool:
        self.probes += 1
        await asyncio.sleep(0.01)
        return self.probes == 1


async def test_the_store_is_probed_once_a_second_however_many_ask(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    time = [100.0]
    monkeypatch.setattr(health, "monotonic", lambda: time[0])
    store, app = Counting(), web.Application()
    app.add_routes(Health(new_house(store)).routes())
    async with TestClient(TestServer(app)) as client:
        answers = await asyncio.gather(*(client.get("/readyz") for _ in range(20)))
        time[0] += 0.9
        answers.append(await client.get("/readyz"))
        assert ({answer.status for answer in answers}, store.probes) == ({200}, 1)

        time[0] += 0.2
        assert ((await client.get("/readyz")).status, store.probes) == (503, 2)


async def test_a_server_that_is_alive_names_its_version() -> None:
    app = web.Application()
    app.add_routes(Health(new_house()).routes())
    async with TestClient(TestServer(app)) as client:
        answer = await client.get("/healthz")
        assert (answer.status, await answer.text()) == (200, f"alive {__version__}\n")
        assert (await client.get("/readyz")).status == 200
        assert (await client.get("/metrics")).status == 404
