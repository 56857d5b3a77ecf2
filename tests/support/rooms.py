"""Real rooms, hosts and outboxes for tests of `server/live`, on a wire one can read."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from typing import Any

from server.core.commands import Create
from server.core.events import Event, Person, PlayerId, TimeControl
from server.core.room import RoomId
from server.core.rules import CLASSIC
from server.live.host import RoomHost
from server.live.house import House
from server.live.limits import Limits
from server.live.outbox import Outbox, Scheduler
from server.live.rooms import Rooms
from server.metrics import Metrics, Times
from server.store import Store
from server.store.memory import MemoryStore

ADA = Person(PlayerId("ada-ada-ada-ada-"), "Ada")
BO = Person(PlayerId("bo-bo-bo-bo-bo-b"), "Bo")
CY = Person(PlayerId("cy-cy-cy-cy-cy-c"), "Cy")

Frame = dict[str, Any]


class Wire(asyncio.Transport):
    """A transport that keeps what is written, or pretends that the peer does not read it."""

    high = 64 * 1024  # bytes it may hold before it pauses its protocol

    def __init__(self) -> None:
        super().__init__()
        self.written: list[bytes] = []
        self.held = 0  # bytes the peer has not read
        self.stalled = False
        self.aborted = False
        self.closed = False
        self.paused = False
        self._protocol: asyncio.BaseProtocol = asyncio.Protocol()

    def get_protocol(self) -> asyncio.BaseProtocol:
        return self._protocol

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        self._protocol = protocol

    def write(self, data: bytes | bytearray | memoryview) -> None:
        assert not self.aborted, "written to after its end"
        self.written.append(bytes(data))
        if self.stalled:
            self.held += len(data)
            if self.held > self.high:
                self._protocol.pause_writing()

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        self.high = high or self.high

    def catch_up(self) -> None:
        """The peer reads all there is."""
        self.stalled, self.held = False, 0
        self._protocol.resume_writing()

    def get_write_buffer_size(self) -> int:
        return self.held

    def is_closing(self) -> bool:
        return self.aborted or self.closed

    def abort(self) -> None:
        self.aborted = True

    def close(self) -> None:
        self.closed = True

    def pause_reading(self) -> None:
        self.paused = True

    def resume_reading(self) -> None:
        self.paused = False

    @property
    def close_code(self) -> int | None:
        """That of the close frame, which is the last frame that was written."""
        _, sign, close = b"".join(self.written).rpartition(b"\x88")
        return int.from_bytes(close[1:3]) if sign else None

    @property
    def frames(self) -> list[Frame]:
        return [frame for data in self.written for frame in split(data)]

    def of_type(self, type: str) -> list[Frame]:
        return [frame for frame in self.frames if frame["type"] == type]


def split(data: bytes) -> list[Frame]:
    """The JSON of each text frame in one write."""
    found = []
    while data:
        size, start = data[1], 2
        if size == 126:
            size, start = int.from_bytes(data[2:4]), 4
        if data[0] == 0x81:
            found.append(json.loads(data[start : start + size]))
        else:
            assert data[0] in (0x88, 0x89, 0x8A), data
        data = data[start + size :]
    return found


def new_scheduler(patience: float = 10.0, answers: int = 64) -> Scheduler:
    return Scheduler(Times(), patience=patience, answers=answers)


class _Paused(asyncio.Protocol):
    """Passes on what the transport says about writing, as a socket does."""

    def __init__(self, outbox: Outbox) -> None:
        self._outbox = outbox

    def pause_writing(self) -> None:
        self._outbox.pause()

    def resume_writing(self) -> None:
        self._outbox.resume()


def connected(
    person: Person, scheduler: Scheduler | None = None, *, behind: int = Wire.high
) -> tuple[Outbox, Wire]:
    """A peer's outbox, and what is written for it. It is behind with more bytes than that."""
    wire = Wire()
    wire.set_write_buffer_limits(behind)
    outbox = Outbox(wire, scheduler or new_scheduler())
    wire.set_protocol(_Paused(outbox))
    outbox.person = person
    return outbox, wire


async def tick() -> None:
    """Let the event loop turn once: what was said is then written."""
    await asyncio.sleep(0)


class Clockwork:
    """A clock that tests turn by hand, in milliseconds."""

    def __init__(self) -> None:
        self.now = 1_000_000

    def __call__(self) -> int:
        return self.now


def new_rooms(
    store: Store | None = None,
    clock: Callable[[], int] | None = None,
    idle: int = 600_000,
    capacity: int = 100,
) -> Rooms:
    return Rooms(
        store or MemoryStore(), Metrics(), now=clock or Clockwork(), idle=idle, capacity=capacity
    )


async def open_room(
    rooms: Rooms,
    x: Person | str | None = ADA,
    o: Person | str | None = BO,
    *,
    id: str = "room",
    public: bool = True,
    time: TimeControl | None = None,
) -> RoomHost:
    host, is_new = await rooms.open(RoomId(id), Create(CLASSIC, (x, o), public, time))
    assert is_new
    return host


def new_house(store: Store | None = None, clock: Callable[[], int] | None = None) -> House:
    """A whole house with real limits; its AI workers start with the first AI."""
    return House(store or MemoryStore(), Limits(), Metrics(), now=clock or Clockwork(), ai_pause=0)


class Slow(MemoryStore):
    """Every word takes a moment: time for others to come in between."""

    async def append_and_wait(self, room: RoomId, expected: int, events: Sequence[Event]) -> None:
        await super().append_and_wait(room, expected, events)
        await asyncio.sleep(0.05)

    async def load(self, room: RoomId) -> list[Event]:
        await asyncio.sleep(0.05)
        return await super().load(room)
