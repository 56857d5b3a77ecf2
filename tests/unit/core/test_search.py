"""The door: every game has verdicts for its playable cells, and a best cell to play."""

from __future__ import annotations

import pytest

from server.core.rules import (
    CLASSIC,
    DROP,
    FIVE,
    REVERSE,
    ULTIMATE,
    VANISHING,
    Position,
    Variant,
    cells,
    play_all,
    read_position,
)
from server.core.search import best_cell, best_cells, judge
from server.core.verdicts import Verdict
from tests.support.positions import positions, random_positions
from tests.support.reference import best

GAMES = [CLASSIC, REVERSE, VANISHING, FIVE, DROP, ULTIMATE]
OTHER = Variant("4x5", 4, 5, 4)  # a board of an old log
FEW = 300  # nodes

# X wins on the spot; one move earlier, O has to prevent it.
NEARLY_WON = {
    FIVE: ([0, 20, 1, 21, 2, 24], 3),
    DROP: ([35, 28, 36, 29, 37, 30], 38),
    VANISHING: ([0, 3, 1, 8], 2),
}


@pytest.mark.parametrize("variant", [*GAMES, OTHER], ids=str)
def test_exactly_the_playable_cells_are_judged(variant: Variant) -> None:
    for position in random_positions(variant, games=3):
        verdicts = judge(position, FEW)
        assert list(verdicts) == list(cells(position.playable()))
        assert set(best_cells(position, FEW)) <= verdicts.keys()


@pytest.mark.parametrize("variant", [*GAMES, OTHER], ids=str)
def test_the_same_question_has_the_same_answer_again(variant: Variant) -> None:
    asked = list(random_positions(variant, games=2))
    first = [judge(position, FEW) for position in asked]

    assert [judge(position, FEW) for position in reversed(asked)] == first[::-1]


@pytest.mark.parametrize("variant", NEARLY_WON, ids=str)
def test_a_win_on_the_spot_is_found(variant: Variant) -> None:
    moves, cell = NEARLY_WON[variant]
    position = play_all(variant, moves)

    assert best_cells(position) == [cell]
    assert judge(position)[cell] == Verdict("win", 1)


@pytest.mark.parametrize("variant", NEARLY_WON, ids=str)
def test_a_win_of_the_other_side_is_prevented(variant: Variant) -> None:
    moves, cell = NEARLY_WON[variant]
    position = play_all(variant, moves[:-1])

    others = [v for c, v in judge(position).items() if c != cell and v != Verdict("win", 1)]
    assert {(v.value, v.plies) for v in others} == {("loss", 2)}


def test_the_best_cells_of_3x3_are_the_fastest_wins_or_draws_or_the_slowest_losses() -> None:
    for position in positions():
        verdicts = judge(position)
        highest = best(verdicts.values())
        assert best_cells(position) == [c for c in verdicts if verdicts[c] == highest]


@pytest.mark.parametrize("drawing", ["XXX OO. ...", "XOX XOO OXX"])
def test_a_finished_position_has_no_moves(drawing: str) -> None:
    finished = read_position(drawing)

    assert judge(finished) == {}
    assert best_cells(finished) == []
    assert best_cell(finished) is None


def test_the_same_position_always_gets_the_same_cell() -> None:
    assert {best_cell(Position(CLASSIC)) for _ in range(5)} == {0}
