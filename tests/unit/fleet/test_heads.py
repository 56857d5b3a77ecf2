"""What is known of a shared log: its messages, and the length that a sequence stands for."""

from __future__ import annotations

from server.fleet.heads import TOMBSTONE, Head, read, write
from tests.support.logs import OPENED, SEATED, move


def test_a_message_tells_its_events_and_how_long_the_log_is_with_them() -> None:
    stored = read(write(3, [move(0), move(1)]))

    assert (stored.n, stored.length) == (4, 5)
    assert stored.events() == [move(0), move(1)]
    assert read(write(0, [OPENED, SEATED])).length == 2
    assert read(TOMBSTONE).length == 0


def test_a_head_knows_its_last_two_lengths() -> None:
    head = Head(lambda *_: None)
    assert head.sequence_at(1) is None

    head.advance(2, 70)
    head.advance(3, 90)

    assert [head.sequence_at(length) for length in (1, 2, 3, 4)] == [None, 70, 90, None]


def test_a_late_message_does_not_put_a_head_back() -> None:
    head = Head(lambda *_: None)
    head.advance(3, 90)

    head.advance(2, 70)

    assert (head.length, head.sequence) == (3, 90)
