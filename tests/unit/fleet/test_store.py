"""A store on an engine that answers late, twice or never, and forgets to report what it stores."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from random import Random

import pytest

from server.core.room import RoomId
from server.fleet.engine import Message
from server.fleet.store import RECOVERED_AFTER, FleetStore
from server.metrics import Times
from server.store import Conflict, Unavailable
from tests.ordeals.simulation.hub import Hub
from tests.support.logs import OPENED, OTHER, ROOM, SEATED, move
from tests.support.shared_logs import Engine, Scene


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
    assert ann.is_refusing
    scene.engines[0].is_cut = False
    await ann.append_and_wait(ROOM, 1, [SEATED])
    await asyncio.sleep(RECOVERED_AFTER)

    assert not ann.is_refusing
    assert caplog.messages == ["the engine does not answer", "the engine answers again"]


async def test_an_engine_that_is_away_for_some_rooms_has_not_recovered_because_of_the_others(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.WARNING)
    scene = Scene()
    ann, _ = scene.stores
    for _ in range(4):
        scene.engines[0].is_cut = True
        with pytest.raises(Unavailable):
            await (ann.load(OTHER) if ann.is_refusing else ann.append_and_wait(OTHER, 0, [OPENED]))
        scene.engines[0].is_cut = False
        assert await ann.can_write()
        await asyncio.sleep(RECOVERED_AFTER / 2)
    assert caplog.messages == ["the engine does not answer"]

    await asyncio.sleep(RECOVERED_AFTER)
    assert caplog.messages == ["the engine does not answer", "the engine answers again"]
    await ann.close()


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


async def test_a_message_behind_one_that_was_not_told_is_heard_with_it() -> None:
    scene = Scene()
    ann, bob = scene.stores
    await ann.append_and_wait(ROOM, 0, [OPENED])
    await bob.load(ROOM)
    await asyncio.sleep(1)
    missed = scene.hub.logs[ROOM][-1].sequence + 1
    scene.engines[1].unfollow(ROOM)
    await ann.append_and_wait(ROOM, 1, [SEATED])
    await asyncio.sleep(1)
    scene.engines[1].follow(ROOM, partial(bob._hear_message, ROOM))
    scene.heard.clear()

    await ann.append_and_wait(ROOM, 2, [move(0)])
    await asyncio.sleep(0.5)

    assert scene.heard == [(3, [move(0)])]
    head = bob._heads[ROOM]
    assert (head.length, head.sequence) == (1, missed - 1), "a head is never wrong"


async def test_a_log_with_a_gap_is_not_read() -> None:
    scene = Scene()
    ann, bob = scene.stores
    for length, event in enumerate([OPENED, SEATED, move(0), move(1)]):
        await ann.append_and_wait(ROOM, length, [event])
    del scene.hub.logs[ROOM][1]

    with pytest.raises(Unavailable):
        await bob.load(ROOM)


async def test_a_room_that_was_removed_and_opened_again_begins_anew() -> None:
    scene = Scene()
    ann, bob = scene.stores
    await ann.append_and_wait(ROOM, 0, [OPENED, SEATED])
    await bob.load(ROOM)

    await ann.remove(ROOM, 2)
    assert await bob.load(ROOM) == []
    await ann.append_and_wait(ROOM, 0, [OPENED])

    assert await bob.load(ROOM) == [OPENED]
    with pytest.raises(Conflict):
        await bob.load(ROOM, 2)


async def test_the_first_message_of_a_room_that_was_looked_for_is_heard_if_it_was_missed() -> None:
    scene = Scene()
    ann, bob = scene.stores
    assert await bob.load(ROOM) == []
    scene.engines[1].unfollow(ROOM)

    await ann.append_and_wait(ROOM, 0, [OPENED, SEATED])
    await asyncio.sleep(10)

    assert scene.heard == [(2, [OPENED, SEATED])]


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
