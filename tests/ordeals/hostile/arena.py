"""A real server with rooms to attack, and a record of everything that must not change.

Every attack comes from its own address. Time-outs are short, and an address is allowed little.
(Linux answers on all of 127.0.0.0/8.)
"""

from __future__ import annotations

import asyncio
import json
import re
import sqlite3
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, closing
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from urllib.request import urlopen

from tests.ordeals.hostile.neighbours import Neighbours, neighbours
from tests.support.bare import HANG, Bare, Frame, connected, handshake
from tests.support.dialling import Player, dialled, play_out, seated_pair
from tests.support.serving import Served, serving

VIC, VAL, MALLORY = "v" * 43, "w" * 43, "M" * 43  # tokens of two victims and of the attacker
CONNECTIONS, ROOMS = 50, 50  # of an address; to open as many as usual would take seconds
SETTINGS = {
    # Mallory opens rooms and the neighbours make two moves in cases that take milliseconds.
    "limited": (
        "commands_per_second=200",
        "rooms_per_minute_per_player=200",
        "handshake=2",
        "hello=2",
        "ping=3",
        "patience=2",
        f"connections_per_address={CONNECTIONS}",
        f"rooms_per_day={ROOMS}",
    ),
    # For peers that must be sent a lot before it shows that they do not read.
    "lifted": ("hello=2", "ping=3", "patience=4"),
}

Logs = dict[str, tuple[str, ...]]


@dataclass
class Sight:
    """Everything that an attack must not change.

    The log of each room, the victims' room as shown, the server's log, and the number of frames
    that the victims were sent.
    """

    rooms: Logs
    shown: bytes
    log: str
    told: int


@dataclass
class Arena:
    """The server, the victims, and `rooms` by name: the name says whose room it is."""

    server: Served
    store: Path
    neighbours: Neighbours
    victims: list[Player] = field(default_factory=list)
    rooms: dict[str, str] = field(default_factory=dict)
    many: list[str] = field(default_factory=list)
    attacks: count[int] = field(default_factory=count)
    told: list[Frame] = field(default_factory=list)  # frames sent to the victims, without presence
    quiet: int = 0  # connections without any attack

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.server.port}"

    def new_address(self) -> str:
        number = next(self.attacks)
        return f"127.66.{number // 250}.{number % 250 + 1}"

    def attack(self) -> Attack:
        return Attack(self, self.new_address())

    async def sight(self) -> Sight:
        shown = await asyncio.to_thread(
            _fetch, f"{self.server.url}/api/rooms/{self.rooms['victim']}"
        )
        return Sight(self._logs(), shown, self.server.log, len(self.told))

    def _logs(self) -> Logs:
        uri = f"file:{self.store}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True, timeout=HANG)) as file:
            rows = file.execute(
                "SELECT room, event FROM log WHERE room != ? ORDER BY room, seq",
                (self.neighbours.room,),
            ).fetchall()
        logs: dict[str, list[str]] = {}
        for room, event in rows:
            logs.setdefault(room, []).append(event)
        return {room: tuple(events) for room, events in logs.items()}

    async def connections(self) -> int:
        metrics = await asyncio.to_thread(_fetch, f"{self.server.url}/metrics")
        found = re.search(rb"^noughts_connections (\S+)$", metrics, re.MULTILINE)
        assert found
        return int(float(found[1]))

    async def calm(self) -> None:
        """Wait until all connections of attackers are closed."""
        async with asyncio.timeout(HANG):
            while await self.connections() != self.quiet:
                await asyncio.sleep(0.01)

    async def listen(self, victim: Player) -> None:
        """Record the frames that a victim is sent, until its socket closes."""
        async for text in victim.socket:
            frame: Frame = json.loads(text)
            if frame["type"] != "presence":
                self.told.append(frame)


def _fetch(url: str) -> bytes:
    with urlopen(url, timeout=HANG) as answer:
        body: bytes = answer.read()
    return body


