"""Announcements: for everybody, on every node, until they are taken back or lapse."""

from __future__ import annotations

from server.live.house import House
from server.live.notices import LINGERS
from server.live.outbox import Outbox
from server.live.peer import Peer
from tests.support.fleets import Fleet
from tests.support.houses import HandClock, new_house
from tests.support.outboxes import tick
from tests.support.wire import Wire

HELLO = b'{"type":"hello","protocol":1}'


def greeted(house: House) -> Wire:
    wire = Wire()
    Peer(house, Outbox(wire, house.scheduler), "192.0.2.1", lambda _: None).handle(HELLO, 0.0)
    return wire


async def texts(wire: Wire) -> list[str]:
    await tick()
    return [frame["text"] for frame in wire.of_type("notice")]


async def test_a_newcomer_gets_the_notice_right_after_welcome() -> None:
    house = new_house()
    house.notices.announce("Back soon.", 5)
    wire = greeted(house)
    await tick()

    assert [frame["type"] for frame in wire.frames] == ["welcome", "notice"]
    assert wire.frames[-1] == {"type": "notice", "text": "Back soon.", "at": 5}


async def test_a_notice_that_was_taken_back_is_shown_to_nobody_else() -> None:
    house = new_house()
    before = greeted(house)
    house.notices.announce("Back soon.")
    house.notices.announce("")
    house.notices.announce("")

    assert await texts(before) == ["Back soon.", ""]
    assert await texts(greeted(house)) == []


async def test_a_notice_about_a_restart_lapses_a_minute_after_it() -> None:
    clock = HandClock()
    house = new_house(clock=clock)
    wire = greeted(house)
    house.notices.announce("Restart.", clock.now + 1_000)
    clock.now += 1_000 + LINGERS
    await house.beat()
    assert await texts(wire) == ["Restart."]

    clock.now += 1
    await house.beat()

    assert await texts(wire) == ["Restart.", ""]


async def test_a_notice_without_a_time_stays() -> None:
    clock = HandClock()
    house = new_house(clock=clock)
    house.notices.announce("Cup on Sunday.")
    clock.now += 10 * LINGERS
    await house.beat()

    assert await texts(greeted(house)) == ["Cup on Sunday."]


async def test_a_notice_reaches_every_node_also_one_that_starts_later() -> None:
    fleet = Fleet()
    ann, bob = fleet.new_node("ann"), fleet.new_node("bob")
    await fleet.seconds(2)
    here, there = greeted(ann), greeted(bob)

    ann.notices.announce("Back soon.")
    await fleet.seconds(1)
    late = fleet.new_node("late")
    await fleet.seconds(8)
    newcomer = greeted(late)

    assert await texts(here) == await texts(there) == await texts(newcomer) == ["Back soon."]
    late.notices.announce("")
    await fleet.seconds(1)
    assert await texts(here) == await texts(there) == ["Back soon.", ""]
