"""Games on one screen, one after the other, with the menu in between."""

from __future__ import annotations

import asyncio

from noughts.terminal import choice as choices
from noughts.terminal.attending import ELSEWHERE, attend
from noughts.terminal.choice import Choice, Menu
from noughts.terminal.doors import Door, News, Room
from noughts.terminal.meeting import wait_for_anyone
from noughts.terminal.screen import Screen
from noughts.terminal.sitting import LEAVE, MENU, Sitting
from noughts.terminal.styled import Look, line
from noughts.terminal.table import Table, draw_plainly


class Session:
    """Games on one screen, one after the other."""

    def __init__(self, door: Door, choice: Choice, look: Look, news: News) -> None:
        self._door = door
        self._choice = choice
        self._look = look
        self._news = news
        self._room: Room | None = None

    async def run(self, room: Room | None, *, asks_first: bool) -> None:
        with Screen(self._look) as screen:
            self._news.changed = screen.change
            self._room = room
            if asks_first and not await self._choose(screen):
                return
            while True:
                if self._room is None:
                    screen.draw([line("Opening a room …")])
                    self._room = await self._door.open(self._choice)
                    if not self._door.page or self._choice.against == "computer":
                        choices.keep(self._choice)
                leads = await self._sit(screen, self._room)
                if leads == LEAVE:
                    return
                if leads == MENU and await self._choose(screen):
                    await self._part(self._room)
                    self._room = None

    async def _choose(self, screen: Screen) -> bool:
        """Let a game be chosen; False if it was left."""
        menu = Menu(self._door.offer, self._choice)
        while True:
            screen.draw(menu.draw(*screen.size()))
            match await screen.inbox.get():
                case "enter" | "space":
                    self._choice = menu.choice
                    choices.keep(self._choice)
                    return True
                case "q" | "escape" | "end of input":
                    return False
                case key:
                    menu = menu.press(key)

    async def _sit(self, screen: Screen, room: Room) -> str:
        """Play in a room, and wait for whoever comes if nobody is there. Returns what is next."""
        finding: asyncio.Future[Room] | None = None
        if self._choice.against == "anyone" and room.state.status == "waiting":
            finding = asyncio.ensure_future(wait_for_anyone(self._door, room, self._choice))
        try:
            leads = await attend(
                screen, Sitting(self._door, room, screen.change), self._news, finding
            )
            if leads == ELSEWHERE and finding is not None:
                self._room = finding.result()
            return leads
        finally:
            if finding is not None:
                finding.cancel()
                await asyncio.gather(finding, return_exceptions=True)

    async def _part(self, room: Room) -> None:
        """Leave a room for another. A seat where nobody has come is given up."""
        if room.state.status == "waiting" and not room.state.moves:
            await room.leave()
        await room.unwatch()

    def say_goodbye(self) -> None:
        """Leave the last board, and how to come back, where the next prompt will be."""
        room = self._room
        if room is None:
            return
        is_over = room.state.status == "over"
        if room.state.moves:
            for each in draw_plainly(Table(room.state, room.marks, is_live=is_over)):
                print(self._look.show(each))
        if self._door.page and room.marks and not is_over:
            print(f"Go on with: noughts play {self._door.page}/r/{room.id}")
