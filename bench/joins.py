"""How fast many clients join, and come back when their node is lost: `python -m bench.joins`.

A client dials, says hello, watches a room and waits for its board. Those of a lost node dial the
other one within a second, as the page does. Clients, nodes and NATS share this machine. The clients
are raw sockets, since a library for them would take longer than the servers.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import resource
import signal
import time
from contextlib import AsyncExitStack
from pathlib import Path
from random import uniform
from tempfile import TemporaryDirectory

from bench.fleet import on_nats
from bench.load import dialled
from bench.servers import MEMORY, NAIVE, Started, started
from tests.support.bare import handshake, text
from tests.support.engines import address, nats_server

ROOMS = 500
A_PEER_OPENS = 50  # rooms
HANG = 120.0
JITTER = 1.0  # seconds within which the page dials again


class Client(asyncio.Protocol):
    """`there` is done when the board of the room has come."""

    def __init__(self, room: str, host: str) -> None:
        self._room = room
        self._host = host
        self._received = b""
        self.there: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        hello = text({"type": "hello", "protocol": 1, "name": "Ada"})
        watch = text({"type": "watch", "room": self._room})
        transport.write(handshake(self._host) + hello + watch)

    def data_received(self, data: bytes) -> None:
        if not self.there.done():
            self._received += data
            if b'"type":"state"' in self._received.replace(b" ", b""):
                self.there.set_result(None)

    def connection_lost(self, _: Exception | None) -> None:
        if not self.there.done():
            self.there.set_exception(ConnectionError("lost before the board had come"))


async def join(server: Started, rooms: list[str], number: int, spread: float = 0.0) -> float:
    """Let so many join; returns the seconds until all have seen their board. Then they leave."""
    clients, took = await _join(server, rooms, number, spread)
    for client in clients:
        client.transport.abort()
    return took


async def _join(
    server: Started, rooms: list[str], number: int, spread: float
) -> tuple[list[Client], float]:
    loop, host = asyncio.get_running_loop(), f"127.0.0.1:{server.port}"
    begin = time.monotonic()

    async def one(room: str) -> Client:
        await asyncio.sleep(uniform(0, spread))
        _, client = await loop.create_connection(
            lambda: Client(room, host), "127.0.0.1", server.port
        )
        await client.there
        return client

    async with asyncio.timeout(HANG):
        joining = (one(rooms[place % len(rooms)]) for place in range(number))
        clients = await asyncio.gather(*joining)
    return clients, time.monotonic() - begin


async def open_rooms(server: Started, number: int) -> list[str]:
    rooms: list[str] = []
    while len(rooms) < number:
        async with dialled(server.url) as peer:  # one peer follows a limited number of rooms
            more = min(A_PEER_OPENS, number - len(rooms))
            rooms += [(await peer.ask("create"))["room"] for _ in range(more)]
    return rooms


async def measure_rejoin(folder: Path, number: int) -> None:
    async with AsyncExitStack() as stack:
        nats = on_nats("NATS", address(await stack.enter_async_context(nats_server(folder))))
        lost, other = [await stack.enter_async_context(started(nats, folder)) for _ in range(2)]
        rooms = await open_rooms(lost, ROOMS)
        await _join(lost, rooms, number, 0)
        os.kill(lost.pid, signal.SIGKILL)
        took = await join(other, rooms, number, JITTER)
    print(f"{number} clients of a lost node are back on the other after {took:.1f} s")


async def measure_joins(folder: Path, number: int) -> None:
    """All into one room, on each kind of server."""
    rates: dict[str, float] = {}
    async with AsyncExitStack() as stack:
        nats = on_nats("NATS", address(await stack.enter_async_context(nats_server(folder))))
        for contender in (NAIVE, MEMORY, nats):
            async with started(contender, folder) as server:
                [room] = await open_rooms(server, 1)
                rates[contender.name] = number / await join(server, [room], number)
    for name, rate in rates.items():
        print(f"{name}: {rate:.0f} joins/s into one room, {rate / rates['naive']:.2f} × naive")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.joins", description=__doc__)
    parser.add_argument("--clients", type=int, default=5_000)
    number = parser.parse_args().clients
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with TemporaryDirectory(prefix="noughts-") as folder:
        (Path(folder) / "joins").mkdir()
        asyncio.run(measure_joins(Path(folder) / "joins", number))
        asyncio.run(measure_rejoin(Path(folder), number))


if __name__ == "__main__":
    main()
