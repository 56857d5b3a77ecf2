"""Outboxes that write to a `Wire`."""

from __future__ import annotations

import asyncio

from server.core.events import Person
from server.live.outbox import Outbox, Scheduler
from server.metrics import Times
from tests.support.wire import Wire


def new_scheduler(patience: float = 10.0, queue_limit: int = 64) -> Scheduler:
    return Scheduler(Times(), patience=patience, queue_limit=queue_limit)


class _Paused(asyncio.Protocol):
    """Pauses and resumes an outbox with its transport, as a socket does."""

    def __init__(self, outbox: Outbox) -> None:
        self._outbox = outbox

    def pause_writing(self) -> None:
        self._outbox.pause()

    def resume_writing(self) -> None:
        self._outbox.resume()


def connected(
    person: Person, scheduler: Scheduler | None = None, *, behind: int = Wire.high
) -> tuple[Outbox, Wire]:
    """A peer's outbox and its wire. The peer is behind once the wire holds `behind` bytes."""
    wire = Wire()
    wire.set_write_buffer_limits(behind)
    outbox = Outbox(wire, scheduler or new_scheduler())
    wire.set_protocol(_Paused(outbox))
    outbox.person = person
    return outbox, wire


async def tick() -> None:
    """Let the event loop turn once, which flushes every outbox."""
    await asyncio.sleep(0)
