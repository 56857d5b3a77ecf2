"""A player on a server, as a program: `async with noughts.connect(url, name="Ada") as me`.

A `Connection` finds rooms and takes seats; a `Room` is where games are played. Both stay as they
are when the line is lost: it comes back, and everything is asked for again.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from msgspec import UNSET, UnsetType, ValidationError, convert

from noughts import address, tokens
from noughts.dialling import WAITED_OUT
from noughts.errors import Error, Refused, Unreachable
from noughts.line import Line
from noughts.lobby import Listing
from noughts.messages import (
    PROTOCOL,
    Accepted,
    Closed,
    Create,
    Frame,
    Hello,
    InRoom,
    Lobby,
    LobbyFrame,
    Meet,
    Presence,
    Quick,
    QuickFrame,
    Request,
    Sit,
    State,
    Unwatch,
    Watch,
    Welcome,
)
from noughts.messages import Refused as RefusedFrame
from noughts.newest import Newest
from noughts.room import Room, owner_of
from noughts.shapes import MARKS, Limits, ListedRoom, Mark, OfferedVariant, Player, WantedClock

SeatWish = str | Mapping[str, str]


def connect(
    url: str,
    *,
    name: str | None = None,
    token_file: str | Path | None = None,
    bot: bool = True,
    on_frame: Callable[[Frame], None] | None = None,
) -> Connection:
    """A player on the server whose page is at `url`, for `async with`.

    `token_file`: keeps who the player is, so that a program has its seats when it starts again;
    one file for each server. `bot`: others see that it is a program. `on_frame` gets every frame,
    such as `Said`.

    Raises `Error` for a bad address or token file, `Unreachable` if the first connection fails.
    After that it is kept up for as long as the server lets us in.
    """
    return Connection(url, name=name, token_file=token_file, bot=bot, on_frame=on_frame)


class Connection:
    """`welcome` is the newest one. It has everything the server says about itself."""

    welcome: Welcome

    def __init__(
        self,
        url: str,
        *,
        name: str | None,
        token_file: str | Path | None,
        bot: bool,
        on_frame: Callable[[Frame], None] | None,
    ) -> None:
        self.address = address.read(url)
        self._name = name
        self._token_file = None if token_file is None else Path(token_file).expanduser()
        self._bot = bot
        self._on_frame = on_frame
        self._rooms: dict[str, Room] = {}
        self._listing = Listing()
        self._quick: tuple[Quick, Newest[QuickFrame]] | None = None
        self._line: Line

    async def __aenter__(self) -> Connection:
        token = tokens.new() if self._token_file is None else tokens.keep(self._token_file)
        hello = Hello(protocol=PROTOCOL, token=token)
        hello.name = UNSET if self._name is None else self._name
        hello.bot = self._bot or UNSET
        self._line = Line(self.address, hello, self)
        await self._line.open()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self._line.close()

    # ------------------------------------------------------------------------------ who and what

    @property
    def player(self) -> Player:
        return self.welcome.player

    @property
    def variants(self) -> list[OfferedVariant]:
        return self.welcome.variants

    @property
    def phrases(self) -> list[str]:
        return self.welcome.phrases

    @property
    def limits(self) -> Limits:
        return self.welcome.limits

    # ------------------------------------------------------------------------------------ rooms

    async def create(
        self,
        variant: str = "3x3",
        *,
        seats: Mapping[Mark, SeatWish] | None = None,
        public: bool = True,
        clock: WantedClock | Mapping[str, int] | None = None,
        moves: Iterable[int] = (),
    ) -> Room:
        """Open a room. A seat is "me", {"me": "Mia"}, "open" or {"ai": "hard"}; at first X is mine.

        `clock`: {"budget": 60000, "increment": 1000} in milliseconds. The first game begins after
        `moves`.
        """
        wanted: dict[str, Any] = {"variant": variant, "public": public, "moves": list(moves)}
        wanted |= {"clock": clock, "nonce": secrets.token_urlsafe(12)}
        if seats is not None:
            wanted["seats"] = seats
        try:
            request = convert({"type": "create", **wanted}, Create, from_attributes=True)
        except ValidationError as problem:
            raise ValueError(f"There can be no such room: {problem}") from None
        return await self._enter(request)

    async def watch(self, room: str) -> Room:
        """Follow a room, which is named by its id or its address."""
        return await self._enter(Watch(room=address.room_id(room)))

    async def sit(self, room: str, seat: Mark | None = None, *, name: str | None = None) -> Room:
        """Take a seat, and follow the room. Without `seat`: the one I have, else a free one."""
        id = address.room_id(room)
        wish = UNSET if name is None else name
        if seat is not None:
            return await self._enter(Sit(room=id, seat=seat, name=wish))
        is_new = id not in self._rooms
        found = await self.watch(id)
        try:
            return await self._sit_anywhere(found, wish)
        except Refused:
            if is_new:
                await found.unwatch()
            raise

    async def _sit_anywhere(self, room: Room, name: str | UnsetType) -> Room:
        seats = room.state.seats
        mine = [mark for mark in MARKS if owner_of(seats[mark]) == self.player.id]
        *others, last = mine or seats.open or MARKS
        for mark in others:  # somebody else may be faster
            with suppress(Refused):
                return await self._enter(Sit(room=room.id, seat=mark, name=name))
        return await self._enter(Sit(room=room.id, seat=last, name=name))

    async def _enter(self, request: Create | Watch | Sit) -> Room:
        answer = await self._line.ask(request)
        assert isinstance(answer, Accepted), answer
        room = self._rooms.get(str(answer.room))
        if room is None:
            raise Refused("no_such_room", "The room has been removed.")
        await room.newest.kept()
        return room

    # ------------------------------------------------------------------------ finding somebody

    async def lobby(self) -> AsyncIterator[list[ListedRoom]]:
        """The public rooms, now and after each change."""
        if self._listing.readers == 0:
            self._listing = Listing()
            self._line.tell(Lobby(on=True))
        listing = self._listing
        listing.readers += 1
        try:
            async for rooms in listing.newest.values():
                yield rooms
        finally:
            listing.readers -= 1
            if listing.readers == 0:
                self._line.tell(Lobby(on=False))

    async def quick(self, variant: str = "3x3") -> Room:
        """Play whoever comes: wait for another player who wants to meet, and share a room."""
        quick = Quick(on=True, variant=variant)
        frames = Newest[QuickFrame]()
        self._quick = quick, frames
        try:
            await self._line.ask(quick)
            async for frame in frames.values():
                if frame.room is not None:
                    return await self.watch(frame.room)
                if frame.partner is not None:
                    await self._meet(frame.partner)
                elif not frame.on:
                    raise Error("Another connection of this player has taken quick play over.")
        finally:
            if self._quick == (quick, frames):
                self._quick = None
                self._line.tell(Quick(on=False))
        raise AssertionError("quick play ends with a room or a problem")

    async def _meet(self, partner: Player) -> None:
        try:
            await self._line.ask(Meet(player=partner.id))
        except Refused as refused:
            if refused.reason != "stale":  # else they have gone; the next frame says who comes
                raise

    # --------------------------------------------------------------------- what the line tells

    def hear(self, frame: Frame, request: Request | None) -> None:
        match frame:
            case Welcome():
                self.welcome = frame
                for room in self._rooms.values():
                    room.newest.begin_again()
            case State() if frame.room in self._rooms:
                self._rooms[frame.room].newest.offer(frame)
            case Presence() if frame.room in self._rooms:
                self._rooms[frame.room].presence = frame
            case LobbyFrame():
                self._listing.take(frame)
            case QuickFrame() if self._quick is not None:
                self._quick[1].put(frame)
            case Accepted():
                self._note_accepted(frame, request)
            case Closed():
                self._forget(frame.room, Refused("no_such_room", frame.text))
            case RefusedFrame() if isinstance(request, Watch) and frame.reason not in WAITED_OUT:
                self._forget(request.room, Refused(frame.reason, frame.text))
        if self._on_frame is not None:
            self._on_frame(frame)

    def _note_accepted(self, accepted: Accepted, request: Request | None) -> None:
        """Before any state of the room is heard."""
        id, seq = accepted.room, accepted.seq
        if not isinstance(id, str) or not isinstance(seq, int):
            return
        if isinstance(request, Unwatch):
            self._forget(id)
        elif isinstance(request, Create | Watch | Sit):
            room = self._rooms.setdefault(id, Room(id, self.player.id, self._line))
            room.newest.promise(seq)
        elif isinstance(request, InRoom) and id in self._rooms:
            self._rooms[id].newest.promise(seq)
        elif isinstance(request, Meet) and self._quick is not None:
            self._quick[1].put(QuickFrame(False, None, False, id))

    def _forget(self, room: str, problem: Exception | None = None) -> None:
        if room in self._rooms:
            self._rooms.pop(room).newest.end(problem)

    def standing(self) -> Iterable[Request]:
        for room in self._rooms:
            yield Watch(room=room)
        if self._listing.readers:
            yield Lobby(on=True)
        if self._quick is not None:
            yield self._quick[0]

    def lose(self, problem: Unreachable) -> None:
        for room in list(self._rooms):
            self._forget(room, problem)
        self._listing.newest.end(problem)
        if self._quick is not None:
            self._quick[1].end(problem)
