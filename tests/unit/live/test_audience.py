"""Presence, remarks and states: sent to the players first, and to a crowd in slices."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest

from server.core.commands import DismissAI, Play, Rematch, Resign, SeatAI
from server.core.events import Person, PlayerId
from server.core.room import RoomId
from server.core.rules import Cell, Mark
from server.live.audience import Audience
from server.live.outbox import SLICE, Outbox
from server.wire.frames import text_frame
from tests.support.houses import HandClock, new_rooms, open_room
from tests.support.outboxes import connected, new_scheduler, tick
from tests.support.people import ADA, BO, CY
from tests.support.wire import Wire

FIRST, EVERY = 0.05, 1.0  # seconds until presence is sent, and between two such frames
A_MOMENT = 0.001


async def test_presence_names_the_seats_online_and_counts_people_not_tabs() -> None:
    host = await open_room(new_rooms())
    ada, wire = connected(ADA)
    host.audience.add(ada)
    for person in (CY, CY, BO):
        host.audience.add(connected(person)[0])

    await asyncio.sleep(FIRST - A_MOMENT)
    assert wire.of_type("presence") == []
    await asyncio.sleep(2 * A_MOMENT)

    [presence] = wire.of_type("presence")
    assert (presence["online"], presence["watchers"]) == (["X", "O"], 1)


async def test_presence_is_sent_at_most_once_a_second_however_many_come_and_go() -> None:
    host = await open_room(new_rooms())
    ada, wire = connected(ADA)
    host.audience.add(ada)
    await asyncio.sleep(FIRST + A_MOMENT)
    assert len(wire.of_type("presence")) == 1

    told = []
    for _ in range(30):
        cy, _wire = connected(CY)
        host.audience.add(cy)
        await asyncio.sleep(EVERY / 20)
        host.audience.remove(cy)
        await asyncio.sleep(EVERY / 20)
        told.append(len(wire.of_type("presence")))

    assert told == [1] * 9 + [2] * 10 + [3] * 10 + [4]


async def test_a_player_is_online_until_the_last_tab_is_gone() -> None:
    host = await open_room(new_rooms())
    first, _ = connected(ADA)
    second, _ = connected(ADA)
    host.audience.add(first)
    host.audience.add(second)

    host.audience.remove(first)
    assert host.audience.follows(ADA.id)
    host.audience.remove(second)
    host.audience.remove(second)

    assert not host.audience.follows(ADA.id)
    assert not host.audience


async def test_a_player_whose_only_socket_does_not_answer_is_absent_until_it_does() -> None:
    clock = HandClock()
    host = await open_room(new_rooms(clock=clock))
    frozen, _ = connected(ADA)
    bo, wire = connected(BO)
    for outbox in (frozen, bo):
        host.audience.add(outbox)
    await asyncio.sleep(EVERY)

    host.audience.set_absent(frozen, True)
    host.audience.set_absent(frozen, True)
    clock.now += 5_000
    await asyncio.sleep(EVERY)
    assert wire.of_type("presence")[-1]["online"] == ["O"]
    assert host.audience.absent_for(Mark.X, clock.now) == 5_000
    assert frozen in tuple(host.audience), "it is still shown everything"

    host.audience.set_absent(frozen, False)
    await asyncio.sleep(EVERY)
    assert wire.of_type("presence")[-1]["online"] == ["X", "O"]
    assert host.audience.absent_for(Mark.X, clock.now) == 0


async def test_a_player_with_another_tab_that_answers_is_here() -> None:
    host = await open_room(new_rooms())
    frozen, _ = connected(ADA)
    well, _ = connected(ADA)
    for outbox in (frozen, well):
        host.audience.add(outbox)

    host.audience.set_absent(frozen, True)
    assert host.audience.is_online(Mark.X)
    host.audience.remove(well)
    assert not host.audience.is_online(Mark.X)
    assert host.audience, "a socket still follows, and keeps the room awake"
    host.audience.remove(frozen)
    assert not host.audience


async def test_a_spectator_who_sits_down_is_shown_moves_with_the_players() -> None:
    audience, crowd = crowded()
    last, wire = crowd[-1]
    assert last.person is not None

    audience.seat((ADA, last.person))
    audience.broadcast(state(1))
    await tick()

    assert seen(wire) == [1]
    assert seen(crowd[-2][1]) == [], "behind two slices of spectators"


async def test_following_twice_counts_once() -> None:
    host = await open_room(new_rooms())
    ada, _ = connected(ADA)

    host.audience.add(ada)
    host.audience.add(ada)
    host.audience.remove(ada)

    assert not host.audience


async def test_a_remark_reaches_everybody_here() -> None:
    host = await open_room(new_rooms())
    wires = []
    for person in (ADA, BO, CY):
        outbox, wire = connected(person)
        host.audience.add(outbox)
        wires.append(wire)

    host.say(ADA, "good_game")
    await asyncio.sleep(0)

    for wire in wires:
        [said] = wire.of_type("said")
        assert (said["player"]["name"], said["phrase"]) == ("Ada", "good_game")


async def test_after_a_rematch_a_player_is_online_under_the_other_mark() -> None:
    host = await open_room(new_rooms(), ADA, "easy")
    ada, wire = connected(ADA)
    host.audience.add(ada)
    await asyncio.sleep(EVERY)
    assert [told["online"] for told in wire.of_type("presence")] == [["X"]]

    await host.submit_and_wait(Resign(ADA.id))
    await host.submit_and_wait(Rematch(ADA.id))

    await asyncio.sleep(EVERY)
    assert [told["online"] for told in wire.of_type("presence")] == [["X"], ["O"]]


def crowded() -> tuple[Audience, list[tuple[Outbox, Wire]]]:
    """A room with more spectators than are written to in one go."""
    audience = Audience(RoomId("room"), (ADA, BO), now=lambda: 0, since=0)
    crowd = [
        connected(Person(PlayerId(f"spectator-{number}"), "Dee"))
        for number in range(2 * SLICE + 50)
    ]
    for outbox, _ in crowd:
        audience.add(outbox)
    return audience, crowd


def state(number: int) -> bytes:
    return text_frame(b'{"type":"state","seq":%d}' % number)


def seen(wire: Wire) -> list[int]:
    return [frame["seq"] for frame in wire.of_type("state")]


async def test_a_spectator_who_leaves_while_the_crowd_is_served_gets_nothing_more() -> None:
    audience, crowd = crowded()
    gone, wire = crowd[-1]

    audience.broadcast(state(1))
    await tick()
    audience.remove(gone)
    for _ in range(5):
        await tick()

    assert (seen(wire), seen(crowd[-2][1])) == ([], [1])
    audience.close()


async def test_a_spectator_who_sits_down_while_the_crowd_is_served_gets_no_state_twice() -> None:
    audience, crowd = crowded()
    sitting, wire = crowd[-1]

    audience.broadcast(state(1))
    await tick()
    assert sitting.person is not None
    audience.seat((ADA, sitting.person))
    audience.broadcast(state(2))
    for _ in range(5):
        await tick()

    assert (seen(wire), seen(crowd[-2][1])) == ([2], [2])
    audience.close()


@pytest.mark.parametrize("moves", [(4,), (4, 0)])
async def test_a_newcomer_behind_a_state_gets_each_state_once(moves: tuple[Cell, ...]) -> None:
    host, scheduler = await open_room(new_rooms()), new_scheduler()
    for person in (ADA, CY):
        host.audience.add(connected(person, scheduler)[0])
    (newcomer, wire), (leaving, other) = connected(CY, scheduler), connected(CY, scheduler)
    host.audience.add(leaving)

    for ply, cell in enumerate(moves):
        host.submit(Play((ADA, BO)[ply].id, cell, ply), lambda _: None)
        if ply == 0:
            host.audience.add(newcomer)
            host.show(newcomer)
            host.audience.remove(leaving)
    for _ in range(5):
        await tick()

    last = host.room.seq
    assert (seen(wire), seen(other)) == ([*range(last - len(moves) + 1, last + 1)], [])


async def test_a_spectator_still_waiting_for_a_state_gets_the_next_one_first() -> None:
    audience, crowd = crowded()

    for number in range(1, 4):
        audience.broadcast(state(number))
        await tick()
    for _ in range(5):
        await tick()
    audience.broadcast(state(4))
    for _ in range(5):
        await tick()

    first, last = seen(crowd[0][1]), seen(crowd[-1][1])
    assert (first, last) == ([1, 3, 4], [3, 4]), "a slice with each of the three"
    for _, wire in crowd:
        numbers = seen(wire)
        assert numbers[-2:] == [3, 4]
        assert all(before < after for before, after in pairwise(numbers))
    audience.close()


async def test_the_absence_of_a_player_counts_from_the_last_drop_also_if_an_ai_covered() -> None:
    clock = HandClock()
    host = await open_room(new_rooms(clock=clock))
    bo, _ = connected(BO)
    clock.now += 60_000  # Bo has not been here yet
    await host.submit_and_wait(SeatAI(ADA.id, Mark.O, "hard"))
    host.audience.add(bo)
    clock.now += 60_000

    host.audience.remove(bo)
    await host.submit_and_wait(DismissAI(ADA.id, Mark.O))
    clock.now += 19_999

    assert host.audience.absent_for(Mark.O, clock.now) == 19_999
