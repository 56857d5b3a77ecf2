"""A real server in a process of its own, for tests that dial it."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

ROOT = Path(__file__).parents[1]
HANG = 30.0  # seconds; only a hang takes so long


class Served:
    """`url` once it listens; `log` is everything it wrote to standard error."""

    def __init__(self, process: Process, url: str, log: Path) -> None:
        self._process = process
        self.url = url
        self._log = log

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def ws(self) -> str:
        return self.url.replace("http", "ws", 1) + "/ws"

    @property
    def log(self) -> str:
        return self._log.read_text()

    async def kill(self) -> None:
        """`kill -9`: no goodbye."""
        self._process.kill()
        await self._process.wait()

    async def stop(self, with_: signal.Signals = signal.SIGTERM) -> int:
        """SIGTERM (or another signal), and the exit code."""
        if self._process.returncode is None:
            self._process.send_signal(with_)
        return await asyncio.wait_for(self._process.wait(), HANG)


@asynccontextmanager
async def serving(
    folder: Path,
    *options: str,
    store: str = "memory:",
    port: int = 0,
    ai_pause: int = 0,
    variables: Mapping[str, str] | None = None,
) -> AsyncIterator[Served]:
    """Start `python -m server` and stop it at the end, whatever happened in between."""
    log = folder / f"server-{len(list(folder.glob('server-*.log')))}.log"
    arguments = ("--store", store, "--port", str(port), "--ai-pause", str(ai_pause), *options)
    with log.open("wb") as errors:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "server",
            *arguments,
            cwd=ROOT,
            stdout=PIPE,
            stderr=errors,
            env={**os.environ, "PYTHONUNBUFFERED": "1", **(variables or {})},
        )
    try:
        assert process.stdout is not None
        line = (await asyncio.wait_for(process.stdout.readline(), HANG)).decode()
        assert line.startswith("listening on http://"), log.read_text()
        yield Served(process, line.split()[-1], log)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
