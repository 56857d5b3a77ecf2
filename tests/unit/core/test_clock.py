"""The clock as arithmetic: the time each side has left at any instant."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.core.clock import Clock
from server.core.rules import Mark

MINUTE = 60_000


def test_a_new_clock_stands_still() -> None:
    clock = Clock.new(MINUTE)

    assert clock.since is None
    assert clock.deadline() is None
    assert clock.left(Mark.X, now=10**12) == clock.left(Mark.O, now=10**12) == MINUTE


def test_the_first_move_costs_nothing_and_earns_nothing() -> None:
    clock = Clock.new(MINUTE, increment=2_000).press(now=500_000)

    assert clock.budgets == (MINUTE, MINUTE)
    assert (clock.turn, clock.since) == (Mark.O, 500_000)
    assert clock.deadline() == 500_000 + MINUTE


def test_the_side_to_move_pays_and_earns_the_increment_with_its_move() -> None:
    clock = Clock.new(MINUTE, increment=2_000).press(now=0)

    assert clock.left(Mark.O, now=5_000) == 55_000
    assert clock.left(Mark.X, now=5_000) == MINUTE
    assert clock.press(now=5_000).budgets == (MINUTE, 57_000)
    assert clock.press(now=5_000).deadline() == 5_000 + MINUTE


def test_the_time_left_is_never_negative() -> None:
    clock = Clock.new(MINUTE).press(now=0)

    assert clock.left(Mark.O, now=MINUTE) == 0
    assert clock.left(Mark.O, now=10 * MINUTE) == 0
    assert clock.stop(now=10 * MINUTE).budgets == (MINUTE, 0)


def test_a_time_before_the_turn_began_costs_nothing() -> None:
    assert Clock.new(MINUTE).press(now=1_000).left(Mark.O, now=0) == MINUTE


def test_a_stopped_clock_has_charged_what_was_used_and_stands() -> None:
    stopped = Clock.new(MINUTE, increment=9_000).press(now=0).stop(now=10_000)

    assert stopped.budgets == (MINUTE, 50_000)
    assert stopped.since is None
    assert stopped.left(Mark.O, now=999_999) == 50_000
    assert stopped.stop(now=999_999) == stopped


def test_a_resumed_clock_charges_nobody_for_the_time_between() -> None:
    resumed = Clock.new(MINUTE).press(now=0).stop(now=10_000).resume(now=500_000)

    assert resumed.left(Mark.O, now=500_000) == 50_000
    assert resumed.deadline() == 550_000


@settings(deadline=None)
@given(st.integers(0, 90_000), st.integers(0, 10**9))
def test_time_charged_and_time_away_add_up_to_the_time_between(kept: int, away: int) -> None:
    running = Clock.new(MINUTE).press(now=1_000)
    away_since, now = 1_000 + kept, 1_000 + kept + away

    resumed = running.resume(now=now, away_since=away_since)

    charged = MINUTE - resumed.left(Mark.O, now=now)
    assert charged == min(kept, MINUTE)
    if kept <= MINUTE:
        assert charged + away == now - 1_000
    assert resumed.left(Mark.X, now=now) == MINUTE
    assert (resumed.turn, resumed.since) == (Mark.O, now)


@pytest.mark.parametrize("away_since", [None, -5, 0, 999, 1_000])
def test_a_clock_not_kept_since_its_last_move_charges_nothing(away_since: int | None) -> None:
    resumed = Clock.new(MINUTE).press(now=1_000).resume(now=500_000, away_since=away_since)

    assert resumed.left(Mark.O, now=500_000) == MINUTE
    assert resumed.deadline() == 500_000 + MINUTE


def test_no_side_is_charged_for_time_that_has_not_passed() -> None:
    resumed = Clock.new(MINUTE).press(now=0).resume(now=2_000, away_since=30_000)

    assert resumed.left(Mark.O, now=2_000) == MINUTE - 2_000


@settings(deadline=None)
@given(
    st.integers(5_000, 3_600_000),
    st.integers(0, 60_000),
    st.lists(st.integers(0, 100_000), min_size=1, max_size=20),
)
def test_the_time_used_and_the_time_left_add_up(
    budget: int, increment: int, thoughts: list[int]
) -> None:
    clock, now, moves = Clock.new(budget, increment=increment).press(now=0), 0, 0
    for thought in thoughts:
        deadline = clock.deadline()
        assert deadline is not None
        if now + thought >= deadline:
            break
        now, moves = now + thought, moves + 1
        clock = clock.press(now=now)

    assert sum(clock.budgets) == 2 * budget - now + moves * increment
