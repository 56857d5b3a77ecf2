"""The house builds itself, and passes changes of rooms on to the parts that need them."""

from __future__ import annotations

import pytest

from server.bus import Alone
from server.core.commands import Refused
from server.core.rules import Mark
from server.live.house import House
from server.live.limits import Limits
from server.metrics import Metrics
from server.store.memory import MemoryStore
from tests.support.houses import HandClock, new_house, open_room
from tests.support.outboxes import connected
from tests.support.people import ADA, BO


async def test_a_room_with_an_ai_is_played_listed_and_kept_awake() -> None:
    house = new_house()

    host = await open_room(house.rooms, "easy", ADA)

    assert house.ai.is_playing(host.id)
    assert b'"room":"room"' in house.lobby.complete_text()
    await house.close()
    assert host.room.seats[Mark.O] == ADA


async def test_a_sleeping_room_is_off_the_lobby_and_no_longer_counts_for_its_address() -> None:
    clock = HandClock()
    limits = Limits(idle=1.0, rooms_open_per_address=1)
    house = House(MemoryStore(), Alone(), limits, Metrics(), now=clock, ai_pause=0)
    host = await open_room(house.rooms)
    house.addresses.add_room("192.0.2.1", host.id)

    clock.now += 1_000
    await house.sweep()

    assert len(house.rooms) == 0
    assert b'"rooms":[]' in house.lobby.complete_text()
    house.addresses.check_room_limits("192.0.2.1", ADA.id, 0.0)
    await house.close()


async def test_rooms_that_nobody_follows_do_not_count_for_their_address() -> None:
    limits = Limits(rooms_open_per_address=1)
    house = House(MemoryStore(), Alone(), limits, Metrics(), now=HandClock(), ai_pause=0)
    host = await open_room(house.rooms)
    house.addresses.add_room("192.0.2.1", host.id)
    follower, _ = connected(BO)
    host.audience.add(follower)

    with pytest.raises(Refused, match="too_many_rooms"):
        house.addresses.check_room_limits("192.0.2.1", ADA.id, 0.0)
    host.audience.remove(follower)
    house.addresses.check_room_limits("192.0.2.1", ADA.id, 0.0)

    assert len(house.rooms) == 0
    await house.close()


async def test_old_rooms_are_removed_as_time_passes() -> None:
    clock, store = HandClock(), MemoryStore()
    house = House(
        store, Alone(), Limits(idle=1.0, unstarted=60.0), Metrics(), now=clock, ai_pause=0
    )
    await open_room(house.rooms)

    clock.now += 60_000
    await house.sweep()

    assert await store.rooms() == []
    await house.close()
