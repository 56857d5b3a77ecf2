"""The rooms that are awake: found, woken, opened and put to sleep, one host for each."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress

import pytest

from server.core.commands import Create, Play, Refused, Sit
from server.core.events import Event, Person, TimeControl
from server.core.room import RoomId
from server.core.rules import CLASSIC, Mark
from server.live.rooms import Rooms
from server.store import Conflict, Unavailable
from server.store.memory import MemoryStore
from tests.support.houses import HandClock, new_rooms, open_room
from tests.support.outboxes import connected
from tests.support.people import ADA, BO, CY
from tests.support.stores import Slow


class Counting(MemoryStore):
    def __init__(self) -> None:
        super().__init__()
        self.loads = 0

    async def load(self, room: RoomId) -> list[Event]:
        self.loads += 1
        await asyncio.sleep(0)
        return await super().load(room)


async def test_a_room_that_slept_wakes_as_it_was() -> None:
    store = MemoryStore()
    before = await open_room(new_rooms(store))
    await before.submit_and_wait(Play(ADA.id, 4, 0))

    after = await new_rooms(store).find("room")

    assert after.room == before.room


async def test_a_room_is_woken_once_however_many_ask() -> None:
    store = Counting()
    await open_room(new_rooms(store))
    rooms = new_rooms(store)

    hosts = await asyncio.gather(*(rooms.find("room") for _ in range(20)))

    assert len(set(map(id, hosts))) == 1
    assert store.loads == 1


async def test_time_the_server_was_away_is_charged_to_nobody() -> None:
    store, clock = MemoryStore(), HandClock()
    host = await open_room(new_rooms(store, clock), time=TimeControl(60_000))
    await host.submit_and_wait(Play(ADA.id, 4, 0))
    clock.now += 10_000
    await host.submit_and_wait(Play(BO.id, 0, 1))
    host.close()

    clock.now += 3_600_000
    woken = await new_rooms(store, clock).find("room")

    assert woken.room.clock is not None
    assert woken.room.clock.budgets == (60_000, 50_000)
    assert woken.room.clock.since == clock.now
    woken.close()


async def test_a_room_that_another_process_keeps_is_not_resumed() -> None:
    store, clock = MemoryStore(), HandClock()
    keepers, rooms = new_rooms(store, clock), new_rooms(store, clock)
    host = await open_room(keepers, time=TimeControl(60_000))
    await host.submit_and_wait(Play(ADA.id, 4, 0))

    clock.now += 10_000
    found = await rooms.find("room")

    assert found.room == host.room  # the ten seconds are still to be paid for
    host.close()
    found.close()


async def test_time_that_a_room_was_certainly_kept_is_charged_after_a_restart() -> None:
    store, clock = MemoryStore(), HandClock()
    host = await open_room(new_rooms(store, clock), time=TimeControl(60_000))
    await host.submit_and_wait(Play(ADA.id, 4, 0))
    clock.now += 10_000
    await host.submit_and_wait(Sit(Person(ADA.id, "Countess"), Mark.X))
    host.close()

    clock.now += 3_600_000
    woken = await new_rooms(store, clock).find("room")

    assert woken.room.clock is not None
    assert woken.room.clock.budgets == (60_000, 50_000)
    woken.close()


async def test_a_clock_that_was_set_back_meanwhile_does_not_run_backwards() -> None:
    store, clock = MemoryStore(), HandClock()
    host = await open_room(new_rooms(store, clock), time=TimeControl(60_000))
    await host.submit_and_wait(Play(ADA.id, 4, 0))
    host.close()

    clock.now -= 5_000
    woken = await new_rooms(store, clock).find("room")

    times = [event.at for event in await store.load(RoomId("room"))]
    assert times == sorted(times)
    woken.close()


class Failing(MemoryStore):
    """Does not write the next time it is asked to: raises `problem`, if there is one."""

    problem: Exception | None = None

    async def append_and_wait(self, room: RoomId, expected: int, events: Sequence[Event]) -> None:
        problem, self.problem = self.problem, None
        if isinstance(problem, Conflict):  # another process has written just the same
            await super().append_and_wait(room, expected, events)
        if problem is not None:
            raise problem
        await super().append_and_wait(room, expected, events)


async def slept_with_a_clock(store: MemoryStore, clock: HandClock) -> Rooms:
    """Rooms that would have to write to wake `room`: its clock ran when it went to sleep."""
    host = await open_room(new_rooms(store, clock), time=TimeControl(60_000))
    await host.submit_and_wait(Play(ADA.id, 4, 0))
    host.close()
    clock.now += 10_000
    return new_rooms(store, clock)


async def test_a_room_that_another_process_has_woken_first_is_found_as_it_is() -> None:
    store, clock = Failing(), HandClock()
    rooms = await slept_with_a_clock(store, clock)
    store.problem = Conflict()

    woken = await rooms.find("room")

    assert woken.room.seq == len(await store.load(RoomId("room")))
    woken.close()


async def test_a_store_that_cannot_write_neither_opens_nor_wakes_a_room() -> None:
    store, clock = Failing(), HandClock()
    rooms = await slept_with_a_clock(store, clock)

    store.problem = Unavailable()
    with pytest.raises(Refused, match="retry"):
        await rooms.find("room")
    store.problem = Unavailable()
    with pytest.raises(Refused, match="retry"):
        await open_room(rooms, id="other")

    assert len(rooms) == 0
    woken = await rooms.find("room")
    woken.close()


async def test_closing_wakes_nobody_any_more() -> None:
    store = Slow()
    await open_room(new_rooms(store))
    rooms = new_rooms(store)
    finding = asyncio.ensure_future(rooms.find("room"))
    await asyncio.sleep(0)

    rooms.close()

    with pytest.raises(asyncio.CancelledError):
        await finding
    assert len(rooms) == 0


async def test_a_room_is_opened_also_while_somebody_looks_for_it_too_early() -> None:
    rooms = new_rooms(Counting())
    looking = asyncio.ensure_future(rooms.find("room"))
    await asyncio.sleep(0)

    host = await open_room(rooms)

    with suppress(Refused):
        assert await looking is host
    assert await rooms.find("room") is host


class Hesitant(MemoryStore):
    """Reads at once and returns what it has read a second later."""

    async def load(self, room: RoomId) -> list[Event]:
        events = await super().load(room)
        await asyncio.sleep(1)
        return events


async def test_a_room_opened_twice_is_found_also_if_somebody_looked_too_early() -> None:
    store = Hesitant()
    rooms = new_rooms(store)
    looking = asyncio.ensure_future(rooms.find("room"))
    await asyncio.sleep(0.5)  # it has read, and found nothing
    await open_room(new_rooms(store))  # by another process

    host, is_new = await rooms.open(RoomId("room"), Create(CLASSIC, (ADA, BO)))

    assert (host.id, is_new) == ("room", False)
    with pytest.raises(Refused, match="no_such_room"):
        await looking


async def test_absence_counts_from_the_last_one_who_left_not_from_the_last_use() -> None:
    clock = HandClock()
    rooms = new_rooms(clock=clock, idle=60_000)
    host = await open_room(rooms)
    outbox, _ = connected(ADA)
    host.audience.add(outbox)
    clock.now += 300_000
    host.audience.remove(outbox)

    rooms.sleep_idle()
    assert "room" in rooms  # nobody has been away for long

    clock.now += 60_000
    rooms.sleep_idle()
    assert "room" not in rooms
    woken = await rooms.find("room")
    assert woken.audience.absent_for(Mark.X, clock.now) == 60_000


@pytest.mark.parametrize("id", ["nowhere", "", "../etc", "x" * 65, "\ud800"])
async def test_an_unknown_room_is_refused_and_not_kept(id: str) -> None:
    rooms = new_rooms()

    with pytest.raises(Refused, match="no_such_room"):
        await rooms.find(id)

    assert len(rooms) == 0
    assert await rooms.peek(id) is None


async def test_peeking_does_not_wake() -> None:
    store = MemoryStore()
    await open_room(new_rooms(store))
    rooms = new_rooms(store)

    assert await rooms.peek("room") is not None
    assert len(rooms) == 0


async def test_the_same_id_again_finds_the_same_room_awake_or_asleep() -> None:
    store = MemoryStore()
    rooms = new_rooms(store)
    first = await open_room(rooms)
    await first.submit_and_wait(Play(ADA.id, 4, 0))
    again = Create(CLASSIC, (CY, None))

    awake, is_new = await rooms.open(RoomId("room"), again)
    assert (awake, is_new) == (first, False)
    asleep, is_new = await new_rooms(store).open(RoomId("room"), again)
    assert (asleep.room, is_new) == (first.room, False)


async def test_idle_rooms_sleep_and_followed_ones_do_not() -> None:
    clock = HandClock()
    rooms = new_rooms(clock=clock, idle=1_000)
    await open_room(rooms, id="idle")
    followed = await open_room(rooms, id="followed")
    followed.audience.add(connected(CY)[0])
    slept: list[str] = []
    rooms.on_sleep.append(lambda host: slept.append(host.id))

    clock.now += 999
    rooms.sleep_idle()
    assert len(rooms) == 2
    clock.now += 1
    rooms.sleep_idle()

    assert slept == ["idle"]
    assert [host.id for host in rooms] == ["followed"]


async def test_a_full_house_puts_unneeded_rooms_to_sleep_first() -> None:
    clock = HandClock()
    rooms = new_rooms(clock=clock, capacity=2)
    await open_room(rooms, id="a")
    needed = await open_room(rooms, id="b")
    needed.audience.add(connected(CY)[0])
    with pytest.raises(Refused, match="too_many_rooms"):
        await open_room(rooms, id="too soon: somebody may be on the way into room a")

    clock.now += 1_000
    newest = await open_room(rooms, id="c")
    newest.audience.add(connected(CY)[0])
    assert {host.id for host in rooms} == {"b", "c"}

    with pytest.raises(Refused, match="too_many_rooms"):
        await rooms.find("a")


async def test_a_room_asked_for_while_it_is_being_opened_has_one_host() -> None:
    store = Slow()
    rooms = new_rooms(store)

    opening = asyncio.create_task(open_room(rooms))
    await asyncio.sleep(0)
    found = await rooms.find("room")

    assert found is await opening
    assert list(rooms) == [found]


async def test_nobody_is_given_a_room_that_has_just_gone_back_to_sleep() -> None:
    store, clock = Slow(), HandClock()
    await open_room(new_rooms(store), id="a")
    await open_room(new_rooms(store), id="b")
    rooms = new_rooms(store, clock, capacity=1)

    outcomes = await asyncio.gather(rooms.find("a"), rooms.find("b"), return_exceptions=True)

    awake = list(rooms)
    assert len(awake) == 1
    assert [type(outcome).__name__ for outcome in outcomes].count("Refused") == 1
    assert awake[0] in outcomes


async def test_a_room_that_is_used_stays_awake_for_a_while_longer() -> None:
    clock = HandClock()
    rooms = new_rooms(clock=clock, idle=1_000)
    host = await open_room(rooms)

    clock.now += 900
    assert rooms.find_awake("room") is host
    clock.now += 900
    rooms.sleep_idle()
    assert "room" in rooms
    clock.now += 100
    rooms.sleep_idle()

    assert "room" not in rooms
    assert rooms.find_awake("room") is None
