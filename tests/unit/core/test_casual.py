"""Casual play: a win, else a block, else anywhere, by the rules of each game."""

from __future__ import annotations

import pytest

from server.core.casual import casual_cells, winning_cells
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
    place,
    play_all,
    read_position,
)
from tests.support.positions import random_positions

GAMES = [CLASSIC, REVERSE, VANISHING, FIVE, DROP, ULTIMATE]


@pytest.mark.parametrize("variant", GAMES, ids=str)
def test_the_winning_cells_are_those_that_the_rules_call_won(variant: Variant) -> None:
    found = 0
    for position in random_positions(variant, games=60):
        playable = list(cells(position.playable()))
        outcomes = {cell: position.play(cell).outcome() for cell in playable}
        wins = [c for c, ended in outcomes.items() if ended and ended.winner is position.turn]
        assert winning_cells(position) == wins
        assert set(casual_cells(position)) <= set(wins or playable)
        found += len(wins)
    assert (found > 10) is not variant.avoid


@pytest.mark.parametrize("variant", [CLASSIC, FIVE, DROP, VANISHING], ids=str)
def test_a_cell_on_which_the_other_side_would_win_is_taken(variant: Variant) -> None:
    found = 0
    for position in random_positions(variant, games=60):
        if winning_cells(position):
            continue
        threats = {
            cell for cell in cells(position.playable()) if wins_if_left_alone(position, cell)
        }
        assert set(casual_cells(position)) == (threats or set(cells(position.playable())))
        found += len(threats)
    assert found > 10


def wins_if_left_alone(position: Position, cell: int) -> bool:
    """Whether the other side could win on `cell`, if the side to move played elsewhere."""
    elsewhere = [other for other in cells(position.playable()) if other != cell]
    after = [position.play(other) for other in elsewhere[:2]]
    return any(cell in winning_cells(each) for each in after if each.outcome() is None)


def test_where_a_line_loses_it_avoids_to_complete_one() -> None:
    assert casual_cells(read_position("XX. OO. ...", REVERSE)) == [5, 6, 7, 8]
    assert casual_cells(read_position("XX. OO. X..", REVERSE)) == [2, 7, 8]


def test_where_every_cell_loses_it_plays_anywhere() -> None:
    assert casual_cells(read_position("XXO OXX OO.", REVERSE)) == [8]


def test_where_marks_vanish_a_line_needs_the_marks_that_stay() -> None:
    going = play_all(VANISHING, [0, 3, 1, 8, 6, 5])  # X's mark on 0 goes with its next move
    staying = play_all(VANISHING, [6, 3, 1, 8, 0, 5])  # X's mark on 6 does

    assert winning_cells(going) == []
    assert winning_cells(staying) == [2]


def test_where_marks_vanish_only_a_threat_that_stays_is_blocked() -> None:
    harmless = play_all(VANISHING, [0, 3, 1, 8, 6])  # X will lose 0: 0 1 2 is no threat
    threat = play_all(VANISHING, [6, 3, 1, 8, 0])

    assert casual_cells(harmless) == [2, 4, 5, 7]
    assert casual_cells(threat) == [2]


def test_where_marks_fall_it_plays_only_where_they_come_to_rest() -> None:
    position = play_all(DROP, [35, 36, 28, 29, 21])

    assert casual_cells(position) == [14]  # O blocks the column


# ------------------------------------------------------------------------------------ ultimate


def nested(x: list[tuple[int, int]], o: list[tuple[int, int]], sent_to: int) -> Position:
    """Marks as (board, spot), and the board that X has to play."""
    bits = [sum(1 << place(*at) for at in marks) for marks in (x, o)]
    return Position(ULTIMATE, bits[0], bits[1], 40, (place(8, sent_to),))


def test_a_small_board_is_won_before_one_is_blocked() -> None:
    both = nested([(4, 0), (4, 1)], [(4, 3), (4, 4)], sent_to=4)
    other = nested([(4, 0), (4, 8)], [(4, 3), (4, 4)], sent_to=4)

    assert casual_cells(both) == [place(4, 2)]
    assert casual_cells(other) == [place(4, 5)]


def test_the_game_is_won_before_another_small_board() -> None:
    position = nested([(2, 0), (2, 1), (4, 0), (4, 1)], [], sent_to=0)
    owned = position._replace(x=position.x | 1 << 81 | 1 << 82)  # boards 0 and 1 are closed

    assert casual_cells(owned) == [place(2, 2)]
    assert casual_cells(owned._replace(ply=41)) == [place(2, 2)]  # O blocks just that
