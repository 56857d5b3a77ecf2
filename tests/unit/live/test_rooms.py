"""The rooms that are awake, one host each: found, woken, opened and put to sleep."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress

import pytest

from server.core.commands import Create, Play, Reason, Refused, Sit
from server.core.events import Event, Person, TimeControl
from server.core.room import RoomId
from server.core.rules import CLASSIC, Mark
from server.live.draft import ACCEPTED, Refusal
from server.live.rooms import Rooms
from server.store import Conflict, Heard, Unavailable
from server.store.memory import MemoryStore
from tests.support.buses import Exchange
from tests.support.houses import HandClock, new_rooms, open_room, submit
from tests.support.outboxes import connected, tick
from tests.support.people import ADA, BO, CY
from tests.support.stores import Gated, Slow


class Counting(MemoryStore):
    def __init__(self) -> None:
        super().__init__()
        self.loads = 0

    async def load(self, room: RoomId, after: int = 0) -> list[Event]:
        self.loads += 1
        await asyncio.sleep(0)
        return await super().load(room, after)


async def test_a_room_wakes_as_it_was_when_it_fell_asleep() -> None:
    store = MemoryStore()
    before = await open_room(new_rooms(store))
    await before.submit_and_wait(Play(ADA.id, 4, 0))

    after = await new_rooms(store).find("room")

    assert after.room == before.room


async def test_a_room_is_loaded_once_for_many_callers() -> None:
    store = Counting()
    await open_room(new_rooms(store))
    rooms = new_rooms(store)

    hosts = await asyncio.gather(*(rooms.find("room") for _ in range(20)))

    assert len(set(map(id, hosts))) == 1
    assert store.loads == 1


async def test_time_in_which_the_server_was_down_is_charged_to_nobody() -> None:
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


async def test_a_room_that_another_node_keeps_is_not_resumed() -> None:
    store, clock, exchange = MemoryStore(), HandClock(), Exchange()
    keepers = new_rooms(store, clock, bus=exchange.new_bus(), node="a")
    rooms = new_rooms(store, clock, bus=exchange.new_bus(), node="b")
    host = await open_room(keepers, time=TimeControl(60_000))
    await host.submit_and_wait(Play(ADA.id, 4, 0))

    clock.now += 10_000
    found = await rooms.find("room")

    assert found.room == host.room  # the ten seconds are not given back
    host.close()
    found.close()


async def test_time_up_to_the_last_event_is_charged_after_a_restart() -> None:
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


async def test_times_in_a_log_rise_even_if_the_system_clock_was_set_back() -> None:
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
    """Raises `problem`, if set, the next time it is asked to write."""

    problem: Exception | None = None

    async def append_and_wait(self, room: RoomId, expected: int, events: Sequence[Event]) -> None:
        problem, self.problem = self.problem, None
        if isinstance(problem, Conflict):  # another process has written the same events
            await super().append_and_wait(room, expected, events)
        if problem is not None:
            raise problem
        await super().append_and_wait(room, expected, events)


async def slept_with_a_clock(store: MemoryStore, clock: HandClock) -> Rooms:
    """Rooms in which `room` sleeps with a running clock, so that waking it writes an event."""
    host = await open_room(new_rooms(store, clock), time=TimeControl(60_000))
    await host.submit_and_wait(Play(ADA.id, 4, 0))
    host.close()
    clock.now += 10_000
    return new_rooms(store, clock)


async def test_a_room_that_another_process_woke_first_is_loaded_again() -> None:
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


async def test_a_room_that_is_being_woken_is_cancelled_by_close() -> None:
    store = Slow()
    await open_room(new_rooms(store))
    rooms = new_rooms(store)
    finding = asyncio.ensure_future(rooms.find("room"))
    await asyncio.sleep(0)

    rooms.close()

    with pytest.raises(asyncio.CancelledError):
        await finding
    assert len(rooms) == 0


async def test_a_room_can_be_opened_while_somebody_looks_for_it() -> None:
    rooms = new_rooms(Counting())
    looking = asyncio.ensure_future(rooms.find("room"))
    await asyncio.sleep(0)

    host = await open_room(rooms)

    with suppress(Refused):
        assert await looking is host
    assert await rooms.find("room") is host


class Hesitant(MemoryStore):
    """Reads at once, and returns the events a second later."""

    async def load(self, room: RoomId, after: int = 0) -> list[Event]:
        events = await super().load(room, after)
        await asyncio.sleep(1)
        return events


async def test_a_room_opened_by_another_process_is_found_by_a_later_open() -> None:
    store = Hesitant()
    rooms = new_rooms(store)
    looking = asyncio.ensure_future(rooms.find("room"))
    await asyncio.sleep(0.5)  # it has read an empty log
    await open_room(new_rooms(store))  # by another process

    host, is_new = await rooms.open(RoomId("room"), Create(CLASSIC, (ADA, BO)))

    assert (host.id, is_new) == ("room", False)
    with pytest.raises(Refused, match="no_such_room"):
        await looking


async def test_absence_counts_from_the_drop_of_the_last_follower() -> None:
    clock = HandClock()
    rooms = new_rooms(clock=clock, idle=60_000)
    host = await open_room(rooms)
    outbox, _ = connected(ADA)
    host.audience.add(outbox)
    clock.now += 300_000
    host.audience.remove(outbox)

    rooms.sleep_idle()
    assert "room" in rooms  # Ada has only just gone

    clock.now += 60_000
    rooms.sleep_idle()
    assert "room" not in rooms
    woken = await rooms.find("room")
    assert woken.audience.absent_for(Mark.X, clock.now) == 60_000


class Followed(MemoryStore):
    """Remembers what is followed."""

    def __init__(self) -> None:
        super().__init__()
        self.followed: dict[RoomId, int] = {}

    def follow(self, room: RoomId, heard: Heard) -> None:
        self.followed[room] = self.followed.get(room, 0) + 1

    def unfollow(self, room: RoomId) -> None:
        self.followed[room] = 0


async def test_a_room_is_followed_while_it_is_awake_and_an_unknown_one_is_not() -> None:
    store, clock = Followed(), HandClock()
    rooms = new_rooms(store, clock, idle=1_000)
    await open_room(rooms)
    with pytest.raises(Refused, match="no_such_room"):
        await rooms.find("nowhere")
    assert store.followed == {"room": 1, "nowhere": 0}

    clock.now += 1_000
    rooms.sleep_idle()

    assert store.followed == {"room": 0, "nowhere": 0}


@pytest.mark.parametrize("id", ["", "*", ">", "a.b", "a b", "../etc", "x" * 65])
async def test_an_id_that_no_room_can_have_reaches_no_store(id: str) -> None:
    store = Followed()

    with pytest.raises(Refused, match="no_such_room"):
        await new_rooms(store).find(id)

    assert store.followed == {}


@pytest.mark.parametrize("id", ["nowhere", "", "../etc", "x" * 65, "\ud800"])
async def test_an_unknown_room_is_refused_and_takes_no_space(id: str) -> None:
    rooms = new_rooms()

    with pytest.raises(Refused, match="no_such_room"):
        await rooms.find(id)

    assert len(rooms) == 0
    assert await rooms.peek(id) is None


async def test_peek_does_not_wake_a_room() -> None:
    store = MemoryStore()
    await open_room(new_rooms(store))
    rooms = new_rooms(store)

    assert await rooms.peek("room") is not None
    assert len(rooms) == 0


async def test_open_with_a_known_id_returns_that_room_awake_or_asleep() -> None:
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


async def test_rooms_that_nobody_follows_sleep_at_once_for_a_limit_that_needs_their_place() -> None:
    clock = HandClock()
    needed = set[str]()
    rooms = new_rooms(clock=clock, is_needed=needed.__contains__)
    for id in ("left", "followed", "asked", "thinking", "elsewhere"):
        await open_room(rooms, id=id)
    timed = await open_room(rooms, id="timed", time=TimeControl(60_000, 0))
    await timed.submit_and_wait(Play(ADA.id, 0, 0))
    (await rooms.find("followed")).audience.add(connected(CY)[0])
    await (await rooms.find("asked")).hold()
    (await rooms.find("asked")).submit(Play(ADA.id, 0, 0), lambda _: None)
    needed.add("thinking")

    all_but_one = [host.id for host in rooms if host.id != "elsewhere"]
    rooms.sleep_unfollowed([*all_but_one, RoomId("never was")])

    assert {host.id for host in rooms} == {"followed", "asked", "thinking", "elsewhere"}
    clock.now += 3_600_000
    assert (await rooms.find("timed")).room.turn is Mark.O, "its clock has stood still"


async def test_idle_rooms_sleep_early_when_the_capacity_is_reached() -> None:
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


async def test_a_room_looked_for_while_it_is_being_opened_has_one_host() -> None:
    store = Slow()
    rooms = new_rooms(store)

    opening = asyncio.create_task(open_room(rooms))
    await asyncio.sleep(0)
    found = await rooms.find("room")

    assert found is await opening
    assert list(rooms) == [found]


async def test_no_caller_gets_the_host_of_a_room_that_has_gone_back_to_sleep() -> None:
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


# ------------------------------------------------------------------------------------- removal


async def test_a_room_that_is_removed_is_gone_and_its_id_is_free() -> None:
    rooms = new_rooms()
    host = await open_room(rooms)
    gone: list[str] = []
    rooms.on_sleep.append(lambda host: gone.append(host.id))
    cy, wire = connected(CY)
    host.audience.add(cy)

    await rooms.remove("room")
    await tick()

    assert [frame["room"] for frame in wire.of_type("closed")] == ["room"]
    assert len(rooms) == 0
    assert gone == ["room"]
    assert submit(host, Play(ADA.id, 0, 0)) == [Refusal(Reason.NO_SUCH_ROOM)]
    with pytest.raises(Refused) as refused:
        await rooms.find("room")
    assert refused.value.reason is Reason.NO_SUCH_ROOM
    await open_room(rooms)


@pytest.mark.parametrize("id", ["nobody", "no/id", ""])
async def test_a_room_that_does_not_exist_cannot_be_removed(id: str) -> None:
    with pytest.raises(Refused) as refused:
        await new_rooms().remove(id)
    assert refused.value.reason is Reason.NO_SUCH_ROOM


async def test_commands_that_come_while_a_room_is_removed_do_not_keep_it() -> None:
    class Waited(MemoryStore):
        async def remove(self, room: RoomId, expected: int) -> None:
            host.submit(Play(ADA.id, 0, 0), answers.append)
            await asyncio.sleep(0.1)
            await super().remove(room, expected)

    answers: list[object] = []
    rooms = new_rooms(Waited())
    host = await open_room(rooms)

    await rooms.remove(host.id)

    assert answers == [Refusal(Reason.NO_SUCH_ROOM)]


async def test_commands_go_on_if_a_room_cannot_be_removed() -> None:
    class Broken(MemoryStore):
        async def remove(self, room: RoomId, expected: int) -> None:
            host.submit(Play(ADA.id, 0, 0), answers.append)
            await asyncio.sleep(0.1)
            raise Unavailable("cannot write")

    answers: list[object] = []
    rooms = new_rooms(Broken())
    host = await open_room(rooms)

    with pytest.raises(Refused) as refused:
        await rooms.remove(host.id)
    await asyncio.sleep(0.1)

    assert refused.value.reason is Reason.RETRY
    assert answers == [ACCEPTED]


async def test_a_command_under_way_ends_before_its_room_is_removed() -> None:
    rooms = new_rooms(store := Gated())
    host = await open_room(rooms)
    store.is_gated = True
    answers = submit(host, Play(ADA.id, 0, 0))

    removing = asyncio.create_task(rooms.remove(host.id))
    await asyncio.sleep(0.1)
    answers += submit(host, Play(BO.id, 1, 1))
    store.open_gate()
    await removing

    assert answers[0] == ACCEPTED
    assert len(rooms) == 0
    assert await store.load(host.id) == []
