"""Two stores on one engine in memory, whose answers can be lost or changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random

from server.core.events import Event
from server.core.room import RoomId
from server.fleet.engine import Answer, Refusal
from server.fleet.store import FleetStore
from server.metrics import Times
from tests.ordeals.simulation.hub import FakeEngine, Hub
from tests.support.logs import ROOM


class Engine(FakeEngine):
    """`losses`: how many of the next answers are lost. `refusals`: the next answers, instead."""

    def __init__(self, hub: Hub) -> None:
        super().__init__(hub, lambda _: None, lambda *_: None)
        self.losses = 0
        self.refusals: list[Refusal] = []
        self.appends = 0

    def append(
        self, room: RoomId, last: int, data: bytes, answer: Callable[[Answer], None]
    ) -> None:
        self.appends += 1
        if self.refusals:
            answer(self.refusals.pop(0))
        elif self.losses:
            self.losses -= 1
            super().append(room, last, data, lambda _: None)
        else:
            super().append(room, last, data, answer)


class Scene:
    """Two nodes with a store each. `heard`: what the second one was told about the room."""

    def __init__(self) -> None:
        self.hub = Hub(Random(1), Counter())
        self.hub.heal()
        self.engines = Engine(self.hub), Engine(self.hub)
        self.stores = [FleetStore(engine, Times()) for engine in self.engines]
        self.heard: list[tuple[int, list[Event]]] = []
        self.stores[0].follow(ROOM, lambda *_: None)
        self.stores[1].follow(ROOM, lambda length, events: self.heard.append((length, [*events])))
