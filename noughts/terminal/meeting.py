"""Waiting in a room for whoever comes, and elsewhere at the same time."""

from __future__ import annotations

import asyncio

from noughts.terminal.choice import Choice
from noughts.terminal.doors import Door, Room


async def wait_for_anyone(door: Door, room: Room, choice: Choice) -> Room:
    """The room in which somebody plays with us: this one, or one that quick play has opened.

    This one is left if it is another.
    """
    sitting = asyncio.ensure_future(_until_seated(room))
    meeting = asyncio.ensure_future(door.meet(choice))
    try:
        await asyncio.wait({sitting, meeting}, return_when=asyncio.FIRST_COMPLETED)
        if sitting.done():
            sitting.result()
            return room
        found = meeting.result()
    finally:
        sitting.cancel()
        meeting.cancel()
        await asyncio.gather(sitting, meeting, return_exceptions=True)
    if found.id != room.id:
        await room.leave()
        await room.unwatch()
    return found


async def _until_seated(room: Room) -> None:
    async for state in room.states():
        if state.status != "waiting":
            return
