"""Live rooms and whole houses, on a store in memory and a clock that tests turn by hand."""

from __future__ import annotations

from collections.abc import Callable

from server.bus import Alone, Bus
from server.core.commands import Command, Create
from server.core.events import Person, TimeControl
from server.core.room import RoomId
from server.core.rules import CLASSIC
from server.live.draft import Answer
from server.live.host import RoomHost
from server.live.house import House
from server.live.limits import Limits
from server.live.nodes import Nodes
from server.live.rooms import Rooms
from server.metrics import Metrics
from server.store import Store
from server.store.memory import MemoryStore
from tests.support.people import ADA, BO
from tests.support.stores import Gated


class HandClock:
    """A clock in milliseconds that moves only when a test changes `now`."""

    def __init__(self) -> None:
        self.now = 1_000_000

    def __call__(self) -> int:
        return self.now


def new_rooms(
    store: Store | None = None,
    clock: Callable[[], int] | None = None,
    idle: int = 600_000,
    capacity: int = 100,
    bus: Bus | None = None,
    node: str = "node",
    is_needed: Callable[[RoomId], bool] = lambda _: False,
) -> Rooms:
    now = clock or HandClock()
    return Rooms(
        store or MemoryStore(),
        Nodes(bus or Alone(), node, now=now),
        Metrics(),
        now=now,
        idle=idle,
        capacity=capacity,
        is_needed=is_needed,
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


async def gated_room(*, takes_early: bool = False) -> tuple[Gated, RoomHost]:
    """A room of Ada and Bo whose store holds every further append back."""
    store = Gated()
    host = await open_room(new_rooms(store))
    store.is_gated, store.takes_early = True, takes_early
    return store, host


def submit(host: RoomHost, *commands: Command) -> list[Answer]:
    """Submit the commands in order. The returned list fills with their answers."""
    answers: list[Answer] = []
    for command in commands:
        host.submit(command, answers.append)
    return answers


def new_house(
    store: Store | None = None,
    clock: Callable[[], int] | None = None,
    limits: Limits = Limits(),  # noqa: B008 (it is frozen)
) -> House:
    """A whole house, by default with real limits; its AI workers start with the first AI."""
    now = clock or HandClock()
    return House(store or MemoryStore(), Alone(), limits, Metrics(), now=now, ai_pause=0)
