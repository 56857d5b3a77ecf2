"""Appends that are answered late, twice, never, or with a refusal."""

from __future__ import annotations

import asyncio
from collections import Counter
from random import Random

import pytest

from server.core.room import RoomId
from server.fleet.engine import Message, Refusal
from server.fleet.store import FleetStore
from server.metrics import Times
from server.store import Conflict, Unavailable
from tests.ordeals.simulation.hub import Hub
from tests.support.logs import OPENED, ROOM, SEATED, move
from tests.support.shared_logs import Engine, Scene


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


async def test_closing_waits_for_what_is_under_way() -> None:
    scene = Scene()
    ann, bob = scene.stores
    done: list[object] = []
    ann.append(ROOM, 0, lambda: [OPENED], done.append)

    await ann.close()

    assert done == [None]
    assert await bob.load(ROOM) == [OPENED]


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
