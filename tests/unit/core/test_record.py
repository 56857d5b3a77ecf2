"""Records as values, and the types that mypy sees."""

from __future__ import annotations

import pytest

from server.core.commands import Play
from server.core.events import Event, GameStarted, PlayerId, RematchAsked, SeatLeft
from server.core.record import replace
from server.core.rules import Mark


def test_records_are_equal_by_kind_and_value() -> None:
    assert GameStarted(5) == GameStarted(5)
    assert GameStarted(5) != GameStarted(6)
    left: Event = SeatLeft(5, Mark.X)
    assert left != RematchAsked(5, Mark.X)
    assert len({Play(PlayerId("ada"), 4, 0), Play(PlayerId("ada"), 4, 0)}) == 1


def test_a_record_cannot_be_written_to() -> None:
    move = Play(PlayerId("ada"), 4, 0)

    with pytest.raises(AttributeError):
        move.cell = 5  # type: ignore[misc]
    with pytest.raises(AttributeError):
        move.mark = Mark.X  # type: ignore[attr-defined]
    assert move == Play(PlayerId("ada"), 4, 0)


def test_a_copy_differs_in_the_named_fields_and_leaves_the_original_as_it_is() -> None:
    move = Play(PlayerId("ada"), 4, 0)

    assert replace(move, cell=5) == Play(PlayerId("ada"), 5, 0)
    assert move.cell == 4


def test_a_copy_names_fields_that_exist_and_mypy_checks_their_types() -> None:
    move = Play(PlayerId("ada"), 4, 0)

    # If mypy did not report one of these mistakes, it would report the ignore as unused.
    with pytest.raises(TypeError):
        replace(move, square=5)  # type: ignore[call-arg]
    replace(move, cell="centre")  # type: ignore[arg-type]
