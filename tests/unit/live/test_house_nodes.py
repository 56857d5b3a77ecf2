"""Two nodes that serve the same rooms: what happens on one is seen on the other."""

from __future__ import annotations

import asyncio
import json

import pytest

from server.core.commands import Claim, Play, Reason, Refused, SeatAI, Sit
from server.core.events import Person, TimeControl
from server.core.rules import Ending, Mark
from server.live.draft import ACCEPTED, Refusal
from server.live.host import RoomHost
from server.live.house import House
from server.live.reports import Report
from tests.support.fleets import Fleet, join
from tests.support.houses import open_room, submit
from tests.support.people import ADA, BO, CY


class Pair:
    """Ada's node and Bo's, with the room of the two awake on both."""

    fleet: Fleet
    ann: House
    bob: House
    here: RoomHost
    there: RoomHost

    @classmethod
    async def new(cls, time: TimeControl | None = None) -> Pair:
        pair = cls()
        pair.fleet = Fleet()
        pair.ann, pair.bob = pair.fleet.new_node("ann"), pair.fleet.new_node("bob")
        await pair.fleet.seconds(2)
        pair.here = await open_room(pair.ann.rooms, time=time)
        pair.there = await pair.bob.rooms.find("room")
        return pair


async def test_a_move_on_one_node_is_shown_on_the_other() -> None:
    pair = await Pair.new()
    _, wire = join(pair.there, BO, pair.bob)

    await pair.here.submit_and_wait(Play(ADA.id, 4, 0))
    await asyncio.sleep(0.1)

    assert pair.there.room == pair.here.room
    assert [state["moves"] for state in wire.of_type("state")] == [[4]]
    await pair.there.submit_and_wait(Play(BO.id, 0, 1))
    await asyncio.sleep(0.1)
    assert pair.here.room.moves == (4, 0)


async def test_of_two_moves_at_once_one_is_accepted_and_both_nodes_agree() -> None:
    pair = await Pair.new()

    here, there = submit(pair.here, Play(ADA.id, 4, 0)), submit(pair.there, Play(ADA.id, 5, 0))
    await asyncio.sleep(1)

    assert {*here, *there} == {ACCEPTED, Refusal(Reason.STALE)}
    assert pair.here.room == pair.there.room
    assert len(pair.here.room.moves) == 1


async def test_a_command_is_not_refused_because_this_node_has_not_heard_yet() -> None:
    pair = await Pair.new()
    pair.bob.store.unfollow(pair.there.id)  # it hears nothing any more
    await pair.here.submit_and_wait(Play(ADA.id, 4, 0))
    assert not pair.there.room.moves

    await pair.there.submit_and_wait(Play(BO.id, 0, 1))

    assert pair.there.room.moves == (4, 0)


async def test_players_and_watchers_on_both_nodes_count() -> None:
    pair = await Pair.new()
    _, wire = join(pair.here, ADA, pair.ann)
    outbox, _ = join(pair.there, BO, pair.bob)
    join(pair.there, CY, pair.bob)

    await pair.fleet.seconds(2)
    frame = wire.of_type("presence")[-1]
    assert (frame["online"], frame["watchers"]) == (["X", "O"], 1)

    pair.there.audience.remove(outbox)
    await pair.fleet.seconds(2)
    assert wire.of_type("presence")[-1]["online"] == ["X"]


async def test_a_player_on_another_node_is_not_absent_and_one_who_has_left_it_is() -> None:
    pair = await Pair.new()
    outbox, _ = join(pair.there, BO, pair.bob)
    await pair.fleet.seconds(60)
    assert pair.here.audience.absent_for(Mark.O, pair.fleet.now()) == 0
    assert submit(pair.here, SeatAI(ADA.id, Mark.O, "easy")) == []
    await pair.here.submit_and_wait(Play(ADA.id, 4, 0))

    pair.there.audience.remove(outbox)
    await pair.fleet.seconds(20)
    assert 18_000 < pair.here.audience.absent_for(Mark.O, pair.fleet.now()) <= 20_000
    await pair.fleet.seconds(15)
    await pair.here.submit_and_wait(Claim(ADA.id))

    assert pair.here.room.outcome is not None
    assert pair.here.room.outcome.by is Ending.ABSENCE


