"""The answers about rooms while the store fails, over a real connection.

`tests/e2e` has everything that a healthy server answers.
"""

from __future__ import annotations

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from server.core.events import Event
from server.core.room import RoomId
from server.store import Unavailable
from server.store.memory import MemoryStore
from server.web.api import Api
from tests.support.houses import new_house


class Broken(MemoryStore):
    async def load(self, room: RoomId, after: int = 0) -> list[Event]:
        raise Unavailable("cannot read")


@pytest.mark.parametrize("below", ["", "/games", "/games/1", "/games/1/review"])
async def test_a_room_that_cannot_be_read_is_answered_with_503(below: str) -> None:
    app, house = web.Application(), new_house(Broken())
    app.add_routes(Api(house).routes())
    async with TestClient(TestServer(app)) as client:
        answer = await client.get(f"/api/rooms/room{below}")
        refusal = await answer.json()
    await house.close()

    assert (answer.status, refusal) == (503, {"reason": "retry"})
