"""Hundreds of spectators: some read, some read slowly, and some never read."""

from __future__ import annotations

import asyncio
import re
import socket
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from tests.ordeals.torture import raw
from tests.support.dialling import HANG

TAIL = 4096  # bytes; the last few frames
BEAT = 0.25  # seconds
AT_ONCE = 8  # long frames requested at a time
IN_VAIN = 3  # requests once the kernel seems full; 64 queued frames would abort it at once
MUCH = 64 * 1024  # bytes; the kernel is full if it takes less than this
SEQ = re.compile(rb'"seq":(\d+)')


class Spectator(asyncio.Protocol):
    """Follows one room. `tail` is the end of the data it has read."""

    receive_buffer = 0  # bytes; 0 leaves it to the kernel

    def __init__(self, port: int, room: str) -> None:
        self.tail = b""
        self.is_gone = asyncio.Event()
        self.gone_at = 0.0
        self.port = port
        self._room = room

    @property
    def seq(self) -> int:
        """The seq of the newest state it has read."""
        found = SEQ.findall(self.tail)
        return int(found[-1]) if found else 0

    async def come(self) -> None:
        """Connect, and wait for the state of the room."""
        loop = asyncio.get_running_loop()
        self._socket = socket.socket()
        self._socket.setblocking(False)
        if self.receive_buffer:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, self.receive_buffer)
        await loop.sock_connect(self._socket, ("127.0.0.1", self.port))
        self.source = self._socket.getsockname()[1]
        self._transport, _ = await loop.create_connection(lambda: self, sock=self._socket)
        self._transport.write(raw.request(self.port))
        await self._has_read(b" 101 ")
        self._transport.write(raw.HELLO + raw.command("watch", room=self._room))
        await self._has_read(b'"type":"state"')

    def leave(self) -> None:
        self._transport.abort()

    def data_received(self, data: bytes) -> None:
        self.tail = (self.tail + data)[-TAIL:]

    def connection_lost(self, _: Exception | None) -> None:
        self.gone_at = time.monotonic()
        self.is_gone.set()

    async def _has_read(self, text: bytes) -> None:
        async with asyncio.timeout(HANG):
            while text not in self.tail:
                assert not self.is_gone.is_set(), self.tail
                await asyncio.sleep(0.005)


class BadReader(Spectator):
    """Reads at most `pace` bytes a second, and requests long frames until the kernel is full.

    `full_at` is the instant of that. It answers pings, so it is never dropped for silence.
    """

    receive_buffer = 4096

    def __init__(self, port: int, room: str, pace: int = 0) -> None:
        super().__init__(port, room)
        self.full_at = 0.0
        self._pace = pace
        self._queued = -MUCH
        self._asked = 0.0
        self._in_vain = 0

    def stop_reading(self) -> None:
        self._transport.pause_reading()

    def beat(self, queued: int, patience: float) -> None:
        """Called every `BEAT` seconds. `queued`: bytes in the kernel on the server's side."""
        now = time.monotonic()
        with suppress(BlockingIOError):
            self._socket.recv(int(self._pace * BEAT))
        if queued >= self._queued + MUCH:
            self.full_at, self._queued, self._in_vain = now, queued, 0
        elif self._in_vain < IN_VAIN and now > self._asked + patience / 4:
            self._in_vain += 1
        else:
            self._transport.write(raw.frame(b"", raw.PONG))  # an abort is noticed by writing
            return
        self._asked = now
        self._transport.write(raw.command("lobby", on=True) * AT_ONCE)


async def read_badly(readers: Sequence[BadReader], patience: float) -> None:
    """Let the bad readers act until cancelled."""
    for reader in readers:
        reader.stop_reading()
    while True:
        await asyncio.sleep(BEAT)
        queued = _queued_for(readers[0].port)
        for reader in readers:
            if not reader.is_gone.is_set():
                reader.beat(queued.get(reader.source, 0), patience)


def _queued_for(port: int) -> dict[int, int]:
    """Bytes queued in the kernel, by the port of the peer that should read them (Linux only)."""
    queued = {}
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        _, here, there, _, queues, *_ = line.split(maxsplit=5)
        if int(here[-4:], 16) == port:
            queued[int(there[-4:], 16)] = int(queues.partition(":")[0], 16)
    return queued
