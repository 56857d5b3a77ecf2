"""Connections that are slow, stall, break, and break for one side only.

A `Line` is what a server's socket and a client hold the two ends of. As over TCP, what arrives on
one line arrives in order; what is under way when it breaks may be lost or not; and nothing is
ordered between two lines, so that a frame on an abandoned one may arrive after its own repetition.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable
from contextvars import copy_context
from math import inf
from random import Random
from typing import Protocol

from server.web.reader import Reader
from server.wire.closing import Closing
from tests.support.bare import CLOSE, TEXT, frame
from tests.support.history import Frame

OFTEN_UP = 20.0  # seconds a line lasts, on average


class Client(Protocol):
    def hear(self, line: Line, frame: Frame) -> None: ...

    def lost(self, line: Line) -> None: ...


class Network:
    def __init__(self, dice: Random, seen: Counter[str]) -> None:
        self.dice = dice
        self.seen = seen
        self.is_healthy = False
        self.latency = dice.choice((0.001, 0.02, 0.1))
        self.loop = asyncio.get_running_loop()
        self._lines: list[Line] = []

    def connect(self, client: Client) -> Line:
        line = Line(self, client)
        self._lines = [each for each in self._lines if not each.is_over] + [line]
        if not self.is_healthy:
            self.loop.call_later(self.dice.expovariate(1 / OFTEN_UP), line.break_somehow)
            if self.dice.random() < 0.2:
                begin, length = self.dice.uniform(0, 10), self.dice.choice((1, 5, 25))
                self.loop.call_later(begin, line.stall, length)
        return line

    def fail(self) -> None:
        """Everybody's line breaks, and everybody knows: they will all be back at once."""
        for line in self._lines:
            line.break_somehow(slowest=0.3)

    def heal(self) -> None:
        """No more trouble; what is half broken, breaks now."""
        self.is_healthy = True
        for line in self._lines:
            line.resume()
            if line.is_broken:
                line.end_for_server()
                line.end_for_client()

    def delay(self) -> float:
        return self.latency * (1 + self.dice.random())


