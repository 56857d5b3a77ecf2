"""How long the AI may take for a move on a clock."""

from __future__ import annotations

import pytest

from server.ai.pace import ANSWER_WITHIN, LEAST, UNHURRIED, Pace, pace_of
from server.core.clock import Clock

FULL = 120_000


def running(budget: int, increment: int = 0) -> Clock:
    """A clock that runs for O since 0."""
    return Clock.new(budget, increment=increment).press(now=0)


def test_without_a_clock_or_before_it_runs_there_is_no_hurry() -> None:
    assert pace_of(None, now=0) == UNHURRIED
    assert pace_of(Clock.new(5_000), now=99_000) == UNHURRIED
    assert UNHURRIED.fewer(FULL) == FULL


@pytest.mark.parametrize(
    ("budget", "now", "seconds", "within"),
    [
        (180_000, 0, 8.95, ANSWER_WITHIN),
        (30_000, 0, 1.45, ANSWER_WITHIN),
        (10_000, 0, 0.45, 1.25),
        (5_000, 0, 0.2, 0.625),
        (30_000, 25_000, 0.2, 0.625),  # the AI covers for somebody who was to move
        (5_000, 4_200, 0, 0.1),
        (5_000, 9_000, 0, 0),
    ],
)
def test_a_move_takes_a_small_share_of_what_the_clock_has_left(
    budget: int, now: int, seconds: float, within: float
) -> None:
    assert pace_of(running(budget), now) == pytest.approx(Pace(seconds, within))


def test_an_increment_is_spent_as_far_as_the_clock_allows() -> None:
    assert pace_of(running(5_000, 300), now=0).seconds == pytest.approx(0.5)
    assert pace_of(running(5_000, 2_000), now=4_600).seconds == pytest.approx(0.1)


def test_a_search_has_as_many_nodes_as_there_is_time_for_and_a_few_in_any_case() -> None:
    paces = [Pace(seconds, 1) for seconds in (0.5, 0.4, 0.2, 0.01, 0)]

    assert [pace.fewer(FULL) for pace in paces] == [FULL, FULL // 2, FULL // 4, 1_875, 937]
    assert Pace(0, 1).fewer(LEAST) == LEAST


def test_a_share_each_move_never_touches_the_reserve() -> None:
    left = 5_000
    for _ in range(50):
        left -= round(1_000 * pace_of(running(left), now=0).seconds)

    assert left > 1_000
