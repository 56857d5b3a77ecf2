"""The answers of the pages while the store fails or the server drains, over a real connection.

`tests/e2e/test_http.py` has everything that a healthy server answers.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from noughts import __version__
from server.core.events import Event
from server.core.room import RoomId
from server.live.house import House
from server.store import Unavailable
from server.store.memory import MemoryStore
from server.web.assets import read_assets
from server.web.health import Health
from server.web.pages import Pages
from server.web.proxies import Proxies
from server.web.reach import Reach
from tests.support.houses import new_house

Client = TestClient[web.Request, web.Application]


class Broken(MemoryStore):
    async def load(self, room: RoomId, after: int = 0) -> list[Event]:
        raise Unavailable("cannot read")

    async def can_write(self) -> bool:
        return False


@pytest.fixture
async def house() -> AsyncIterator[House]:
    opened = new_house(Broken())
    yield opened
    await opened.close()


@pytest.fixture
async def client(house: House) -> AsyncIterator[Client]:
    app = web.Application()
    app.add_routes(Health(house).routes())
    reach = Reach("http://play.example", "127.0.0.1", Proxies(()))
    app.add_routes(Pages(house, reach, read_assets()).routes())
    async with TestClient(TestServer(app)) as client:
        yield client


async def test_there_is_no_code_for_an_address_that_no_other_computer_can_open() -> None:
    app, reach = web.Application(), Reach(None, "127.0.0.1", Proxies(()))
    app.add_routes(Pages(new_house(), reach, read_assets()).routes())
    async with TestClient(TestServer(app)) as client:
        answer = await client.get("/qr.svg")
        assert answer.status == 404
        assert "Only this computer" in await answer.text()
        assert " data-local>" in await (await client.get("/")).text()


@pytest.mark.parametrize("path", ["/r/room", "/tv/room"])
async def test_a_room_that_cannot_be_read_is_answered_with_the_page_and_503(
    client: Client, path: str
) -> None:
    answer = await client.get(path)

    assert answer.status == 503
    assert "<title>" in await answer.text()


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("/r/room/qr.svg", "Try again soon."),
        ("/readyz", "the store cannot write"),
    ],
)
async def test_a_request_that_needs_a_broken_store_is_answered_with_503(
    client: Client, path: str, text: str
) -> None:
    answer = await client.get(path)

    assert answer.status == 503
    assert text in await answer.text()


async def test_a_draining_server_is_alive_and_not_ready(client: Client, house: House) -> None:
    house.is_draining = True

    answer = await client.get("/healthz")
    assert (answer.status, await answer.text()) == (200, f"alive {__version__}\n")
    answer = await client.get("/readyz")
    assert (answer.status, await answer.text()) == (503, "draining\n")