async def test_people_on_a_lost_node_are_absent_since_its_last_message() -> None:
    pair = await Pair.new()
    _, wire = join(pair.here, ADA, pair.ann)
    join(pair.there, BO, pair.bob)
    await pair.fleet.seconds(10)

    pair.fleet.kill("bob")
    await pair.fleet.seconds(10)

    assert wire.of_type("presence")[-1]["online"] == ["X"]
    assert 9_000 < pair.here.audience.absent_for(Mark.O, pair.fleet.now()) < 12_000
    assert list(pair.here.audience.elsewhere) == []


async def test_a_player_of_a_node_that_has_just_died_counts_as_absent_from_now_on() -> None:
    pair = await Pair.new()
    await pair.fleet.seconds(60)
    await open_room(pair.bob.rooms, id="other")
    pair.fleet.kill("bob")

    woken = await pair.ann.rooms.find("other")

    assert woken.audience.absent_for(Mark.O, pair.fleet.now()) < 1_000


async def test_an_old_absence_that_another_node_reports_does_not_count_in_a_new_host() -> None:
    pair = await Pair.new()
    await open_room(pair.bob.rooms, id="other")
    await pair.fleet.seconds(60)
    woken = await pair.ann.rooms.find("other")

    woken.audience.hear("bob", Report([], 0, {BO.id: pair.fleet.now() - 60_000}))

    # The report of a third node, where Bo is now, may have been lost.
    assert woken.audience.absent_for(Mark.O, pair.fleet.now()) < 1_000


async def test_a_phrase_is_heard_on_both_nodes() -> None:
    pair = await Pair.new()
    _, wire = join(pair.there, BO, pair.bob)

    pair.here.say(ADA, "hello")
    await asyncio.sleep(0.1)

    said = wire.of_type("said")[-1]
    assert (said["player"]["name"], said["phrase"]) == ("Ada", "hello")


async def test_the_lobby_lists_the_rooms_of_all_nodes_and_drops_those_of_a_lost_one() -> None:
    pair = await Pair.new()
    await open_room(pair.bob.rooms, id="other")
    await open_room(pair.bob.rooms, id="private", public=False)
    await pair.there.submit_and_wait(Play(ADA.id, 4, 0))
    await pair.fleet.seconds(2)

    def listed(house: House) -> dict[str, str]:
        frame = json.loads(house.lobby.complete_text())
        return {room["room"]: room["board"] for room in frame["rooms"]}

    assert listed(pair.ann) == listed(pair.bob) == {"room": "....X....", "other": "........."}

    pair.fleet.kill("bob")
    await pair.fleet.seconds(5)
    assert listed(pair.ann).keys() == {"room"}


async def test_a_follower_of_the_lobby_gets_only_what_has_changed_elsewhere() -> None:
    pair = await Pair.new()
    await open_room(pair.bob.rooms, id="other")
    await pair.fleet.seconds(2)
    outbox, wire = join(pair.here, CY, pair.ann)
    pair.ann.lobby.follow(outbox)
    await pair.fleet.seconds(3)
    before = len(wire.of_type("lobby"))

    await pair.fleet.seconds(5)
    assert len(wire.of_type("lobby")) == before
    await pair.there.submit_and_wait(Play(ADA.id, 4, 0))
    await pair.fleet.seconds(2)

    changed = [room["room"] for frame in wire.of_type("lobby")[before:] for room in frame["rooms"]]
    assert set(changed) == {"room"}


async def test_a_room_that_a_node_puts_to_sleep_no_longer_counts_it() -> None:
    pair = await Pair.new()
    join(pair.here, ADA, pair.ann)
    await pair.fleet.seconds(2)
    assert list(pair.here.audience.elsewhere) == ["bob"]

    pair.bob.rooms._put_to_sleep(pair.there)
    await pair.fleet.seconds(1)

    assert list(pair.here.audience.elsewhere) == []
    assert not await pair.ann.rooms.is_awake_elsewhere(pair.here.id)


