"""Logs that replay, and the reason for those that do not."""

from __future__ import annotations

import pytest

from server.core.events import Event, GameStarted, MovePlayed
from server.core.rules import Mark
from server.operate.reading import Unreplayable, path_of, replay, states
from server.store import BadAddress
from tests.support.logs import OPENED, SEATED, move


def test_each_event_comes_with_the_room_after_it() -> None:
    seqs = [(type(event).__name__, room.seq) for event, room in states([OPENED, SEATED])]

    assert seqs == [("RoomOpened", 1), ("SeatTaken", 2)]


@pytest.mark.parametrize(
    ("log", "why"),
    [
        ([], "it has no events"),
        ([SEATED], "event 1 cannot follow those before it: a log begins with RoomOpened"),
        ([OPENED, OPENED], "event 2 cannot follow those before it: a room opens once"),
        ([OPENED, GameStarted(5)], "event 2 cannot follow those before it: the next game"),
        ([OPENED, move(0)], "event 2 is no legal move"),
        ([OPENED, MovePlayed(5, Mark.X, -1)], "event 2 is no legal move"),
    ],
)
def test_a_log_that_cannot_be_is_not_replayed(log: list[Event], why: str) -> None:
    with pytest.raises(Unreplayable, match=why):
        replay(log)


@pytest.mark.parametrize("url", ["memory:", "sqlite:", "noughts.db", "http://x"])
def test_what_is_no_store_to_read_is_wrong_usage(url: str) -> None:
    with pytest.raises(BadAddress, match="cannot be read"):
        path_of(url)