@dataclass
class Attack:
    """The connections of one attacker, all from one address."""

    arena: Arena
    address: str

    @property
    def host(self) -> str:
        return self.arena.host

    def tcp(self, window: int = 0) -> AbstractAsyncContextManager[Bare]:
        """A TCP connection on which nothing has been sent yet."""
        return connected(self.arena.server.port, self.address, window=window)

    @asynccontextmanager
    async def upgraded(self, window: int = 0) -> AsyncIterator[Bare]:
        """A WebSocket before hello."""
        async with self.tcp(window) as peer:
            peer.write(handshake(self.host))
            assert await peer.status() == 101
            yield peer

    @asynccontextmanager
    async def greeted(self, *, window: int = 0, **fields: object) -> AsyncIterator[Bare]:
        """A WebSocket after the hello of Mallory, or of the player in `fields`."""
        async with self.upgraded(window) as peer:
            peer.welcome = await peer.ask("hello", protocol=1, **{"token": MALLORY, **fields})
            assert peer.welcome["type"] == "welcome", peer.welcome
            yield peer


@asynccontextmanager
async def arena(folder: Path, name: str) -> AsyncIterator[Arena]:
    """A server with these settings, two victims, and all the rooms."""
    store = folder / f"{name}.db"
    limits = [part for limit in SETTINGS[name] for part in ("--limit", limit)]
    switches = ["--no-limits"] if name == "lifted" else []
    async with AsyncExitStack() as stack:
        enter = stack.enter_async_context
        server = await enter(serving(folder, *switches, *limits, store=f"sqlite:{store}"))
        playing = await enter(neighbours(server.ws))
        place = Arena(server, store, playing)
        await _furnish(place)
        place.victims = [await enter(dialled(server.ws, token=token)) for token in (VIC, VAL)]
        for victim in place.victims:
            for room in place.rooms.values():
                await victim.watch(room)
        listening = [asyncio.create_task(place.listen(victim)) for victim in place.victims]
        place.quiet = await place.connections()
        yield place
        for task in listening:
            task.cancel()
        await place.calm()
        before = server.log
        assert await server.stop() == 0
        lines = server.log[len(before) :].splitlines()
        assert all("turned away" in line or "has stopped" in line for line in lines), lines


async def _furnish(place: Arena) -> None:
    """Open rooms in every state, of the victims, of Mallory, and of both."""
    ws, rooms = place.server.ws, place.rooms
    rooms["victim"] = await _played(ws, VIC, VAL, [4, 0])
    rooms["over"] = await _played(ws, VIC, VAL, [0, 3, 1, 4, 2])
    rooms["theirs"] = await _played(ws, MALLORY, VIC, [4])  # it is Vic's turn
    rooms["mine"] = await _played(ws, VIC, MALLORY, [4])  # it is Mallory's
    rooms["lost"] = await _played(ws, VIC, MALLORY, [0, 3, 1, 4, 2])
    rooms["drop"] = await _played(ws, VIC, MALLORY, [38], variant="drop")  # Mallory's, like these
    rooms["ultimate"] = await _played(ws, VIC, MALLORY, [40], variant="ultimate")
    rooms["vanishing"] = await _played(ws, VIC, MALLORY, [0, 3, 1, 4, 5, 8, 6], variant="vanishing")
    async with dialled(ws, token=VIC) as vic, dialled(ws, token=MALLORY) as mallory:
        rooms["waiting"] = await vic.create()
        rooms["coached"] = await vic.create(seats={"X": "me", "O": {"ai": "easy"}})
        rooms["exhibition"] = await vic.create(seats={m: {"ai": "easy"} for m in "XO"})
        watched = await vic.watch(rooms["exhibition"])
        if watched["status"] != "over":
            await vic.state(rooms["exhibition"], lambda state: bool(state["status"] == "over"))
        rooms["alone"] = await mallory.create()
    await _open_many(place, 66)


async def _played(ws: str, x: str, o: str, cells: list[int], **create: object) -> str:
    """A new room of these two. They connect for it alone, since idle readers would be aborted."""
    async with dialled(ws, token=x) as first, dialled(ws, token=o) as second:
        room = await seated_pair(first, second, **create)
        await play_out(room, (first, second), cells)
    return room


async def _open_many(place: Arena, number: int) -> None:
    """Open empty rooms, by as many players as the limits require."""
    while len(place.many) < number:
        token = f"{len(place.many):m>43}"
        async with place.attack().greeted(token=token) as opener:
            for _ in range(15):
                made: Frame = await opener.ask("create", seats={"X": "open", "O": "open"})
                place.many.append(made["room"])