@pytest.mark.parametrize("killed", ["", "ann", "bob"])
async def test_a_flag_falls_once_whichever_node_is_left(killed: str) -> None:
    pair = await Pair.new(TimeControl(10_000))
    await pair.here.submit_and_wait(Play(ADA.id, 4, 0))
    await pair.fleet.seconds(5)
    if killed:
        pair.fleet.kill(killed)

    await pair.fleet.seconds(10)

    log = pair.fleet.hub.events(pair.here.id)
    assert [type(event).__name__ for event in log].count("GameForfeited") == 1
    assert len(log) == 5


@pytest.mark.parametrize("killed", ["", "ann", "bob"])
async def test_the_ai_moves_once_whichever_node_is_left(killed: str) -> None:
    pair = await Pair.new()
    await pair.here.submit_and_wait(Play(ADA.id, 4, 0))
    await pair.fleet.seconds(40)  # Bo was never here
    await pair.here.submit_and_wait(SeatAI(ADA.id, Mark.O, "easy"))
    left = pair.bob if killed == "ann" else pair.ann
    if killed:
        pair.fleet.kill(killed)

    await pair.fleet.seconds(10)

    room = (await left.rooms.find("room")).room
    assert len(room.moves) == 2
    assert len(pair.fleet.hub.events(pair.here.id)) == room.seq == 6


async def test_a_name_on_the_other_node_is_taken_over() -> None:
    pair = await Pair.new()

    await pair.there.submit_and_wait(Sit(Person(ADA.id, "Countess"), Mark.X))
    await asyncio.sleep(0.1)

    assert pair.here.room.seats[Mark.X] == Person(ADA.id, "Countess")


async def test_a_clock_is_not_resumed_if_nobody_can_tell_who_keeps_it() -> None:
    pair = await Pair.new(TimeControl(60_000))
    await pair.here.submit_and_wait(Play(ADA.id, 4, 0))
    before = len(pair.fleet.hub.events(pair.here.id))
    pair.bob.rooms._put_to_sleep(pair.there)
    pair.fleet.hub.loss = 1.0

    with pytest.raises(Exception, match="retry"):
        await pair.bob.rooms.find("room")

    pair.fleet.hub.loss = 0.0
    await pair.bob.rooms.find("room")
    assert len(pair.fleet.hub.events(pair.here.id)) == before


async def test_two_nodes_that_wake_a_room_at_once_resume_its_clock_once() -> None:
    pair = await Pair.new(TimeControl(60_000))
    await pair.here.submit_and_wait(Play(ADA.id, 4, 0))
    await asyncio.sleep(1)
    pair.ann.rooms._put_to_sleep(pair.here)
    pair.bob.rooms._put_to_sleep(pair.there)

    await asyncio.gather(pair.ann.rooms.find("room"), pair.bob.rooms.find("room"))
    await asyncio.sleep(1)

    names = [type(event).__name__ for event in pair.fleet.hub.events(pair.here.id)]
    assert names.count("ClockResumed") == 1


async def test_a_room_that_one_node_removes_is_gone_on_the_other() -> None:
    pair = await Pair.new()
    _, here = join(pair.here, ADA, pair.ann)
    _, there = join(pair.there, BO, pair.bob)

    await pair.bob.rooms.remove("room")
    await asyncio.sleep(0.1)

    for house, wire in ((pair.ann, here), (pair.bob, there)):
        assert [frame["room"] for frame in wire.of_type("closed")] == ["room"]
        assert len(house.rooms) == 0
        with pytest.raises(Refused):
            await house.rooms.find("room")
    assert submit(pair.here, Play(ADA.id, 4, 0)) == [Refusal(Reason.NO_SUCH_ROOM)]


async def test_a_room_that_is_awake_elsewhere_only_is_removed_from_here() -> None:
    fleet = Fleet()
    ann, bob = fleet.new_node("ann"), fleet.new_node("bob")
    await fleet.seconds(2)
    await open_room(ann.rooms)

    await bob.rooms.remove("room")
    await fleet.seconds(1)

    assert len(ann.rooms) == 0
    host = await open_room(ann.rooms)  # the id is free again
    assert host.room.seq == 3
    await fleet.seconds(1)
    assert len(ann.rooms) == 1
