"""Games with a clock: when it runs, when it stands still, and losses on time."""

from __future__ import annotations

import pytest

from server import codec
from server.core.clock import Clock
from server.core.commands import DismissAI, Expire, Leave, Rematch, Resign, SeatAI, Sit, Wake
from server.core.decide import decide
from server.core.events import ClockResumed, GameForfeited, TimeControl
from server.core.evolve import evolve
from server.core.room import Room
from server.core.rules import Ending, Mark, Outcome
from tests.support.people import ADA, BO, CY
from tests.support.playing import X_WINS, Seat, a_room, after, played

X, O = Mark.X, Mark.O
MINUTE = 60_000


def timed(x: Seat = ADA, o: Seat = BO, increment: int = 0) -> Room:
    return a_room(x, o, time=TimeControl(MINUTE, increment))


def clock_of(room: Room) -> Clock:
    assert room.clock is not None
    return room.clock


def test_the_clock_stands_until_x_has_moved_and_the_first_move_is_free() -> None:
    room = timed(increment=2_000)
    moved = played(room, "4", now=500_000)

    assert room.deadline() is None
    assert clock_of(moved).budgets == (MINUTE, MINUTE)
    assert moved.deadline() == 500_000 + MINUTE


def test_each_move_after_the_first_costs_its_time_and_earns_the_increment() -> None:
    room = played(timed(increment=2_000), "4", now=0)
    room = played(room, "0", now=10_000)
    room = played(room, "8", now=13_000)

    assert clock_of(room).budgets == (MINUTE - 3_000 + 2_000, MINUTE - 10_000 + 2_000)
    assert (clock_of(room).turn, clock_of(room).since) == (O, 13_000)


def test_the_side_to_move_loses_on_time_at_the_deadline_and_not_before() -> None:
    room = played(timed(), "4", now=1_000)

    assert decide(room, Expire(), 1_000 + MINUTE - 1) == ()
    assert decide(room, Expire(), 1_000 + MINUTE) == (
        GameForfeited(1_000 + MINUTE, O, Ending.TIME),
    )
    over = after(room, Expire(), now=1_000 + MINUTE)
    assert over.outcome == Outcome(X, Ending.TIME)
    assert clock_of(over).budgets == (MINUTE, 0)
    assert over.deadline() is None
    assert decide(over, Expire(), 10**9) == ()


@pytest.mark.parametrize("room", [a_room(), timed(), timed(ADA, None)])
def test_expire_does_nothing_without_a_running_clock(room: Room) -> None:
    assert decide(room, Expire(), 10**9) == ()


def test_time_used_before_a_seat_opened_is_charged_and_then_the_clock_stands() -> None:
    room = played(timed(), "4", now=0)

    left = after(room, Leave(ADA.id, X), now=10_000)

    assert clock_of(left).budgets == (MINUTE, MINUTE - 10_000)
    assert left.deadline() is None
    assert decide(left, Expire(), 10**9) == ()


def test_the_clock_goes_on_when_anybody_fills_the_seat() -> None:
    left = after(played(timed(), "4", now=0), Leave(ADA.id, X), now=10_000)

    for room in (
        after(left, Sit(CY, X), now=900_000),
        after(left, SeatAI(BO.id, X, "easy"), now=900_000),
    ):
        assert room.deadline() == 900_000 + MINUTE - 10_000


def test_two_open_seats_hold_the_clock_until_both_are_filled() -> None:
    room = after(played(timed(), "4", now=0), Leave(ADA.id, X), Leave(BO.id, O), now=10_000)

    half = after(room, Sit(CY, X), now=20_000)

    assert half.deadline() is None
    assert after(half, Sit(BO, O), now=30_000).deadline() == 30_000 + MINUTE - 10_000


def test_a_seat_that_opens_before_the_first_move_starts_no_clock() -> None:
    room = after(timed(), Leave(BO.id, O), Sit(CY, O), now=5_000)

    assert room.deadline() is None


def test_an_ai_that_covers_or_steps_back_does_not_stop_the_clock() -> None:
    room = played(timed(), "4", now=0)

    covered = after(room, SeatAI(ADA.id, O, "easy", absent_for=20_000), now=20_000)
    returned = after(covered, DismissAI(ADA.id, O), now=30_000)

    assert room.deadline() == covered.deadline() == returned.deadline() == MINUTE


def test_an_ai_dismissed_for_good_stops_the_clock() -> None:
    room = played(timed(ADA, "easy"), "4", now=0)

    assert after(room, DismissAI(ADA.id, O), now=1_000).deadline() is None


def test_a_new_name_does_not_touch_the_clock() -> None:
    room = played(timed(), "4", now=0)

    assert after(room, Sit(type(BO)(BO.id, "Bobby"), O), now=9_000).clock == room.clock


def test_waking_charges_the_time_away_to_nobody() -> None:
    room = played(timed(), "4", now=0)

    assert decide(room, Wake(0), 10**9) == (ClockResumed(10**9, 0),)
    awake = after(room, Wake(0), now=10**9)
    assert awake.deadline() == 10**9 + MINUTE
    assert decide(awake, Expire(), 10**9) == ()


def test_waking_charges_the_side_to_move_for_the_time_the_room_was_kept() -> None:
    room = played(timed(), "4", now=0)

    awake = after(room, Wake(since=45_000), now=10**9)

    assert clock_of(awake).budgets == (MINUTE, MINUTE - 45_000)
    assert awake.deadline() == 10**9 + MINUTE - 45_000


def test_a_flag_that_fell_while_the_room_was_kept_has_fallen_when_it_wakes() -> None:
    room = played(timed(), "4", now=0)

    awake = after(room, Wake(since=MINUTE), now=10**9)

    assert decide(awake, Expire(), 10**9) == (GameForfeited(10**9, O, Ending.TIME),)


def test_an_event_from_before_rooms_said_since_when_charges_nothing() -> None:
    room = played(timed(), "4", now=0)

    awake = evolve(room, codec.read('{"v":1,"type":"clock_resumed","at":90000}'))

    assert clock_of(awake).budgets == (MINUTE, MINUTE)
    assert awake.deadline() == 90_000 + MINUTE


@pytest.mark.parametrize(
    "room",
    [a_room(), timed(), timed(ADA, None), played(timed(), X_WINS)],
)
def test_waking_makes_no_event_without_a_running_clock(room: Room) -> None:
    assert decide(room, Wake(0), 10**9) == ()


def test_the_end_of_a_game_stops_the_clock_with_the_time_used() -> None:
    room = after(played(timed(), "4", now=0), Resign(BO.id), now=7_000)

    assert clock_of(room).budgets == (MINUTE, MINUTE - 7_000)
    assert clock_of(room).since is None


def test_the_next_game_begins_with_full_clocks_that_stand() -> None:
    room = after(played(timed(), X_WINS, now=9_000), Rematch(ADA.id), Rematch(BO.id), now=10_000)

    assert room.game == 2
    assert room.clock == Clock.new(MINUTE)
