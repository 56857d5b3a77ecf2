"""A client that never gives up: it reconnects, says hello, and sends its unanswered command again.

Its `Record` holds every command, answer and state, for the history checker. `ends` are the close
codes of its connections so far. It has resumed when it sees a state, not when a socket opens.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from contextlib import suppress
from random import Random

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.protocol import State

from tests.support.dialling import Frame
from tests.support.history import Asked, Record, playable

AGAIN = 0.05  # seconds between two attempts to reach a server that is down
AWAY = (OSError, ConnectionClosed, InvalidHandshake, EOFError, TimeoutError)


class Persistent:
    """One player in one room, who takes up to `pause` seconds to think.

    `on_accepted` is called for every accepted command. With several addresses it connects to any
    of them: it sends a command again that was refused with `retry`, and ignores states that are
    older than the newest it has seen, as the page does.
    """

    def __init__(
        self,
        ws: tuple[str, ...],
        token: str,
        dice: Random,
        on_accepted: Callable[[], None],
        pause: float = 0.0,
    ) -> None:
        self.record = Record(room="")
        self.player = ""
        self.resumed = 0
        self.resumed_at = 0.0
        self.ends: list[int | None] = []
        self._pause = pause
        self.ws = ""  # of the server it was last connected to
        self._addresses = ws
        self._token = token
        self._dice = dice
        self._on_accepted = on_accepted
        self._unanswered: Asked | None = None
        self._socket: ClientConnection | None = None
        self._number = 0
        self._current: Frame | None = None
        self._seq = 0

    @property
    def last(self) -> Frame:
        return self.record.states[-1]

    @property
    def is_connected(self) -> bool:
        return self._socket is not None and self._socket.state is State.OPEN

    def cut(self) -> None:
        """Drop the connection without a close frame."""
        if self._socket is not None:
            self._socket.transport.abort()

    async def run(
        self, opening: Frame, is_over: asyncio.Event, opened: asyncio.Future[str] | None = None
    ) -> None:
        """Carry out `opening` (create, sit or watch), then play until it is over."""
        if opening["type"] != "watch":
            self._unanswered = Asked("", opening, time.monotonic())
        self.record.room = opening.get("room", "")
        while True:
            with suppress(*AWAY):
                self.ws = self._dice.choice(self._addresses)
                async with connect(self.ws, compression=None) as self._socket:
                    await self._take_part(is_over, opened)
                    return
            await asyncio.sleep(AGAIN)

    async def look(self) -> None:
        """Connect once more and see the current state."""
        while True:
            with suppress(*AWAY):
                self.ws = self._dice.choice(self._addresses)
                async with connect(self.ws, compression=None) as self._socket:
                    await self._say_hello()
                    while self._current is None:
                        frame = await self._receive()
                        if frame["type"] == "state":
                            self._see(frame)
                        elif self._is_to_retry(frame):
                            await self._watch_again()
                    return
            await asyncio.sleep(AGAIN)

    async def _take_part(self, is_over: asyncio.Event, opened: asyncio.Future[str] | None) -> None:
        try:
            await self._say_hello()
            while not await self._step(is_over, opened):
                pass
        except ConnectionClosed:
            assert self._socket is not None
            self.ends.append(self._socket.close_code)
            raise

    async def _say_hello(self) -> None:
        await self._send({"type": "hello", "protocol": 1, "token": self._token, "name": "P"})
        self.player = (await self._receive())["player"]["id"]
        self._current, self._seq = None, 0
        if self._unanswered is not None:
            self._unanswered.player = self.player
            await self._send({**self._unanswered.command, "id": self._number})
        if self.record.room:
            await self._send({"type": "watch", "room": self.record.room})

    async def _step(self, is_over: asyncio.Event, opened: asyncio.Future[str] | None) -> bool:
        """Read one frame and react to it. True at the end."""
        frame = await self._receive()
        if self._is_to_retry(frame):
            await self._send_again(frame)
        elif frame["type"] == "refused":
            await self._refused(frame)
        if frame["type"] == "accepted" and frame["re"] == self._number and self._unanswered:
            self._answered(self._unanswered, frame)
            if opened is not None and not opened.done():
                opened.set_result(self.record.room)
        elif frame["type"] == "state":
            self._see(frame)
        # The answer precedes its state; until the state is here, we would act on an old one.
        state = self._current
        if self._unanswered is None and state is not None and state["seq"] >= self._seq:
            if not is_over.is_set() and self._pause:
                await asyncio.sleep(self._dice.uniform(0, self._pause))
            if is_over.is_set():
                return True
            await self._act(state)
        return False

    def _see(self, state: Frame) -> None:
        if len(self._addresses) > 1 and self.record.states and state["seq"] < self.last["seq"]:
            return
        if self._current is None:
            self.resumed, self.resumed_at = self.resumed + 1, time.monotonic()
        self.record.states.append(state)
        self._current = state

    async def _refused(self, refusal: Frame) -> None:
        """A refusal is always wrong here, but the checker reports it better, so go on."""
        if refusal["reason"] == "no_such_room" or self._unanswered is None:
            raise AssertionError(f"{refusal} to {self._unanswered}")
        self._unanswered.refused = refusal["reason"]
        self.record.asked.append(self._unanswered)
        self._unanswered, self._current, self._seq = None, None, 0
        await self._send({"type": "watch", "room": self.record.room})

    def _is_to_retry(self, frame: Frame) -> bool:
        is_retry = frame["type"] == "refused" and frame["reason"] in ("retry", "draining")
        return is_retry and len(self._addresses) > 1

    async def _send_again(self, refusal: Frame) -> None:
        if self._unanswered is not None and refusal["re"] == self._number:
            await asyncio.sleep(AGAIN)
            self._unanswered.again += 1
            await self._send({**self._unanswered.command, "id": self._number})
        else:
            await self._watch_again()

    async def _watch_again(self) -> None:
        await asyncio.sleep(AGAIN)
        await self._send({"type": "watch", "room": self.record.room})

    def _answered(self, asked: Asked, answer: Frame) -> None:
        asked.answered, asked.seq = time.monotonic(), answer["seq"]
        self._seq = answer["seq"]
        self.record.room = answer["room"]
        self.record.asked.append(asked)
        self._unanswered = None
        self._on_accepted()

    async def _act(self, state: Frame) -> None:
        """Move if it is our turn, ask for the next game if this one is over."""
        mine = [mark for mark in "XO" if state["seats"][mark].get("player") == self.player]
        command: Frame = {"room": state["room"], "game": state["game"]}
        if state["turn"] in mine:
            cell = self._dice.choice(playable(state))
            command |= {"type": "play", "cell": cell, "ply": len(state["moves"])}
        elif state["status"] == "over" and mine and mine[0] not in state["rematch"]:
            command |= {"type": "rematch"}
        else:
            return
        self._number += 1
        self._unanswered = Asked(self.player, command, time.monotonic())
        await self._send({**command, "id": self._number})

    async def _send(self, command: Frame) -> None:
        assert self._socket is not None
        await self._socket.send(json.dumps(command))

    async def _receive(self) -> Frame:
        assert self._socket is not None
        frame: Frame = json.loads(await self._socket.recv())
        return frame
