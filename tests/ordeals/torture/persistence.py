"""A client that never gives up, on the line of `noughts.connect`.

Its `Record` holds every command, answer and state, for the history checker. `ends` are the close
codes of its connections so far. It has resumed when it sees a state, not when a socket opens.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from random import Random

from msgspec import convert, to_builtins
from websockets.asyncio.client import ClientConnection
from websockets.protocol import State as SocketState

from noughts import address
from noughts.dialling import WAITED_OUT
from noughts.errors import Refused, Unreachable
from noughts.line import Line
from noughts.messages import Accepted, Hello, Request, State, Watch, Welcome
from noughts.messages import Frame as AnyFrame
from noughts.messages import Refused as RefusedFrame
from tests.support.dialling import Frame
from tests.support.history import Asked, Record, playable

AGAIN = 0.05  # seconds between two first attempts to reach a server that is down


class Wire(Line):
    """A line that may come back to any of several nodes. `ends`: its close codes."""

    def __init__(self, client: Persistent, hello: Hello) -> None:
        self._client = client
        self.socket: ClientConnection | None = None
        super().__init__(address.read(client.pick()), hello, client)

    async def _dial(self) -> tuple[ClientConnection, Welcome]:
        self.address = address.read(self._client.pick())
        return await super()._dial()

    async def _serve(self, socket: ClientConnection, welcome: Welcome) -> Unreachable:
        self.socket = socket
        problem = await super()._serve(socket, welcome)
        self._client.ends.append(socket.close_code)
        return problem


class Persistent:
    """One player in one room, who takes up to `pause` seconds to think.

    `on_accepted` is called for every accepted command. `told`: the instants of its `retry`
    refusals. With several addresses it connects to any of them, and ignores states that are older
    than the newest it has seen, as the page does.
    """

    def __init__(
        self,
        ws: tuple[str, ...],
        token: str,
        dice: Random,
        on_accepted: Callable[[], None] = lambda: None,
        pause: float = 0.0,
    ) -> None:
        self.record = Record(room="")
        self.player = ""
        self.resumed = 0
        self.resumed_at = 0.0
        self.ends: list[int | None] = []
        self.told: list[float] = []
        self.ws = ""  # of the server it was last connected to
        self._pause = pause
        self._addresses = ws
        self._hello = Hello(protocol=1, token=token, name="P")
        self._dice = dice
        self._on_accepted = on_accepted
        self._wire: Wire
        self._asked: Asked | None = None
        self._current: Frame | None = None
        self._seq = 0  # that was promised
        self._news = asyncio.Event()

    @property
    def last(self) -> Frame:
        return self.record.states[-1]

    @property
    def is_connected(self) -> bool:
        socket = self._wire.socket if hasattr(self, "_wire") else None
        return socket is not None and socket.state is SocketState.OPEN

    def cut(self) -> None:
        """Drop the connection without a close frame."""
        if self.is_connected and self._wire.socket is not None:
            self._wire.socket.transport.abort()

    def pick(self) -> str:
        self.ws = self._dice.choice(self._addresses)
        return self.ws

    async def run(
        self, opening: Frame, is_over: asyncio.Event, opened: asyncio.Future[str] | None = None
    ) -> None:
        """Carry out `opening` (create, sit or watch), then play until it is over."""
        self.record.room = opening.get("room", "")
        async with self._connected():
            await self._do(opening)
            if opened is not None:
                opened.set_result(self.record.room)
            while True:
                # The answer precedes its state; until it is here, we would act on an old one.
                while (state := self._current) is None or state["seq"] < self._seq:
                    await self._next_frame()
                if not is_over.is_set() and self._pause:
                    await asyncio.sleep(self._dice.uniform(0, self._pause))
                if is_over.is_set():
                    return
                if command := self._choose(self._current or state):
                    await self._do(command)
                else:
                    await self._next_frame()

    async def look(self) -> None:
        """Connect once more and see the current state."""
        self._current = None
        async with self._connected():
            await self._wire.ask(Watch(room=self.record.room))
            while self._current is None:
                await self._next_frame()

    @asynccontextmanager
    async def _connected(self) -> AsyncIterator[None]:
        self._wire = Wire(self, self._hello)
        while self._wire.socket is None:
            with suppress(Unreachable):
                await self._wire.open()
                break
            await asyncio.sleep(AGAIN)
        try:
            yield
        finally:
            await self._wire.close()

    async def _next_frame(self) -> None:
        """Wait for a frame of any kind."""
        self._news.clear()
        await self._news.wait()
        if self._wire.ended is not None:
            raise self._wire.ended

    # ------------------------------------------------------------------------- what it asks

    async def _do(self, command: Frame) -> None:
        """Ask until it is answered. The room may refuse, but the checker reports that better."""
        if command["type"] != "watch":
            self._asked = Asked(self.player, command, time.monotonic())
        try:
            await self._wire.ask(convert(command, Request))
        except Refused:
            self._current, self._seq = None, 0
            await self._wire.ask(Watch(room=self.record.room))

    def _choose(self, state: Frame) -> Frame | None:
        """Move if it is our turn, ask for the next game if this one is over."""
        mine = [mark for mark in "XO" if state["seats"][mark].get("player") == self.player]
        command: Frame = {"room": state["room"], "game": state["game"]}
        if state["turn"] in mine:
            cell = self._dice.choice(playable(state))
            return command | {"type": "play", "cell": cell, "ply": len(state["moves"])}
        if state["status"] == "over" and mine and mine[0] not in state["rematch"]:
            return command | {"type": "rematch"}
        return None

    # ------------------------------------------------------------------------- what it hears

    def hear(self, frame: AnyFrame, request: Request | None) -> None:
        is_ours = request is not None and not isinstance(request, Watch)
        match frame:
            case Welcome():
                self.player = frame.player.id
                self._current, self._seq = None, 0
            case State():
                self._see(to_builtins(frame))
            case RefusedFrame() if frame.reason in WAITED_OUT:
                self.told.append(time.monotonic())
                if is_ours and self._asked is not None and len(self._addresses) > 1:
                    self._asked.again += 1
            case RefusedFrame():
                assert is_ours, frame
                self._note(refused=frame.reason)
            case Accepted(seq=int() as seq, room=str() as room) if is_ours:
                self.record.room, self._seq = room, seq
                self._note(seq=seq)
                self._on_accepted()
        self._news.set()

    def standing(self) -> Iterable[Request]:
        if self.record.room:
            yield Watch(room=self.record.room)

    def lose(self, _: Unreachable) -> None:
        self._news.set()

    def _see(self, state: Frame) -> None:
        if len(self._addresses) > 1 and self.record.states and state["seq"] < self.last["seq"]:
            return
        if self._current is None:
            self.resumed, self.resumed_at = self.resumed + 1, time.monotonic()
        self.record.states.append(state)
        self._current = state

    def _note(self, *, seq: int | None = None, refused: str = "") -> None:
        """Record the answer to what was asked."""
        assert self._asked is not None
        if seq is not None:
            self._asked.answered = time.monotonic()
        self._asked.player, self._asked.seq, self._asked.refused = self.player, seq, refused
        self.record.asked.append(self._asked)
        self._asked = None
