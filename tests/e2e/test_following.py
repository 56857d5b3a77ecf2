"""docs/protocol.md §2: a connection follows at most 64 rooms, even with `--no-limits`."""

from __future__ import annotations

from contextlib import AsyncExitStack

import pytest

from tests.support.dialling import Player, dialled
from tests.support.serving import Served

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_the_65th_room_is_too_many_until_one_is_unwatched(
    server: Served, bob: Player
) -> None:
    others = await bob.create(seats={"X": "open", "O": "open"})
    async with dialled(server.ws) as ada:
        rooms = [await ada.create(seats={"X": "open", "O": "open"}) for _ in range(64)]
        assert await ada.reason("create") == "too_many_rooms"
        assert await ada.reason("watch", room=others) == "too_many_rooms"
        assert await ada.reason("sit", room=others, seat="X") == "too_many_rooms"
        assert (await bob.watch(others))["seats"]["X"] == {"kind": "open"}  # nothing has changed
        await ada.watch(rooms[0])  # already followed
        await ada.accept("sit", room=rooms[63], seat="X")
        await ada.accept("unwatch", room=rooms[0])
        await ada.watch(others)
        assert await ada.reason("watch", room=rooms[0]) == "too_many_rooms"
    async with dialled(server.ws, token=ada.token) as again:
        await again.watch(others)  # each connection has its own count


async def test_a_room_can_be_followed_by_a_hundred(server: Served, ada: Player) -> None:
    room = await ada.create(seats={"X": "me", "O": "me"})
    async with AsyncExitStack() as stack:
        followers = [await stack.enter_async_context(dialled(server.ws)) for _ in range(100)]
        for follower in followers:
            await follower.watch(room)
        await ada.accept("play", room=room, cell=4, ply=0)
        last = await ada.state(room)
        for follower in followers:
            assert await follower.state(room, lambda state: state["moves"] == [4]) == last