class Line(asyncio.Transport):
    """One connection: to the server a transport, to the client `say` and `hang_up`."""

    def __init__(self, network: Network, client: Client) -> None:
        super().__init__()
        self.broken_at = inf  # nothing new gets through since; perhaps nobody knows yet
        self.is_done = False  # the server has nothing to do with it any more
        self.is_busy: Callable[[], bool] = lambda: False  # the server, with something from here
        self._network, self._loop, self._dice = network, network.loop, network.dice
        self._client = client
        self._protocol: asyncio.BaseProtocol = asyncio.Protocol()
        self._served = True  # as far as each side knows
        self._held = True
        self._last_up = self._last_down = 0.0
        self._under_way = 0
        self._reader = Reader(1_000_000)  # the client's
        self._stalled: list[bytes] | None = None
        self._high = 0
        self._has_stalled = False

    @property
    def is_broken(self) -> bool:
        return self.broken_at < inf

    @property
    def is_over(self) -> bool:
        return not self._served and not self._held

    @property
    def is_working(self) -> bool:
        """Whether nothing has ever been wrong with it."""
        return self._served and not self.is_broken and not self._has_stalled

    @property
    def is_quiet(self) -> bool:
        """Whether the server has dealt with all that it will ever get from here."""
        return (self.is_done or not self._under_way) and not self.is_busy()

    # -------------------------------------------------------------------------- the client's end

    def say(self, command: Frame) -> None:
        self._send(frame(TEXT, json.dumps(command).encode()))

    def _send(self, data: bytes) -> None:
        """In one chunk or in two, which arrive one behind the other."""
        cut = self._dice.choice((0, 0, self._dice.randrange(len(data))))
        for chunk in filter(None, (data[:cut], data[cut:])):
            if not self.is_broken:
                delay = self._network.delay()
                self._last_up = max(self._last_up, self._loop.time() + delay) + 1e-6
                self._under_way += 1
                self._loop.call_at(self._last_up, self._reach, chunk)

    def hang_up(self) -> None:
        """The client goes; mostly the server hears of it."""
        self._held = False
        self._break()
        later = self._network.delay() if self._dice.random() < 0.8 else self._dice.uniform(1, 30)
        self._loop.call_later(later + self._network.latency, self.end_for_server)

    def _reach(self, data: bytes) -> None:
        self._under_way -= 1
        if self._served:
            if not self._held:
                self._network.seen["frames over an abandoned line"] += 1
            assert isinstance(self._protocol, asyncio.Protocol)
            self._context.run(self._protocol.data_received, data)

    def _arrive(self, data: bytes) -> None:
        self._reader.feed(data)
        try:
            while self._held and (message := self._reader.read()) is not None:
                self._client.hear(self, json.loads(message[1]))
        except Closing:
            self._send(frame(CLOSE))
            self.end_for_client()

    # -------------------------------------------------------------------------- the server's end

    def get_protocol(self) -> asyncio.BaseProtocol:
        return self._protocol

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        self._protocol = protocol
        self._context = copy_context()  # that of the server's process

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...

    def write(self, data: bytes | bytearray | memoryview) -> None:
        if not self._served or self.is_broken:
            return
        if self._stalled is not None:
            self._stalled.append(bytes(data))
            if self.get_write_buffer_size() > self._high:
                self._context.run(self._protocol.pause_writing)
            return
        self._last_down = max(self._last_down, self._loop.time() + self._network.delay()) + 1e-6
        self._loop.call_at(self._last_down, self._arrive, bytes(data))

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        self._high = high or 0

    def get_write_buffer_size(self) -> int:
        return sum(map(len, self._stalled or ()))

    def is_closing(self) -> bool:
        return not self._served

    def abort(self) -> None:
        """The server has had enough of a peer that does not read."""
        if self._served:
            self._network.seen["slow readers given up"] += 1
            self._break()
            self.end_for_server()
            self._loop.call_later(self._network.delay(), self.end_for_client)

    def close(self) -> None:
        """What the server has written still arrives, and behind it the end."""
        self.resume()
        self._loop.call_at(self._last_down + self._network.latency * 2, self.end_for_client)
        self.end_for_server()

    # ------------------------------------------------------------------------------------ trouble

    def stall(self, length: float) -> None:
        """The client reads nothing for a while."""
        if self._stalled is None and not self.is_broken and not self._network.is_healthy:
            self._stalled, self._has_stalled = [], True
            self._loop.call_later(length, self.resume)

    def resume(self) -> None:
        stalled, self._stalled = self._stalled or [], None
        for data in stalled:
            self.write(data)
        if stalled and self._served:
            self._loop.call_soon(self._protocol.resume_writing, context=self._context)

    def _break(self) -> None:
        self.broken_at = min(self.broken_at, self._loop.time())

    def break_somehow(self, slowest: float = 30.0) -> None:
        """Cut; each side notices soon, or only when it has heard nothing for long."""
        if self.is_broken or self._network.is_healthy:
            return
        self._network.seen["cuts"] += 1
        dice = self._dice
        self._break()
        for within, end in ((25.0, self.end_for_server), (9.0, self.end_for_client)):
            later = min(slowest, dice.choice((0.0, 0.3, within))) * dice.random()
            self._loop.call_later(later, end)

    def die(self) -> None:
        """The server's process is no more: what it has written may still arrive."""
        self._served, self.is_done = False, True
        self.is_busy = lambda: False
        self._break()
        late = self._dice.choice((0.0, 2.0)) * self._network.latency
        self._loop.call_later(late, self.end_for_client)

    def end_for_server(self) -> None:
        self._break()
        if self._served:
            self._served = False
            self._loop.call_soon(self._lose, context=self._context)

    def _lose(self) -> None:
        self.is_done = True
        self._protocol.connection_lost(None)

    def end_for_client(self) -> None:
        if self._held:
            self._held = False
            self._client.lost(self)
