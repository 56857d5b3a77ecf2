"""Waiting for whoever comes, here and elsewhere."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any, cast

import pytest

from noughts.messages import State
from noughts.newest import Newest
from noughts.terminal.choice import Choice
from noughts.terminal.doors import Door, Room
from noughts.terminal.meeting import wait_for_anyone
from tests.support.tables import state_after

pytestmark = pytest.mark.real_loop  # readers that stop early are closed by the loop


class Waiting:
    """A room where nobody has come yet."""

    def __init__(self, id: str) -> None:
        self.id = id
        self.newest = Newest[State]()
        self.newest.put(state_after("3x3", [], waits=True))
        self.done: list[str] = []

    def states(self) -> AsyncIterator[State]:
        return self.newest.values()

    async def leave(self) -> None:
        self.done.append("leave")

    async def unwatch(self) -> None:
        self.done.append("unwatch")


class Hall:
    """A door behind which quick play finds a room, once there is one."""

    def __init__(self) -> None:
        self.found: asyncio.Future[Room] = asyncio.get_running_loop().create_future()
        self.given_up = False

    async def meet(self, _: Choice) -> Room:
        try:
            return await self.found
        except asyncio.CancelledError:
            self.given_up = True
            raise


async def waiting(hall: Hall, room: Waiting) -> asyncio.Task[Any]:
    task = asyncio.create_task(
        wait_for_anyone(cast("Door", hall), cast("Room", room), Choice(against="anyone"))
    )
    for _ in range(5):
        await asyncio.sleep(0)
    assert not task.done()
    return task


async def test_somebody_who_sits_down_here_ends_quick_play() -> None:
    hall, room = Hall(), Waiting("here")
    task = await waiting(hall, room)
    room.newest.put(state_after("3x3", []))

    assert await task is room
    assert hall.given_up
    assert room.done == []


async def test_the_room_of_quick_play_replaces_this_one() -> None:
    hall, room, other = Hall(), Waiting("here"), Waiting("there")
    task = await waiting(hall, room)
    hall.found.set_result(cast("Room", other))

    assert await task is other
    assert room.done == ["leave", "unwatch"]
