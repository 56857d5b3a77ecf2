"""Watch in the terminal: the public games of a server, or one room, live.

URL is the address of a server's page or of a room. In a pipe, every change is printed: one line for
a room of the list, one board for a move.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import AsyncIterator, Sequence

from noughts import address
from noughts.client import Connection, connect
from noughts.room import Room
from noughts.shapes import ListedRoom
from noughts.terminal.attending import attend
from noughts.terminal.doors import News, ServerDoor
from noughts.terminal.listing import as_text, draw_list, in_order
from noughts.terminal.running import EXIT_CODES, look_of, run
from noughts.terminal.screen import Screen, can_be_screen
from noughts.terminal.sitting import Sitting
from noughts.terminal.styled import Look, line
from noughts.terminal.table import Table, draw_plainly

HERE = "http://127.0.0.1:8080"
EXAMPLES = (
    """examples:
  noughts watch http://127.0.0.1:8080
  noughts watch https://example.org/r/Jx3kQ9aTnB2mWc7L
  noughts watch https://example.org | grep ultimate

"""
    + EXIT_CODES
)


def main(arguments: Sequence[str] | None = None) -> int:
    given = _parser().parse_args(arguments)
    return run("watch", watch(given.url, look_of(no_color=given.no_color)))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="noughts watch",
        description=__doc__,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    help_ = f"a server's page, or a room's (default: {HERE})"
    parser.add_argument("url", metavar="URL", nargs="?", default=HERE, help=help_)
    parser.add_argument("--no-color", action="store_true", help="as with NO_COLOR=1")
    return parser


async def watch(url: str, look: Look) -> int:
    """Raises `Error`."""
    place = address.read(url)
    news = News()
    async with connect(url, bot=False, on_frame=news.take) as me:
        room = None if place.room is None else await me.watch(place.room)
        if can_be_screen():
            with Screen(look) as screen:
                news.changed = screen.change
                await _Watching(me, screen, news).run(room)
        elif room is not None:
            await _print_room(room, look)
        else:
            await _print_lobby(me.lobby(), look)
    return 0


async def _print_room(room: Room, look: Look) -> None:
    shown: object = None
    async for state in room.states():
        looks = (state.game, state.moves, state.status, state.seats)
        if looks != shown:
            shown = looks
            for each in draw_plainly(Table(state)):
                print(look.show(each))
            print(flush=True)


async def _print_lobby(lobby: AsyncIterator[list[ListedRoom]], look: Look) -> None:
    shown: dict[str, str] = {}
    async for rooms in lobby:
        texts = {room.room: as_text(room) for room in in_order(rooms)}
        for id, text in texts.items():
            if shown.get(id) != text:
                print(look.show(line(text)))
        for id in shown.keys() - texts.keys():
            print(f"{id}  gone")
        shown = texts
        print(end="", flush=True)


class _Watching:
    """The list of games and the rooms it leads to, on one screen."""

    def __init__(self, me: Connection, screen: Screen, news: News) -> None:
        self._me = me
        self._screen = screen
        self._news = news
        self._rooms: list[ListedRoom] = []
        self._chosen = ""  # the id of the room that would be opened

    async def run(self, room: Room | None) -> None:
        if room is not None:
            await self._follow(room)
            return
        listing = asyncio.ensure_future(self._list())
        listing.add_done_callback(lambda _: self._screen.change())
        try:
            while not listing.done():
                self._draw()
                key = await self._screen.inbox.get()
                if key in ("q", "escape", "end of input"):
                    return
                await self._press(key)
            listing.result()
        finally:
            listing.cancel()
            await asyncio.gather(listing, return_exceptions=True)

    async def _list(self) -> None:
        async for rooms in self._me.lobby():
            self._rooms = in_order(rooms)
            self._screen.change()

    def _at(self) -> int:
        ids = [room.room for room in self._rooms]
        return ids.index(self._chosen) if self._chosen in ids else 0

    def _draw(self) -> None:
        page, size = self._me.address.page, self._screen.size()
        self._screen.draw(draw_list(page, self._rooms, self._at(), *size, self._news.line))

    async def _press(self, key: str) -> None:
        step = {"down": 1, "j": 1, "up": -1, "k": -1}.get(key, 0)
        if not self._rooms:
            return
        at = max(0, min(len(self._rooms) - 1, self._at() + step))
        self._chosen = self._rooms[at].room
        if key in ("enter", "space", "right"):
            room = await self._me.watch(self._chosen)
            await self._follow(room)
            await room.unwatch()

    async def _follow(self, room: Room) -> None:
        """Show a room until a key leads back."""
        door = ServerDoor(self._me, self._news, clock=None)
        sitting = Sitting(door, room, self._screen.change, watches=True)
        await attend(self._screen, sitting, self._news)
