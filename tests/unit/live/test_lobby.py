"""The list of public rooms: its rooms, their order, and how often changes are sent."""

from __future__ import annotations

import asyncio
import json

import pytest

from server.core.commands import Play, Rematch, Resign
from server.live.lobby import Lobby, Summaries
from server.live.outbox import Outbox, offer
from server.live.rooms import Rooms
from tests.support.houses import HandClock, new_rooms, open_room
from tests.support.outboxes import connected, tick
from tests.support.people import ADA, BO, CY
from tests.support.wire import Frame, Wire

EVERY = 0.25  # seconds between two frames
A_MOMENT = 0.001


def new_lobby(
    clock: HandClock | None = None, *, idle: int = 600_000, capacity: int = 100
) -> tuple[Rooms, Lobby]:
    """Rooms, and the lobby that lists them."""
    clock = clock or HandClock()
    rooms, lobby = new_rooms(clock=clock, idle=idle, capacity=capacity), Lobby(now=clock)
    rooms.on_change.append(lobby.update)
    rooms.on_sleep.append(lobby.remove)
    return rooms, lobby


async def follow(lobby: Lobby) -> tuple[Outbox, Wire]:
    """A follower of the lobby, who has been sent the complete list."""
    outbox, wire = connected(CY)
    lobby.follow(outbox)
    await tick()
    return outbox, wire


async def news(wire: Wire) -> list[Frame]:
    """All lobby frames so far, once the changes made so far have been sent."""
    await asyncio.sleep(EVERY + A_MOMENT)
    return wire.of_type("lobby")


def record_builds(lobby: Lobby, monkeypatch: pytest.MonkeyPatch) -> list[Summaries]:
    """Every list that the lobby builds from now on."""
    builds: list[Summaries] = []
    current = lobby._current

    def build() -> Summaries:
        builds.append(current())
        return builds[-1]

    monkeypatch.setattr(lobby, "_current", build)
    return builds


def listed(lobby: Lobby) -> list[str]:
    return listed_in(json.loads(lobby.complete_text()))


def listed_in(frame: Frame) -> list[str]:
    return [room["room"] for room in frame["rooms"]]


async def test_the_list_is_complete_first_and_then_only_what_changed() -> None:
    rooms, lobby = new_rooms(), Lobby(now=HandClock())
    rooms.on_change.append(lobby.update)
    first = await open_room(rooms, id="first")
    await open_room(rooms, id="second")
    _, wire = await follow(lobby)
    await first.submit_and_wait(Play(ADA.id, 4, 0))
    complete, change = await news(wire)

    assert complete["complete"]
    assert sorted(listed_in(complete)) == ["first", "second"]
    assert not change["complete"]
    assert listed_in(change) == ["first"]
    assert change["rooms"][0]["board"] == "....X...."


async def test_private_rooms_are_never_listed() -> None:
    rooms, lobby = new_rooms(), Lobby(now=HandClock())
    rooms.on_change.append(lobby.update)
    await open_room(rooms, public=False)
    _, wire = await follow(lobby)

    assert wire.of_type("lobby") == [{"type": "lobby", "complete": True, "rooms": [], "gone": []}]


async def test_running_games_are_listed_first_and_then_the_newest() -> None:
    clock = HandClock()
    rooms, lobby = new_rooms(clock=clock), Lobby(now=clock)
    rooms.on_change.append(lobby.update)
    for number, other in enumerate((BO, None, BO, None)):
        clock.now += 1
        await open_room(rooms, ADA, other, id=f"r{number}")
    _, wire = await follow(lobby)

    assert listed_in(wire.frames[0]) == ["r2", "r0", "r3", "r1"]


async def test_a_room_moves_up_the_list_by_an_event_but_not_by_a_new_spectator() -> None:
    rooms, lobby = new_rooms(), Lobby(now=HandClock())
    rooms.on_change.append(lobby.update)
    first = await open_room(rooms, id="first")
    second = await open_room(rooms, id="second")

    lobby.update(first)
    assert listed(lobby) == ["second", "first"]
    await first.submit_and_wait(Play(ADA.id, 4, 0))
    assert listed(lobby) == ["first", "second"]
    await second.submit_and_wait(Resign(ADA.id))
    await second.submit_and_wait(Rematch(ADA.id))
    assert listed(lobby) == ["first", "second"]
    await second.submit_and_wait(Rematch(BO.id))
    assert listed(lobby) == ["second", "first"]


async def test_at_most_two_hundred_rooms_are_listed() -> None:
    rooms, lobby = new_rooms(capacity=1_000), Lobby(now=HandClock())
    rooms.on_change.append(lobby.update)
    for number in range(201):
        await open_room(rooms, id=f"r{number}")
    _, wire = await follow(lobby)

    assert len(listed_in(wire.frames[0])) == 200


async def test_a_sleeping_room_is_gone_from_the_list() -> None:
    rooms, lobby = new_rooms(idle=0), Lobby(now=HandClock())
    rooms.on_change.append(lobby.update)
    rooms.on_sleep.append(lobby.remove)
    await open_room(rooms)
    _, wire = await follow(lobby)

    rooms.sleep_idle()
    _, change = await news(wire)

    assert (change["rooms"], change["gone"]) == ([], ["room"])


