"""A player's own seats in a state, and the cells that can be chosen."""

from __future__ import annotations

import pytest
from msgspec import UNSET

from noughts.messages import State
from noughts.room import View
from noughts.shapes import (
    AISeat,
    Covered,
    HumanSeat,
    Mark,
    OpenSeat,
    Score,
    Seat,
    Seats,
    Variant,
)

ME, BO = HumanSeat("me", "Ada"), HumanSeat("bo", "Bo")
COVERED = AISeat("hard", Covered("me", "Ada"))


class Seen(View):
    def __init__(self, x: Seat, o: Seat, turn: Mark | None = "O") -> None:
        self._player = "me"
        self._state = State(
            room="r", public=True, variant=Variant(name="3x3", rows=3, columns=3, line=3), seq=3,
            game=1, board=["X", *[None] * 8], moves=[0], turn=turn, status="playing", outcome=None,
            seats=Seats(x, o), score=Score(0, 0, 0), rematch=[], clock=None,
        )  # fmt: skip

    @property
    def state(self) -> State:
        return self._state


@pytest.mark.parametrize(
    ("seen", "marks", "seat", "my_turn"),
    [
        (Seen(ME, BO), ("X",), "X", False),
        (Seen(BO, ME), ("O",), "O", True),
        (Seen(ME, ME), ("X", "O"), "O", True),
        (Seen(ME, ME, turn=None), ("X", "O"), "X", False),
        (Seen(BO, OpenSeat()), (), None, False),
        (Seen(BO, COVERED), (), None, False),
    ],
)
def test_a_player_knows_their_seats(
    seen: Seen, marks: tuple[Mark, ...], seat: Mark | None, my_turn: bool
) -> None:
    assert (seen.marks, seen.seat, seen.my_turn) == (marks, seat, my_turn)


def test_the_choices_are_what_may_be_played() -> None:
    state = Seen(ME, BO).state
    assert state.playable is UNSET
    assert state.choices == [1, 2, 3, 4, 5, 6, 7, 8]
    state.playable = [5, 6]
    assert state.choices == [5, 6]
    state.turn = None
    assert state.choices == []
