"""People who never give up, in rooms whose network or store fails.

Also the helper that runs system commands to cause faults, where the machine allows it.
"""

from __future__ import annotations

import asyncio
import secrets
import shutil
import subprocess
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random

from tests.ordeals.torture.persistence import Persistent
from tests.support import history
from tests.support.history import Asked

HANG = 60.0  # seconds; only a hang takes so long
LOOK_AGAIN = 0.01  # seconds between two checks of a condition


class Crowd:
    """Two players and a spectator in each room, until `is_over`."""

    def __init__(self, ws: str) -> None:
        self.clients: list[Persistent] = []
        self.is_over = asyncio.Event()
        self._ws = ws

    @property
    def rooms(self) -> set[str]:
        return {client.record.room for client in self.clients}

    async def play(self, number: int) -> None:
        opened: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        creation = {"type": "create", "nonce": f"{number}"}
        async with asyncio.TaskGroup() as group:
            group.create_task(self._client().run(creation, self.is_over, opened))
            room = await opened
            for opening in ({"type": "sit", "seat": "O"}, {"type": "watch"}):
                group.create_task(self._client().run({**opening, "room": room}, self.is_over))

    def _client(self) -> Persistent:
        self.clients.append(Persistent((self._ws,), secrets.token_urlsafe(32), Random()))
        return self.clients[-1]

    # ------------------------------------------------------------------------------- looking

    def accepted(self, since: float) -> set[str]:
        """The rooms in which a command first sent after `since` was accepted."""
        return {
            client.record.room
            for client in self.clients
            for asked in client.record.asked[-1:]
            if asked.seq is not None and asked.sent > since
        }

    def accepted_since(self, since: float) -> list[Asked]:
        """Every accepted command that was first sent after `since`."""
        asked = [asked for client in self.clients for asked in client.record.asked]
        return [each for each in asked if each.seq is not None and each.sent > since]

    def told_to_retry(self, since: float) -> set[str]:
        """The rooms in which a command was refused with `retry` after `since`."""
        return {
            client.record.room
            for client in self.clients
            for told in client.told[-1:]
            if told > since
        }

    async def moves_on(self) -> float:
        """Wait until a new command is accepted in every room. Returns the seconds it took."""
        since = time.monotonic()
        await until(lambda: self.accepted(since) == self.rooms, "every room moves on")
        return time.monotonic() - since

    async def look(self) -> None:
        """At rest, everybody connects once more and sees the current state."""
        for client in self.clients:
            await asyncio.wait_for(client.look(), HANG)

    async def judge(self, file: Path) -> int:
        """Check the logs against everything that was seen. Returns the total number of events."""
        events = 0
        for room in self.rooms:
            present = [client for client in self.clients if client.record.room == room]
            log = await history.read_log(file, room)
            history.check(room, log, [client.record for client in present])
            history.check_convergence(room, log, [client.last for client in present])
            asked = [asked for client in present for asked in client.record.asked]
            if refused := [each for each in asked if each.refused]:
                raise history.Broken(f"{room}: refused without a reason: {refused[0]}")
            events += len(log)
        return events


@asynccontextmanager
async def crowd(ws: str, rooms: int) -> AsyncIterator[Crowd]:
    """`rooms` rooms in which people play as fast as answers come, until the end of the block."""
    people = Crowd(ws)
    async with asyncio.TaskGroup() as group:
        for number in range(rooms):
            group.create_task(people.play(number))
        await until(lambda: len(people.accepted(0)) == rooms, "every room is opened")
        yield people
        people.is_over.set()


async def until(so: Callable[[], bool], what: str) -> None:
    """Wait for a condition. A hang or a broken promise makes it fail."""
    begin = time.monotonic()
    while not so():
        if time.monotonic() - begin > HANG:
            raise history.Broken(f"for {HANG:.0f} s it did not come to this: {what}")
        await asyncio.sleep(LOOK_AGAIN)


class NotHere(Exception):
    """This machine or user cannot cause such a fault. The text says why."""


def run(*command: str) -> None:
    if shutil.which(command[0]) is None:
        raise NotHere(f"{command[0]} is not installed")
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise NotHere(ended.stderr.strip())
