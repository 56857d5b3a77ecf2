"""Servers under test, each in a process of its own. Their cost is read from /proc."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
TICKS = os.sysconf("SC_CLK_TCK")
HANG = 60.0


class Contender(NamedTuple):
    """A server to be measured: its name and the command that starts it."""

    name: str
    module: str
    arguments: tuple[str, ...] = ()


NAIVE = Contender("naive", "bench.naive", ("{port}",))
MEMORY = Contender("memory", "server", ("--port={port}", "--store=memory:", "--no-limits"))
SQLITE = Contender(
    "sqlite", "server", ("--port={port}", "--store=sqlite:{folder}/rooms.db", "--no-limits")
)


class Started:
    def __init__(self, name: str, process: asyncio.subprocess.Process, port: int) -> None:
        self.name = name
        self.port = port
        self.url = f"ws://127.0.0.1:{port}/ws"
        self.pid = process.pid

    def cpu(self) -> float:
        """CPU seconds used so far by the server process, without its AI workers."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def memory(self) -> int:
        """Resident memory of the server process in KiB."""
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1])
        raise RuntimeError("no VmRSS")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@asynccontextmanager
async def started(contender: Contender, folder: Path) -> AsyncIterator[Started]:
    port = free_port()
    arguments = [a.format(port=port, folder=folder) for a in contender.arguments]
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        contender.module,
        *arguments,
        cwd=ROOT,
        stdout=asyncio.subprocess.DEVNULL,
    )
    try:
        await accepts(port)
        yield Started(contender.name, process, port)
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


async def accepts(port: int) -> None:
    """Wait until the port accepts connections."""
    end = time.monotonic() + HANG
    while True:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            if time.monotonic() > end:
                raise
            await asyncio.sleep(0.002)
        else:
            writer.close()
            return
