"""A player who connects to a server with `websockets`.

Every frame is validated against the schema, and so is every command that is carried out.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from tests.support.schema import check_frame, check_request

HANG = 15.0  # seconds; only a hang takes so long

Frame = dict[str, Any]


class Player:
    """Sends commands and waits for frames. Every frame read is kept in `seen`."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.seen: list[Frame] = []
        self.welcome: Frame = {}
        self._next_id = 0
        self._asked: dict[int, Frame] = {}  # by id, until they are answered

    @property
    def id(self) -> str:
        return str(self.welcome["player"]["id"])

    @property
    def token(self) -> str:
        return str(self.welcome["token"])

    async def send(self, type: str, **fields: object) -> int:
        """Send a command and return its id without waiting for the answer."""
        self._next_id += 1
        command = self._asked[self._next_id] = {"type": type, "id": self._next_id, **fields}
        await self.socket.send(json.dumps(command))
        return self._next_id

    async def ask(self, type: str, **fields: object) -> Frame:
        """Send a command and wait for its answer."""
        re = await self.send(type, **fields)
        return await self.until(lambda frame: frame.get("re") == re)

    async def accept(self, type: str, **fields: object) -> Frame:
        """Send a command that must be accepted, and return the answer."""
        answer = await self.ask(type, **fields)
        assert answer["type"] == "accepted", answer
        return answer

    async def reason(self, type: str, **fields: object) -> str:
        """Send a command that must be refused, and return the reason."""
        answer = await self.ask(type, **fields)
        assert answer["type"] == "refused", answer
        assert answer.keys() - {"whose"} == {"type", "re", "reason", "text"}
        assert answer["text"]
        return str(answer["reason"])

    async def watch(self, room: str) -> Frame:
        """Follow a room and return the state that is sent at once."""
        await self.accept("watch", room=room)
        return await self.state(room)

    async def create(self, **fields: object) -> str:
        """Open a room, wait for its first state, and return its id."""
        room = str((await self.accept("create", **fields))["room"])
        await self.state(room)
        return room

    async def next(self, *but: str) -> Frame:
        """The next frame that has none of these types."""
        return await self.until(lambda frame: frame["type"] not in but)

    async def raw(self, text: str | bytes) -> Frame:
        """Send any text and wait for the next answer."""
        await self.socket.send(text, text=True)
        return await self.until(lambda frame: "re" in frame)

    async def state(self, room: str, so: Callable[[Frame], bool] = lambda _: True) -> Frame:
        """The next state of the room for which `so` is true."""
        return await self.until(
            lambda frame: frame["type"] == "state" and frame["room"] == room and so(frame)
        )

    async def of_type(self, type: str) -> Frame:
        return await self.until(lambda frame: frame["type"] == type)

    async def until(self, so: Callable[[Frame], bool], within: float = HANG) -> Frame:
        """Read up to the first frame for which `so` is true, and return it."""
        async with asyncio.timeout(within):
            while True:
                frame = await self._read()
                self.seen.append(frame)
                if so(frame):
                    return frame

    async def _read(self) -> Frame:
        frame: Frame = json.loads(await self.socket.recv())
        check_frame(frame)
        command = self._asked.pop(frame.get("re"), None)  # type: ignore[arg-type]
        if command is not None and frame["type"] != "refused":
            check_request(command)
        return frame

    async def quiet(self, for_: float = 0.2) -> list[Frame]:
        """The frames that arrive within `for_` seconds."""
        frames: list[Frame] = []
        try:
            async with asyncio.timeout(for_):
                while True:
                    frames.append(await self._read())
        except TimeoutError:
            return frames

    async def closed(self) -> int | None:
        """Read until the socket closes, and return the close code."""
        with suppress(ConnectionClosed):
            await self.until(lambda _: False)
        return self.socket.close_code


@asynccontextmanager
async def dialled(ws: str, *, hello: bool = True, **fields: object) -> AsyncIterator[Player]:
    """A connected player, after a hello with `fields` (name, token) unless `hello` is False."""
    async with connect(ws, compression=None) as socket:
        player = Player(socket)
        if hello:
            player.welcome = await player.ask("hello", protocol=1, **fields)
            assert player.welcome["type"] == "welcome", player.welcome
        yield player


async def seated_pair(x: Player, o: Player, **create: object) -> str:
    """A new room with `x` on X and `o` on O; both follow it."""
    room = str((await x.accept("create", **create))["room"])
    await o.accept("sit", room=room, seat="O")
    await x.state(room, lambda state: bool(state["status"] == "playing"))
    await o.state(room, lambda state: bool(state["status"] == "playing"))
    return room


async def play_out(room: str, movers: tuple[Player, Player], cells: list[int]) -> Frame:
    """Play the cells in turn; both players wait for each state. Returns the last one."""
    state: Frame = {}
    for ply, cell in enumerate(cells):
        await movers[ply % 2].accept("play", room=room, cell=cell, ply=ply)
        for player in movers:
            state = await player.state(room, lambda s, n=ply: len(s["moves"]) > n)  # type: ignore[misc]
    return state
