"""SIGTERM under load, and a new process on the same port (promise P8)."""

from __future__ import annotations

import asyncio
import json
import socket
import sqlite3
import time
from collections import Counter
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import randrange

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from server.core.events import PlayerId
from server.identity import room_id_for
from tests.ordeals.torture import Figures, raw
from tests.ordeals.torture.load import ROOMS, Load, all_resumed, check, restarting
from tests.support.dialling import HANG
from tests.support.serving import Served

QUICK = 2
ROUND = 5  # restarts with the same rooms; then their logs are checked, and new rooms opened
EXIT_WITHIN = RESUMED_WITHIN = 5.0  # seconds
RESTARTING, ABNORMAL = 1012, 1006


@dataclass
class Seen:
    """The figures of all restarts so far."""

    accepted: Counter[str] = field(default_factory=Counter)
    goodbyes: int = 0
    exit: float = 0.0
    resume: float = 0.0


async def ordeal(folder: Path, amount: int) -> Figures:
    file, seen = folder / "rooms.db", Seen()
    async with restarting(file) as start:
        served = await start(0)
        for done in range(0, amount, ROUND):
            load = Load(served.ws)
            async with asyncio.TaskGroup() as group:
                for number in range(ROOMS):
                    group.create_task(load.play(number))
                await load.progress.more(2 * ROOMS)  # by then everybody has a seat
                for _ in range(min(ROUND, amount - done)):
                    await load.progress.more(randrange(100, 300))
                    begin = time.monotonic()
                    marks = load.marks()
                    await _terminate(served, file, load, seen)
                    served = await start(served.port)
                    seen.resume = max(seen.resume, await all_resumed(marks, begin))
                await load.progress.more(200)
                load.is_over.set()
            seen.accepted += await check(file, load.clients)
        assert await served.stop() == 0
    if amount > QUICK:
        assert seen.exit < EXIT_WITHIN, f"exit after {seen.exit:.1f} s"
        assert seen.resume < RESUMED_WITHIN, f"resumed after {seen.resume:.1f} s"
    return {
        "restarts": amount,
        "commands accepted": seen.accepted.total(),
        "lost": 0,  # otherwise the history checker would have raised
        "sockets closed with 1012": seen.goodbyes,
        "slowest exit": f"{seen.exit:.1f} s",
        "slowest resume": f"{seen.resume:.1f} s",
    }


async def _terminate(served: Served, file: Path, load: Load, seen: Seen) -> None:
    """Stop one process while one client opens rooms and another one keeps connecting."""
    builder = Builder(served.port)
    async with asyncio.TaskGroup() as group:
        group.create_task(builder.run())
        passing = group.create_task(_pass_by(served.ws))
        await asyncio.wait_for(builder.is_busy.wait(), HANG)
        present = [(client, len(client.ends)) for client in load.clients if client.is_connected]
        begin = time.monotonic()
        code = await served.stop()
        seen.exit = max(seen.exit, time.monotonic() - begin)
    assert code == 0, served.log
    for client, before in present:
        assert client.ends[before : before + 1] == [RESTARTING], (client.ends, before)
    assert passing.result() in (RESTARTING, None)
    assert builder.code == RESTARTING, builder.code
    assert not _stored(file, builder.late), "rooms were opened while the server was draining"
    assert _stored(file, builder.rooms) == len(builder.rooms)
    seen.goodbyes += len(present) + 1
    seen.accepted["create"] += len(builder.rooms)


class Builder:
    """Opens one room after the other, and goes on while the server drains."""

    def __init__(self, port: int) -> None:
        self.rooms: list[str] = []  # accepted
        self.late: list[str] = []  # requested after the close
        self.is_busy = asyncio.Event()
        self.code = 0
        self._port = port
        self._player = PlayerId("")
        self._number = 0

    async def run(self) -> None:
        # A plain socket, because asyncio's streams lose received data once a write has failed.
        loop, reader = asyncio.get_running_loop(), asyncio.StreamReader()
        with socket.create_connection(("127.0.0.1", self._port)) as line:
            line.setblocking(False)
            await loop.sock_sendall(line, raw.request(self._port) + raw.HELLO)
            building = asyncio.create_task(self._build(line))
            async with asyncio.timeout(HANG):
                await asyncio.gather(_feed(reader, line), self._listen(reader))
            building.cancel()
            await asyncio.wait((building,))

    async def _build(self, line: socket.socket) -> None:
        with suppress(OSError):
            while True:
                await asyncio.sleep(0 if self.code else 0.01)
                await asyncio.get_running_loop().sock_sendall(line, self._order())

    def _order(self) -> bytes:
        """Frames that open a room and unwatch the last one, since a peer follows at most 64."""
        self._number += 1
        nonce = f"{self._number}"
        if self.code:
            self.late.append(room_id_for(self._player, nonce))
        unwatch = raw.command("unwatch", room=self.rooms[-1]) if self.rooms else b""
        return raw.command("create", id=self._number, nonce=nonce) + unwatch

    async def _listen(self, reader: asyncio.StreamReader) -> None:
        with suppress(asyncio.IncompleteReadError):
            await reader.readuntil(b"\r\n\r\n")
            while True:
                self._hear(*await raw.read(reader))

    def _hear(self, opcode: int, payload: bytes) -> None:
        if opcode == raw.CLOSE:
            self.code = int.from_bytes(payload[:2])
        elif opcode == raw.TEXT:
            said = json.loads(payload)
            if said["type"] == "welcome":
                self._player = PlayerId(said["player"]["id"])
            elif said["type"] == "accepted" and said["re"] is not None:
                self.rooms.append(said["room"])
                self.is_busy.set()


async def _feed(reader: asyncio.StreamReader, line: socket.socket) -> None:
    with suppress(OSError):
        while data := await asyncio.get_running_loop().sock_recv(line, 65_536):
            reader.feed_data(data)
    reader.feed_eof()


async def _pass_by(ws: str) -> int | None:
    """Connect again and again until the server is down. Returns the last close code."""
    while True:
        try:
            async with connect(ws, compression=None) as passing:
                with suppress(TimeoutError):
                    async with asyncio.timeout(0.005):
                        await passing.recv()
        except ConnectionClosed as end:
            return end.rcvd.code if end.rcvd else ABNORMAL
        except (OSError, InvalidHandshake, EOFError):
            return None


def _stored(file: Path, rooms: list[str]) -> int:
    query = "SELECT count(*) FROM log WHERE seq = 1 AND room IN (SELECT value FROM json_each(?))"
    with closing(sqlite3.connect(file)) as reader:
        [(number,)] = reader.execute(query, (json.dumps(rooms),))
    return int(number)
