"""Time in a live room: flags that fall, and players who stay away."""

from __future__ import annotations

import asyncio

import pytest

from server.core.commands import (
    Claim,
    Play,
    Reason,
    Refused,
    SeatAI,
    Sit,
)
from server.core.events import Person, TimeControl
from server.core.rules import Ending, Mark
from server.live.flag import RETRY_AFTER
from tests.support.clockwork import settle
from tests.support.houses import HandClock, new_rooms, open_room
from tests.support.outboxes import connected
from tests.support.people import ADA, BO
from tests.support.stores import Gated


async def test_a_flag_falls_by_itself() -> None:
    clock = HandClock()
    host = await open_room(new_rooms(clock=clock), time=TimeControl(5_000))
    await host.submit_and_wait(Play(ADA.id, 4, 0))
    assert host.room.deadline() == clock.now + 5_000

    clock.now += 4_980
    await host.submit_and_wait(Sit(Person(BO.id, "Robert"), Mark.O))  # every event resets the timer
    await asyncio.sleep(0.05)  # the timer fires, but the clock is not there yet
    assert host.room.outcome is None
    clock.now += 20
    await asyncio.sleep(0.02)

    assert host.room.outcome is not None
    assert (host.room.outcome.winner, host.room.outcome.by) == (Mark.X, Ending.TIME)


async def test_a_flag_that_could_not_be_stored_falls_once_the_store_can_write() -> None:
    store, clock = Gated(), HandClock()
    host = await open_room(new_rooms(store, clock), time=TimeControl(5_000))
    await host.submit_and_wait(Play(ADA.id, 4, 0))
    clock.now += 5_000
    store.is_down = True
    assert host._flag is not None
    host._flag.arm(host.room.deadline())
    await settle()
    store.is_down = False
    await asyncio.sleep(RETRY_AFTER)

    assert host.room.outcome is not None
    assert host.room.outcome.by is Ending.TIME


async def test_a_move_after_the_deadline_loses_on_time() -> None:
    clock = HandClock()
    host = await open_room(new_rooms(clock=clock), time=TimeControl(5_000))
    await host.submit_and_wait(Play(ADA.id, 4, 0))

    clock.now += 5_000
    with pytest.raises(Refused) as refusal:
        await host.submit_and_wait(Play(BO.id, 0, 1))

    assert refusal.value.reason is Reason.GAME_OVER
    assert host.room.outcome is not None
    assert host.room.outcome.by is Ending.TIME


async def test_the_ai_may_cover_after_twenty_seconds_offline_and_not_before() -> None:
    clock = HandClock()
    host = await open_room(new_rooms(clock=clock))
    bo, _ = connected(BO)
    host.audience.add(bo)
    clock.now += 60_000

    cover = SeatAI(ADA.id, Mark.O, "hard")
    with pytest.raises(Refused, match="seat_taken"):
        await host.submit_and_wait(cover)
    host.audience.remove(bo)
    clock.now += 19_999
    with pytest.raises(Refused, match="seat_taken"):
        await host.submit_and_wait(cover)
    clock.now += 1
    await host.submit_and_wait(cover)


async def test_a_win_is_claimed_after_thirty_seconds_of_the_absent_players_turn() -> None:
    clock = HandClock()
    host = await open_room(new_rooms(clock=clock))
    clock.now += 60_000
    await host.submit_and_wait(Play(ADA.id, 4, 0))

    clock.now += 29_999
    with pytest.raises(Refused, match="too_early"):
        await host.submit_and_wait(Claim(ADA.id))
    clock.now += 1
    await host.submit_and_wait(Claim(ADA.id))
    assert host.room.outcome is not None
    assert host.room.outcome.by is Ending.ABSENCE
