"""A real server in its own process."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

ROOT = Path(__file__).parents[2]
HANG = 30.0  # seconds; only a hang takes so long


def running() -> dict[int, int]:
    """Every process that is not a zombie, mapped to its parent (Linux only)."""
    parents: dict[int, int] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, parent = stat.read_text().rpartition(")")[2].split()[:2]
            if state not in "ZX":
                parents[int(stat.parent.name)] = int(parent)
    return parents


async def outlived(family: set[int]) -> set[int]:
    """The processes of `family` that have not ended by themselves after some seconds."""
    loop = asyncio.get_running_loop()
    until = loop.time() + HANG / 2
    while (left := family & running().keys()) and loop.time() < until:
        await asyncio.sleep(0.05)
    return left


class Served:
    """A server that listens at `url`. `log` is everything it has written to standard error."""

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
    def family(self) -> set[int]:
        """The server process and all its descendants (Linux only)."""
        parents = running()
        family = {self.pid} & parents.keys()
        while more := {pid for pid, parent in parents.items() if parent in family} - family:
            family |= more
        return family

    @property
    def log(self) -> str:
        return self._log.read_text()

    async def kill(self) -> None:
        """Send SIGKILL, and wait until the process has ended."""
        if self._process.returncode is None:
            self._process.kill()
        await self._process.wait()

    async def stop(self, with_: signal.Signals = signal.SIGTERM) -> int:
        """Send SIGTERM (or another signal) and return the exit code."""
        if self._process.returncode is None:
            self._process.send_signal(with_)
        return await asyncio.wait_for(self._process.wait(), HANG)


async def _end(process: Process) -> None:
    """Kill a server; under `make coverage` stop it instead, since a killed one leaves no data."""
    if "COVERAGE_PROCESS_CONFIG" in os.environ:
        process.terminate()
        with suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), HANG)
    if process.returncode is None:
        process.kill()
    await process.wait()


@asynccontextmanager
async def serving(
    folder: Path,
    *options: str,
    store: str | None = "memory:",
    port: int | None = 0,
    ai_pause: int | None = 0,
    variables: Mapping[str, str] | None = None,
    descriptors: int | None = None,
    program: str | None = None,
    command: Sequence[str] | None = None,
) -> AsyncIterator[Served]:
    """Start `python -m server`, and stop it at the end in any case.

    An option that is None is not passed, so the server uses its default or the environment
    `variables`. `descriptors`: how many files it may have open. `program`: Python code to run
    instead, with the same options. `command`: another program with the same options, run in
    `folder`.
    """
    log = folder / f"server-{len(list(folder.glob('server-*.log')))}.log"
    given = {"--store": store, "--port": port, "--ai-pause": ai_pause}
    arguments = [f"{name}={value}" for name, value in given.items() if value is not None]
    # Not asyncio's PIPE: `wait` would then also wait for every process that inherited the pipe.
    reading, writing = os.pipe()
    with log.open("wb") as errors, open(writing, "wb") as output:
        limited = (
            () if descriptors is None else ("sh", "-c", f'ulimit -n {descriptors}; exec "$@"', "")
        )
        process = await asyncio.create_subprocess_exec(
            *limited,
            *(
                command
                or (sys.executable, *(("-m", "server") if program is None else ("-c", program)))
            ),
            *arguments,
            *options,
            cwd=ROOT if command is None else folder,
            stdout=output,
            stderr=errors,
            env={**os.environ, "PYTHONUNBUFFERED": "1", **(variables or {})},
        )
    try:
        with open(reading) as lines:
            line = await asyncio.wait_for(asyncio.to_thread(lines.readline), HANG)
        assert line.startswith("listening on http://"), log.read_text()
        yield Served(process, line.split()[-1], log)
    finally:
        if process.returncode is None:
            await _end(process)
