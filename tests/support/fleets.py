"""Several nodes on virtual time that share an engine which does what it should."""

from __future__ import annotations

import asyncio
from collections import Counter
from random import Random
from typing import cast

from server.ai.pool import SearchPool
from server.core.events import Person
from server.fleet.store import FleetStore
from server.live.host import RoomHost
from server.live.house import House
from server.live.limits import Limits
from server.live.outbox import Outbox
from server.metrics import Metrics, Times
from tests.ordeals.simulation.hub import FakeEngine, Hub
from tests.ordeals.simulation.process import QuickPool
from tests.support.outboxes import connected
from tests.support.wire import Wire

EPOCH = 1_000_000_000_000  # ms


class Fleet:
    """`seconds` lets time pass on every node; a node that is killed does nothing any more."""

    def __init__(self) -> None:
        self.hub = Hub(Random(1), Counter())
        self.hub.heal()
        self.nodes: dict[str, House] = {}
        self._engines: dict[str, FakeEngine] = {}
        self._loop = asyncio.get_running_loop()

    def now(self) -> int:
        return EPOCH + round(self._loop.time() * 1000)

    def new_node(self, name: str) -> House:
        engine = FakeEngine(self.hub, lambda _: None, lambda *_: None)
        pool = cast(SearchPool, QuickPool(Random(1)))
        house = House(
            FleetStore(engine, Times()),
            engine,
            Limits().lift(),
            Metrics(),
            now=self.now,
            ai_pause=0,
            node=name,
            pool=pool,
        )
        self.nodes[name], self._engines[name] = house, engine
        return house

    async def seconds(self, seconds: float) -> None:
        """Let time pass, with a beat of every node each second."""
        while seconds > 0:
            await asyncio.sleep(min(1.0, seconds))
            seconds -= 1.0
            for name, house in self.nodes.items():
                if not self._engines[name].is_dead:
                    await house.beat()

    def kill(self, name: str) -> None:
        self._engines[name].is_dead = True
        house = self.nodes.pop(name)
        house.rooms.close()


def join(host: RoomHost, person: Person, house: House) -> tuple[Outbox, Wire]:
    """A peer that follows a room."""
    outbox, wire = connected(person, house.scheduler)
    host.audience.add(outbox)
    return outbox, wire
