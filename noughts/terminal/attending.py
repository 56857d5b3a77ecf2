"""A room on a screen, for as long as somebody stays with it."""

from __future__ import annotations

import asyncio

from noughts.terminal.doors import News, Room
from noughts.terminal.screen import CHANGED, Screen
from noughts.terminal.sitting import LEAVE, Sitting

TICK = 0.2  # seconds between two looks at a running clock
ELSEWHERE = "elsewhere"


async def attend(
    screen: Screen, sitting: Sitting, news: News, other: asyncio.Future[Room] | None = None
) -> str:
    """Show a room, and do what the keys say. Returns where they lead.

    `other`: another room, once it is known; it leads `ELSEWHERE`. Raises `Error` if the room or the
    connection ends.
    """
    following = asyncio.ensure_future(sitting.follow())
    for task in (following, other):
        if task is not None:
            task.add_done_callback(lambda _: screen.change())
    try:
        while not sitting.leads:
            if other is not None and other.done() and other.result() is not sitting.room:
                return ELSEWHERE
            if following.done():
                following.result()
                return LEAVE
            if news.said:
                sitting.note, news.said = news.said, ""
            screen.draw(sitting.draw(*screen.size(), news.line))
            await _take_key(screen, sitting)
        return sitting.leads
    finally:
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)
        await sitting.close()


async def _take_key(screen: Screen, sitting: Sitting) -> None:
    try:
        async with asyncio.timeout(TICK if sitting.clock_runs else None):
            key = await screen.inbox.get()
    except TimeoutError:
        return
    if key != CHANGED:
        sitting.press(key)
