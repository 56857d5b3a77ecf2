"""When the event loop has stood still, and when it was merely busy."""

from __future__ import annotations

from server.live.stalls import FORGIVEN, LATE, MEASURE_EVERY, Stalls


def measured(*gaps: float) -> tuple[Stalls, list[float], float]:
    """Stalls that were measured after each of these gaps, what each gave, and the time now."""
    stalls, now = Stalls(), 1_000.0
    found = [stalls.measure(now)]
    for gap in gaps:
        now += gap
        found.append(stalls.measure(now))
    return stalls, found, now


def test_a_loop_on_time_has_lost_nothing() -> None:
    stalls, found, now = measured(MEASURE_EVERY, MEASURE_EVERY + 0.9 * LATE)

    assert found == [0, 0, 0]
    assert not stalls.is_recent(now)


def test_a_stall_is_as_long_as_the_loop_was_late() -> None:
    stalls, found, now = measured(MEASURE_EVERY + 60.0)

    assert found == [0, 60.0]
    assert stalls.is_recent(now)
    assert stalls.is_recent(now + 0.9 * FORGIVEN)
    stalls.measure(now + MEASURE_EVERY)
    stalls.measure(now + 2 * MEASURE_EVERY)
    assert not stalls.is_recent(now + FORGIVEN)


def test_a_stall_is_recent_also_before_it_is_measured() -> None:
    stalls, _, now = measured(MEASURE_EVERY)

    assert not stalls.is_recent(now + MEASURE_EVERY)
    assert stalls.is_recent(now + 60.0)


def test_a_loop_that_is_never_measured_never_stands_still() -> None:
    assert not Stalls().is_recent(1_000.0)
