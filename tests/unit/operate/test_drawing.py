"""Every game as text: the last move, marks that fade, and small boards that are won."""

from __future__ import annotations

from server.core.events import Event, MovePlayed, RoomOpened
from server.core.evolve import replay
from server.core.rules import CLASSIC, DROP, MARKS, ULTIMATE, VANISHING, Variant
from server.operate.drawing import draw


def drawn(variant: Variant, *moves: int) -> list[str]:
    log: list[Event] = [RoomOpened(0, variant, True)]
    log += [MovePlayed(at, MARKS[at % 2], cell) for at, cell in enumerate(moves)]
    room = replay(log)
    assert room is not None
    return list(draw(room))


def test_an_empty_board_is_dots() -> None:
    assert drawn(CLASSIC) == [" ·  ·  ·"] * 3


def test_the_last_move_is_in_brackets() -> None:
    assert drawn(CLASSIC, 4, 0) == ["[O] ·  ·", " ·  X  ·", " ·  ·  ·"]


def test_the_mark_that_fades_is_in_parentheses() -> None:
    assert drawn(VANISHING, 0, 3, 1, 4, 5, 2) == ["(X) X [O]", " O  O  X", " ·  ·  ·"]


def test_a_board_under_gravity_has_its_bottom_below() -> None:
    lines = drawn(DROP, 38)

    assert lines[-1] == " ·  ·  · [X] ·  ·  ·"
    assert len(lines) == DROP.rows


def test_nested_boards_are_apart_and_those_that_are_won_are_listed() -> None:
    lines = drawn(ULTIMATE, 40)

    assert lines[3] == "─────────┼─────────┼─────────"
    assert lines[5] == " ·  ·  · │ · [X] · │ ·  ·  ·"
    assert lines[-1] == "won: · · · · · · · · ·"
    assert len(lines) == 9 + 2 + 1
