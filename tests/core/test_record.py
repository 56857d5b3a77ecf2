from __future__ import annotations

import pytest

from server.core.commands import Play
from server.core.events import Event, GameStarted, PlayerId, RematchAsked, SeatLeft
from server.core.rules import Mark


def test_records_are_equal_by_kind_and_value() -> None:
    assert GameStarted(5) == GameStarted(5)
    assert GameStarted(5) != GameStarted(6)
    left: Event = SeatLeft(5, Mark.X)
    assert left != RematchAsked(5, Mark.X)
    assert len({Play(PlayerId("ada"), 4, 0), Play(PlayerId("ada"), 4, 0)}) == 1


def test_a_record_has_the_fields_it_names_and_no_others() -> None:
    with pytest.raises(AttributeError):
        GameStarted(5).mark = Mark.X  # type: ignore[attr-defined]


def may_not_be_written() -> None:
    """For the type checker: it complains in `make lint` if these are ever allowed."""
    GameStarted(5).at = 6  # type: ignore[misc]
    Play(PlayerId("ada"), 4, 0).cell = 5  # type: ignore[misc]
