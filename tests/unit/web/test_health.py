"""Health and metrics over a real connection; test_pages.py has a store that fails."""

from __future__ import annotations

from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from noughts import __version__
from server.web.health import Health
from tests.support.houses import new_house


async def test_a_server_that_is_alive_names_its_version() -> None:
    app = web.Application()
    app.add_routes(Health(new_house()).routes())
    async with TestClient(TestServer(app)) as client:
        answer = await client.get("/healthz")
        assert (answer.status, await answer.text()) == (200, f"alive {__version__}\n")
        assert (await client.get("/readyz")).status == 200
        assert (await client.get("/metrics")).status == 404