@pytest.mark.parametrize("ends", [False, True])
async def test_a_room_that_nobody_follows_is_gone_after_half_a_minute(ends: bool) -> None:
    clock = HandClock()
    rooms, lobby = new_lobby(clock)
    host = await open_room(rooms)
    if ends:
        await host.submit_and_wait(Resign(ADA.id))
    _, wire = await follow(lobby)
    clock.now += 29_999
    assert listed(lobby) == ["room"]

    clock.now += 1
    lobby.refresh()
    _, change = await news(wire)

    assert change["gone"] == ["room"]
    assert listed(lobby) == []


async def test_a_room_stays_listed_while_somebody_follows_and_half_a_minute_longer() -> None:
    clock = HandClock()
    rooms, lobby = new_lobby(clock)
    host = await open_room(rooms)
    cy, _ = connected(CY)
    host.audience.add(cy)
    clock.now += 900_000
    assert listed(lobby) == ["room"]
    host.audience.remove(cy)
    clock.now += 29_999
    assert listed(lobby) == ["room"]

    clock.now += 1

    assert listed(lobby) == []


async def test_a_room_is_listed_again_when_a_player_comes_back() -> None:
    clock = HandClock()
    rooms, lobby = new_lobby(clock)
    host = await open_room(rooms)
    clock.now += 30_000
    _, wire = await follow(lobby)
    assert listed_in(wire.frames[0]) == []
    bo, _ = connected(BO)

    host.audience.add(bo)
    await asyncio.sleep(0.1)  # until the presence is sent
    change = (await news(wire))[-1]

    assert [(room["room"], room["online"]) for room in change["rooms"]] == [("room", 1)]


async def test_an_entry_tells_how_many_players_are_there_and_who_has_won() -> None:
    rooms, lobby = new_lobby()
    host = await open_room(rooms)
    for person in (ADA, BO, CY):
        host.audience.add(connected(person)[0])
    await asyncio.sleep(0.1)

    [playing] = json.loads(lobby.complete_text())["rooms"]
    await host.submit_and_wait(Resign(ADA.id))
    [over] = json.loads(lobby.complete_text())["rooms"]

    assert (playing["online"], playing["watchers"]) == (2, 1)
    assert "winner" not in playing
    assert (over["status"], over["winner"]) == ("over", "O")


async def test_many_changes_are_sent_at_most_four_times_a_second() -> None:
    rooms, lobby = new_rooms(), Lobby(now=HandClock())
    rooms.on_change.append(lobby.update)
    cy, wire = connected(CY)
    lobby.follow(cy)
    await tick()

    sent = []
    for number in range(30):
        await open_room(rooms, id=f"r{number}")
        await asyncio.sleep(EVERY / 10 + A_MOMENT)
        sent.append(len(wire.of_type("lobby")) - 1)

    assert sent == [0] * 9 + [1] * 10 + [2] * 10 + [3]


async def test_a_reader_that_missed_a_change_gets_a_complete_list_next() -> None:
    rooms, lobby = new_rooms(), Lobby(now=HandClock())
    rooms.on_change.append(lobby.update)
    cy, wire = connected(CY, behind=10)
    lobby.follow(cy)
    await tick()
    wire.stalled = True
    offer("x", b"\x81\x0c" + b'{"type":"x"}', [cy])
    await tick()
    await open_room(rooms, id="first")
    assert len(await news(wire)) == 1
    wire.catch_up()

    _, complete = await news(wire)

    assert complete["complete"]
    assert listed_in(complete) == ["first"]


async def test_a_second_follower_gets_the_same_list_and_the_same_changes() -> None:
    rooms, lobby = new_rooms(), Lobby(now=HandClock())
    rooms.on_change.append(lobby.update)
    wires = []
    for person in (CY, BO):
        outbox, wire = connected(person)
        lobby.follow(outbox)
        wires.append(wire)

    await open_room(rooms, id="first")

    first, second = [await news(wire) for wire in wires]
    assert first == second
    assert [listed_in(frame) for frame in first] == [[], ["first"]]


async def test_a_refresh_without_changes_sends_nothing() -> None:
    rooms, lobby = new_rooms(), Lobby(now=HandClock())
    rooms.on_change.append(lobby.update)
    await open_room(rooms)
    cy, wire = connected(CY)
    lobby.follow(cy)

    lobby.refresh()

    assert len(await news(wire)) == 1


async def test_an_outbox_that_no_longer_follows_is_sent_nothing() -> None:
    rooms, lobby = new_rooms(), Lobby(now=HandClock())
    rooms.on_change.append(lobby.update)
    cy, wire = connected(CY)
    lobby.follow(cy)
    await tick()
    lobby.unfollow(cy)

    await open_room(rooms)

    assert len(await news(wire)) == 1


async def test_no_list_is_built_once_the_last_follower_has_gone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rooms, lobby = new_lobby()
    cy, _ = await follow(lobby)
    bo, wire = await follow(lobby)
    await open_room(rooms, id="first")
    lobby.unfollow(cy)
    assert len(await news(wire)) == 2  # one follower is left

    await open_room(rooms, id="second")
    builds = record_builds(lobby, monkeypatch)
    lobby.unfollow(bo)
    await news(wire)
    assert builds == []

    _, wire = await follow(lobby)
    await open_room(rooms, id="third")
    assert [listed_in(frame) for frame in await news(wire)] == [["second", "first"], ["third"]]


async def test_a_closed_lobby_sends_nothing() -> None:
    rooms, lobby = new_rooms(), Lobby(now=HandClock())
    rooms.on_change.append(lobby.update)
    cy, wire = connected(CY)
    lobby.follow(cy)
    await open_room(rooms)

    lobby.close()

    assert len(await news(wire)) == 1
