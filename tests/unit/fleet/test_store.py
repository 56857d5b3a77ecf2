"""A store on an engine that answers late, twice or never, and forgets to report what it stores."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from random import Random

import pytest

from server.core.events import Event
from server.core.room import RoomId
from server.fleet.engine import Answer, Message, Refusal
from server.fleet.store import FleetStore
from server.metrics import Times
from server.store import Conflict, Unavailable
from tests.ordeals.simulation.hub import FakeEngine, Hub
from tests.support.logs import OPENED, OTHER, ROOM, SEATED, move


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


async def test_what_one_node_appends_the_other_loads_and_hears() -> None:
    scene = Scene()
    ann, bob = scene.stores

    await ann.append_and_wait(ROOM, 0, [OPENED, SEATED])
    await asyncio.sleep(1)
    assert await bob.load(ROOM) == [OPENED, SEATED]
    await bob.append_and_wait(ROOM, 2, [move(0)])
    await ann.append_and_wait(OTHER, 0, [OPENED])

    assert await ann.load(ROOM, 2) == [move(0)]
    assert await ann.load(ROOM, 3) == []
    assert scene.heard[0] == (2, [OPENED, SEATED])
    with pytest.raises(Conflict):
        await ann.load(ROOM, 4)


async def test_of_two_nodes_that_append_at_once_one_has_a_conflict() -> None:
    scene = Scene()
    await scene.stores[0].append_and_wait(ROOM, 0, [OPENED])
    await scene.stores[1].load(ROOM)

    both = (store.append_and_wait(ROOM, 1, [move(n)]) for n, store in enumerate(scene.stores))
    outcomes = await asyncio.gather(*both, return_exceptions=True)

    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["Conflict", "NoneType"]
    assert len(scene.hub.events(ROOM)) == 2


@pytest.mark.parametrize("losses", [1, 2])
async def test_an_append_whose_answer_is_lost_is_written_once_and_succeeds(losses: int) -> None:
    scene = Scene()
    ann, _ = scene.stores
    await ann.append_and_wait(ROOM, 0, [OPENED])
    scene.engines[0].losses = losses

    await ann.append_and_wait(ROOM, 1, [SEATED])

    assert scene.hub.events(ROOM) == [OPENED, SEATED]
    assert scene.engines[0].appends == 2 + losses


async def test_an_append_that_was_overtaken_while_its_answer_was_lost_is_a_conflict() -> None:
    scene = Scene()
    ann, bob = scene.stores
    await ann.append_and_wait(ROOM, 0, [OPENED])
    await bob.load(ROOM)
    scene.engines[0].is_cut = True
    begun = asyncio.ensure_future(ann.append_and_wait(ROOM, 1, [move(0)]))
    await asyncio.sleep(0.1)
    await bob.append_and_wait(ROOM, 1, [move(1)])
    scene.engines[0].is_cut = False

    with pytest.raises(Conflict):
        await begun
    assert scene.hub.events(ROOM) == [OPENED, move(1)]


async def test_after_a_reconnect_what_was_not_answered_is_sent_again_at_once() -> None:
    scene = Scene()
    ann, _ = scene.stores
    await ann.append_and_wait(ROOM, 0, [OPENED])
    scene.engines[0].losses = 1
    begun = asyncio.ensure_future(ann.append_and_wait(ROOM, 1, [SEATED]))
    await asyncio.sleep(0.01)
    assert scene.engines[0].appends == 2

    scene.engines[0].doubt()

    assert scene.engines[0].appends == 3
    await begun
    assert scene.hub.events(ROOM) == [OPENED, SEATED]


async def test_a_refusal_that_is_no_conflict_is_tried_again() -> None:
    scene = Scene()
    ann, _ = scene.stores
    scene.engines[0].refusals = [Refusal.AGAIN] * 3

    await ann.append_and_wait(ROOM, 0, [OPENED])

    assert scene.hub.events(ROOM) == [OPENED]


async def test_an_engine_that_is_away_is_unavailable_is_logged_once_and_recovers(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.WARNING)
    scene = Scene()
    ann, _ = scene.stores
    await ann.append_and_wait(ROOM, 0, [OPENED])
    assert await ann.can_write()
    scene.engines[0].is_cut = True

    for _ in range(3):
        with pytest.raises(Unavailable):
            await ann.append_and_wait(ROOM, 1, [SEATED])
    assert not await ann.can_write()
    with pytest.raises(Unavailable):
        await ann.load(ROOM)
    scene.engines[0].is_cut = False
    await ann.append_and_wait(ROOM, 1, [SEATED])

    assert caplog.messages == ["the engine does not answer", "the engine answers again"]


async def test_what_the_engine_forgets_to_tell_is_heard_within_seconds() -> None:
    scene = Scene()
    ann, bob = scene.stores
    await ann.append_and_wait(ROOM, 0, [OPENED])
    await bob.load(ROOM)
    await asyncio.sleep(1)
    scene.heard.clear()
    scene.engines[1].unfollow(ROOM)

    await ann.append_and_wait(ROOM, 1, [SEATED])
    await ann.append_and_wait(ROOM, 2, [move(0)])
    await asyncio.sleep(10)

    assert scene.heard == [(3, [SEATED, move(0)])]


async def test_the_first_message_of_a_room_that_was_looked_for_is_heard_if_it_was_missed() -> None:
    scene = Scene()
    ann, bob = scene.stores
    assert await bob.load(ROOM) == []
    scene.engines[1].unfollow(ROOM)

    await ann.append_and_wait(ROOM, 0, [OPENED, SEATED])
    await asyncio.sleep(10)

    assert scene.heard == [(2, [OPENED, SEATED])]


async def test_an_append_that_was_given_up_and_stored_later_is_heard() -> None:
    scene = Scene()
    ann, _ = scene.stores
    heard: list[int] = []
    ann.follow(ROOM, lambda length, _: heard.append(length))
    await ann.append_and_wait(ROOM, 0, [OPENED])
    scene.hub.stop_for(4)

    with pytest.raises(Unavailable):
        await ann.append_and_wait(ROOM, 1, [SEATED])
    await asyncio.sleep(10)

    assert scene.hub.events(ROOM) == [OPENED, SEATED]
    assert set(heard) == {2}


async def test_a_message_of_a_newer_version_is_reported_without_its_events(
    caplog: pytest.LogCaptureFixture,
) -> None:
    scene = Scene()
    ann, _ = scene.stores
    await ann.append_and_wait(ROOM, 0, [OPENED])
    await asyncio.sleep(1)
    newer = b'{"n":2,"e":[{"v":99,"type":"unknown"}]}'
    scene.hub.store(ROOM, scene.hub.logs[ROOM][-1].sequence, newer)
    await asyncio.sleep(1)

    assert scene.heard[-1] == (2, [])
    assert "its version is unknown" in caplog.text
    with pytest.raises(Unavailable):
        await ann.load(ROOM)


async def test_closing_waits_for_what_is_under_way() -> None:
    scene = Scene()
    ann, bob = scene.stores
    done: list[object] = []
    ann.append(ROOM, 0, lambda: [OPENED], done.append)

    await ann.close()

    assert done == [None]
    assert await bob.load(ROOM) == [OPENED]


async def test_closing_ends_although_the_client_swallows_a_cancellation() -> None:
    class Swallowing(Engine):
        is_asked = False

        async def lasts(self, rooms: Sequence[RoomId]) -> dict[RoomId, Message]:
            self.is_asked = True
            with suppress(asyncio.CancelledError):
                await asyncio.sleep(1)
            return {}

    engine = Swallowing(Hub(Random(1), Counter()))
    store = FleetStore(engine, Times())
    store.follow(ROOM, lambda *_: None)
    await store.append_and_wait(ROOM, 0, [OPENED])
    while not engine.is_asked:
        await asyncio.sleep(0.1)

    async with asyncio.timeout(60):
        await store.close()


async def test_an_append_that_fails_by_our_fault_ends_and_closing_does_not_wait_for_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Faulty(Engine):
        async def last(self, room: RoomId) -> Message | None:
            raise KeyError(room)

    store = FleetStore(Faulty(Hub(Random(1), Counter())), Times())

    async with asyncio.timeout(60):
        with pytest.raises(Unavailable):
            await store.append_and_wait(ROOM, 7, [move(0)])
        await store.close()
    assert "our fault: an append cannot go on" in caplog.text
