"""Rooms that must go on are woken by another node when theirs is lost."""

from __future__ import annotations

from server.core.commands import Create, Play
from server.core.events import TimeControl
from server.core.room import RoomId
from server.core.rules import CLASSIC, Ending
from server.live.house import House
from tests.support.fleets import Fleet
from tests.support.houses import open_room
from tests.support.people import ADA, BO


async def three_nodes() -> tuple[Fleet, list[House]]:
    fleet = Fleet()
    houses = [fleet.new_node(name) for name in ("ann", "bob", "cid")]
    await fleet.seconds(2)
    return fleet, houses


async def test_a_clock_of_a_lost_node_runs_on_another_and_nobody_pays_for_the_time_between() -> (
    None
):
    fleet, (ann, bob, cid) = await three_nodes()
    host = await open_room(ann.rooms, time=TimeControl(20_000))
    await host.submit_and_wait(Play(ADA.id, 4, 0))
    await fleet.seconds(6)

    fleet.kill("ann")
    await fleet.seconds(6)

    [keeper] = [house for house in (bob, cid) if "room" in house.rooms]
    room = (await keeper.rooms.find("room")).room
    assert room.deadline() is not None
    await fleet.seconds(20)
    room = (await keeper.rooms.find("room")).room
    assert room.outcome is not None
    assert room.outcome.by is Ending.TIME
    assert room.changed - host.room.changed >= 20_000


async def test_two_ais_play_on_when_their_node_is_lost() -> None:
    fleet, (ann, bob, cid) = await three_nodes()
    for number in range(6):
        create = Create(CLASSIC, ("easy", "easy"))
        await ann.rooms.open(RoomId(f"room{number}"), create)
    ann.nodes.publish("driven", ann._driving.driven())
    await fleet.seconds(0.1)

    fleet.kill("ann")
    await ann.ai.close()
    await fleet.seconds(60)

    woken = {host.id: host.room for house in (bob, cid) for host in house.rooms}
    assert len(woken) == 6
    assert all(room.outcome is not None for room in woken.values())
    assert {len(house.rooms) for house in (bob, cid)} != {0, 6}  # they have shared the work


async def test_a_node_that_leaves_hands_its_rooms_over_at_once() -> None:
    fleet, (ann, bob, cid) = await three_nodes()
    host = await open_room(ann.rooms, time=TimeControl(60_000))
    await host.submit_and_wait(Play(ADA.id, 4, 0))

    await ann.close()
    del fleet.nodes["ann"]
    await fleet.seconds(1)

    assert [house for house in (bob, cid) if "room" in house.rooms]


async def test_a_room_that_nobody_needs_stays_asleep() -> None:
    fleet, (ann, bob, cid) = await three_nodes()
    await open_room(ann.rooms, ADA, BO)
    await fleet.seconds(6)

    fleet.kill("ann")
    await fleet.seconds(10)

    assert (len(bob.rooms), len(cid.rooms)) == (0, 0)


async def test_a_room_that_cannot_be_read_yet_is_tried_again() -> None:
    fleet, (ann, bob, cid) = await three_nodes()
    host = await open_room(ann.rooms, time=TimeControl(60_000))
    await host.submit_and_wait(Play(ADA.id, 4, 0))
    await fleet.seconds(6)
    fleet.hub.stop_for(12)

    fleet.kill("ann")
    await fleet.seconds(30)

    assert [house for house in (bob, cid) if "room" in house.rooms]
