"""The load: players, spectators and idle sockets, dialled with `websockets`.

A Python client is slower than the server, so it does not try to saturate the server. It gives the
server a known amount of work and measures the cost: CPU time from /proc, and latency.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

GAMES = ((0, 3, 1, 4, 2), (0, 1, 2, 4, 3, 5, 7, 6, 8), (4, 0, 8, 2, 1, 7, 3, 6, 5))
AT_ONCE = 64  # handshakes at the same time

Frame = dict[str, Any]


class Peer:
    """One socket that has said hello."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket

    async def send(self, type: str, **fields: object) -> None:
        await self._socket.send(json.dumps({"type": type, "id": 1, **fields}))

    async def state(self, game: int, ply: int) -> Frame:
        """Wait for a state that has got this far."""
        while True:
            frame: Frame = json.loads(await self._socket.recv())
            if frame["type"] == "refused":
                raise RuntimeError(frame["text"])
            if frame["type"] == "state" and (frame["game"], len(frame["moves"])) >= (game, ply):
                return frame

    async def read(self) -> None:
        """Read one frame of any kind."""
        await self._socket.recv()

    async def ask(self, type: str, **fields: object) -> Frame:
        await self.send(type, **fields)
        while True:
            frame: Frame = json.loads(await self._socket.recv())
            if frame["type"] in ("accepted", "welcome", "pong"):
                return frame


@asynccontextmanager
async def dialled(url: str) -> AsyncIterator[Peer]:
    async with connect(url, compression=None, ping_interval=None) as socket:
        peer = Peer(socket)
        await peer.ask("hello", protocol=1)
        yield peer


class Crowd:
    """Any number of sockets, opened a few at a time."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._stack = AsyncExitStack()
        self._slots = asyncio.Semaphore(AT_ONCE)

    async def __aenter__(self) -> Crowd:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def join(self, number: int) -> list[Peer]:
        return await asyncio.gather(*(self._one() for _ in range(number)))

    async def _one(self) -> Peer:
        async with self._slots:
            return await self._stack.enter_async_context(dialled(self._url))

    async def rooms(self, number: int, *, public: bool = False) -> list[Pair]:
        """Open this many rooms, each with two players."""
        peers = await self.join(2 * number)
        return list(
            await asyncio.gather(
                *(self._room(x, o, public) for x, o in zip(peers[::2], peers[1::2], strict=True))
            )
        )

    async def _room(self, x: Peer, o: Peer, public: bool) -> Pair:
        room = str((await x.ask("create", public=public))["room"])
        await o.ask("sit", room=room, seat="O")
        return Pair(room, [x, o])


@dataclass
class Pair:
    """A room with its two players; records how many seconds each move takes to reach both."""

    room: str
    players: list[Peer]
    spectators: list[Peer] = field(default_factory=list)
    game: int = 1
    to_players: list[float] = field(default_factory=list)

    async def play_one(self, gap: float = 0) -> None:
        """Play one game with a move every `gap` seconds, and start the next one."""
        cells = GAMES[self.game % len(GAMES)]
        for ply, cell in enumerate(cells):
            begin = time.perf_counter()
            await self.move(ply, cell)
            if gap:
                await asyncio.sleep(max(0.0, gap - (time.perf_counter() - begin)))
        await self.rematch()

    async def rematch(self) -> None:
        """Start the next game, and wait until every peer has seen it."""
        for player in self.players:
            await player.send("rematch", room=self.room)
        self.game += 1
        self.players.reverse()
        for peer in (*self.players, *self.spectators):
            await peer.state(self.game, 0)

    async def move(self, ply: int, cell: int) -> None:
        begin = time.perf_counter()
        await self.players[ply % 2].send("play", room=self.room, cell=cell, ply=ply)
        for player in self.players:
            await player.state(self.game, ply + 1)
        self.to_players.append(time.perf_counter() - begin)
        for spectator in self.spectators:
            await spectator.state(self.game, ply + 1)

    async def play_for(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            await self.play_one()

    @property
    def moves(self) -> int:
        return len(self.to_players)
