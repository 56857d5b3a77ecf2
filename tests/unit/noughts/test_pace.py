"""How fast a program asks: some commands at once, and never more than the server allows."""

from __future__ import annotations

from noughts.pace import Pace
from server.live.limits import Bucket


def test_a_program_that_keeps_to_its_pace_is_never_too_fast() -> None:
    pace = Pace.within(10, 20, now=0.0)
    server = Bucket(10.0, 20)
    now = 0.0

    for _ in range(500):
        now += pace.take(now)
        assert server.take(now)

    assert 48 < now < 56


def test_after_a_rest_some_commands_go_at_once_again() -> None:
    pace = Pace(rate=1, at_once=3, now=0.0)

    assert [pace.take(now=0.0) for _ in range(4)] == [0, 0, 0, 1]
    assert [pace.take(now=100.0) for _ in range(4)] == [0, 0, 0, 1]
