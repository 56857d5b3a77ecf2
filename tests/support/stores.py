"""Stores in memory that are slow, held up or broken when a test wants them to be."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from server.core.events import Event
from server.core.room import RoomId
from server.store import Done, Take, Unavailable
from server.store.memory import MemoryStore


class Slow(MemoryStore):
    """Every call takes 50 ms, in which other tasks can run."""

    async def append_and_wait(self, room: RoomId, expected: int, events: Sequence[Event]) -> None:
        await super().append_and_wait(room, expected, events)
        await asyncio.sleep(0.05)

    async def load(self, room: RoomId, after: int = 0) -> list[Event]:
        await asyncio.sleep(0.05)
        return await super().load(room, after)


class Gated(MemoryStore):
    """Holds appends back while `is_gated`, and fails on request.

    `is_down`: an append is answered with `Unavailable`. `is_broken`: it raises. `is_unreadable`: a
    load raises. `takes_early`: events are taken when the append is called, not when it is written.
    """

    def __init__(self) -> None:
        super().__init__()
        self.is_gated = False
        self.is_down = False
        self.is_broken = False
        self.is_unreadable = False
        self.takes_early = False
        self.appends = 0
        self.loads = 0
        self._held: list[Callable[[], None]] = []

    def append(self, room: RoomId, expected: int, take: Take, done: Done) -> None:
        if self.is_broken:
            raise RuntimeError("cannot start a thread")
        self.appends += 1
        if self.takes_early:
            events = take()
            take = lambda: events  # noqa: E731
        if self.is_gated:
            self._held.append(lambda: self._append(room, expected, take, done))
        else:
            self._append(room, expected, take, done)

    def _append(self, room: RoomId, expected: int, take: Take, done: Done) -> None:
        if self.is_down:
            done(Unavailable("no space left"))
        else:
            super().append(room, expected, take, done)

    def open_gate(self) -> None:
        """Carry out the appends that were held back; later ones pass at once."""
        self.is_gated = False
        self.release()

    def release(self) -> None:
        """Carry out the appends that were held back; the gate stays as it is."""
        held, self._held = self._held, []
        for append in held:
            append()

    async def load(self, room: RoomId, after: int = 0) -> list[Event]:
        self.loads += 1
        if self.is_unreadable:
            raise Unavailable("cannot read")
        return await super().load(room, after)

    def append_foreign(self, room: RoomId, expected: int, event: Event) -> None:
        """Append an event of another writer, past the gate."""
        super().append(room, expected, lambda: [event], lambda problem: None)
