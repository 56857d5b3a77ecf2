"""Where games are opened: on a server, or on this computer alone. Both lead to the same rooms."""

from __future__ import annotations

import logging
import random
import time
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from importlib import import_module
from typing import Any, Protocol

from noughts.client import Connection
from noughts.errors import Refused
from noughts.messages import Frame, Notice, Presence, Said, State, Welcome
from noughts.shapes import ListedHuman, ListedRoom, Mark, OpenSeat
from noughts.terminal.choice import Choice, Offer
from noughts.terminal.words import OTHER

LOST = "No connection. Trying again …"


class Room(Protocol):
    """What a game at a terminal needs of a room. `noughts.room.Room` has it, and more."""

    @property
    def id(self) -> str: ...
    @property
    def state(self) -> State: ...
    @property
    def marks(self) -> tuple[Mark, ...]: ...
    @property
    def my_turn(self) -> bool: ...
    @property
    def presence(self) -> Presence | None: ...
    def states(self) -> AsyncIterator[State]: ...
    async def play(self, cell: int, *, state: State | None = None) -> None: ...
    async def resign(self) -> None: ...
    async def rematch(self) -> None: ...
    async def leave(self) -> None: ...
    async def unwatch(self) -> None: ...


class Door(Protocol):
    """`page`: the server's address; empty if there is none."""

    page: str
    offer: Offer

    def now(self) -> int:
        """The time of the server's clocks, in milliseconds."""

    async def open(self, choice: Choice) -> Room:
        """A room for this choice. Raises `Refused`."""

    async def meet(self, choice: Choice) -> Room:
        """Another room, once somebody is there who looks for one, too."""


class PrivateDoor:
    """Games without a server. Needs the rules, which an installation for bots may lack."""

    page = ""

    def __init__(self, *, name: str | None, clock: tuple[int, int] | None, pause: float) -> None:
        self._private: Any = import_module("server.private")
        self._name = name
        self._clock = clock
        self._pause = pause
        self.offer = Offer(("computer", "here"), self._private.LEVELS)

    def now(self) -> int:
        return time.time_ns() // 1_000_000

    async def open(self, choice: Choice) -> Room:
        mine = side_of(choice)
        if choice.against == "computer":
            seats = {mine: self._name or "You", OTHER[mine]: choice.level}
        else:
            seats = {mine: self._name or "Player 1", OTHER[mine]: "Player 2"}
        room: Room = self._private.PrivateRoom(
            choice.variant, seats, clock=self._clock, pause=self._pause
        )
        return room

    async def meet(self, choice: Choice) -> Room:
        raise AssertionError("nobody comes where there is no server")


class ServerDoor:
    """Games on a server, through a connection that comes back by itself."""

    def __init__(
        self, connection: Connection, news: News, *, clock: tuple[int, int] | None
    ) -> None:
        self._me = connection
        self._news = news
        self._clock = clock and {"budget": clock[0], "increment": clock[1]}
        self.page = connection.address.page
        levels = {variant.name: variant.levels for variant in connection.variants}
        self.offer = Offer(("computer", "friend", "anyone", "here"), levels)

    def now(self) -> int:
        return time.time_ns() // 1_000_000 + self._news.ahead

    async def open(self, choice: Choice) -> Room:
        mine = side_of(choice)
        if choice.against == "anyone":
            found = await self._find(choice)
            if found is not None:
                return found
        other: dict[str, Any] = {
            "computer": {"ai": choice.level},
            "here": {"me": "Guest"},
        }
        return await self._me.create(
            choice.variant,
            seats={mine: "me", OTHER[mine]: other.get(choice.against, "open")},
            public=choice.against == "anyone",
            clock=self._clock,
        )

    async def meet(self, choice: Choice) -> Room:
        return await self._me.quick(choice.variant)

    async def _find(self, choice: Choice) -> Room | None:
        """A seat beside somebody who waits for a second player in the lobby."""
        lobby = self._me.lobby()
        rooms: list[ListedRoom] = await anext(lobby, [])
        await lobby.aclose()  # type: ignore[attr-defined]  # it is a generator
        for room in rooms:
            seat = _free_seat(room)
            if room.variant == choice.variant and seat is not None:
                with suppress(Refused):  # somebody else was faster
                    return await self._me.sit(room.room, seat)
        return None


def _free_seat(room: ListedRoom) -> Mark | None:
    """The free seat beside a person who is there."""
    seats: dict[Mark, object] = {"X": room.seats.X, "O": room.seats.O}
    for mark, other in OTHER.items():
        if isinstance(seats[mark], OpenSeat) and isinstance(seats[other], ListedHuman):
            return mark if room.status == "waiting" and room.online else None
    return None


def side_of(choice: Choice) -> Mark:
    """The mark to begin with; any, if that is the choice."""
    match choice.side:
        case "X":
            return "X"
        case "O":
            return "O"
        case _:
            return random.choice(("X", "O"))


class News(logging.Handler):
    """What the connection tells besides states: that it is lost or back, and what people say.

    `line`: what is to be read for as long as it is true. `changed` is called after each change.
    `ahead`: how many milliseconds the server's clock is ahead.
    """

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.notice = ""
        self.is_lost = False
        self.said = ""
        self.ahead = 0
        self.changed: Callable[[], None] = lambda: None
        log = logging.getLogger("noughts")
        log.addHandler(self)
        log.setLevel(logging.INFO)
        log.propagate = False

    @property
    def line(self) -> str:
        return LOST if self.is_lost else self.notice

    def emit(self, record: logging.LogRecord) -> None:
        """The connection logs each failure, and that it asks again later."""
        self.is_lost = True
        self.changed()

    def take(self, frame: Frame) -> None:
        match frame:
            case Welcome(now=now):
                self.is_lost, self.notice = False, ""  # a notice that still holds comes again
                self.ahead = now - time.time_ns() // 1_000_000
            case Said(player=player, phrase=phrase):
                self.said = f"{player.name}: {phrase.replace('_', ' ').capitalize()}"
            case Notice(text=text, at=at):
                self.notice = f"{text} {_when(at)}".strip() if text else ""
            case Presence():
                pass  # the room has it; it only has to be drawn
            case _:
                return
        self.changed()


def _when(at: int | None) -> str:
    """When the server restarts, in this computer's time."""
    return "" if at is None else time.strftime("(%H:%M)", time.localtime(at / 1000))
