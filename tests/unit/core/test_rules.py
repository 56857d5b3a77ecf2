"""The rules, against drawn boards and against a slow and obvious second implementation."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.core.rules import (
    CLASSIC,
    Ending,
    Mark,
    Outcome,
    Position,
    Variant,
    cells,
    read_position,
)

FOUR_BY_FIVE = Variant("4x5", rows=4, columns=5, line=4)
WAYS = ((0, 1), (1, 0), (1, 1), (1, -1))

variants = st.builds(
    lambda rows, columns, line: Variant(f"{rows}x{columns}x{line}", rows, columns, line),
    st.integers(1, 5),
    st.integers(1, 5),
    st.integers(1, 5),
)


def has_line(drawing: str, mark: str, variant: Variant) -> bool:
    """Slow and obvious: walk from every cell in every direction."""
    rows = drawing.split("\n")
    for row in range(variant.rows):
        for column in range(variant.columns):
            for down, right in WAYS:
                walk = [(row + down * i, column + right * i) for i in range(variant.line)]
                if all(
                    0 <= r < variant.rows and 0 <= c < variant.columns and rows[r][c] == mark
                    for r, c in walk
                ):
                    return True
    return False


@pytest.mark.parametrize(
    ("drawing", "outcome"),
    [
        ("XXX OO. ...", Outcome(Mark.X, Ending.LINE, (0, 1, 2))),
        ("OX. OX. .XO", Outcome(Mark.X, Ending.LINE, (1, 4, 7))),
        ("X.O .O. OXX", Outcome(Mark.O, Ending.LINE, (2, 4, 6))),
        ("XO. OX. ..X", Outcome(Mark.X, Ending.LINE, (0, 4, 8))),
        ("XOX XOO OXX", Outcome(None, Ending.FULL)),
        ("XXO OXX XOO", Outcome(None, Ending.FULL)),
        ("XOX XOO OX.", None),
        ("... ... ...", None),
    ],
)
def test_a_game_ends_with_a_line_or_a_full_board(drawing: str, outcome: Outcome | None) -> None:
    assert read_position(drawing).outcome() == outcome


def test_a_line_on_the_last_free_cell_is_a_win_and_not_a_draw() -> None:
    assert read_position("XOX OXO OXX").outcome() == Outcome(Mark.X, Ending.LINE, (0, 4, 8))


def test_the_loser_is_the_other_one_and_a_draw_has_none() -> None:
    assert Outcome(Mark.O, Ending.LINE).loser is Mark.X
    assert Outcome(None, Ending.FULL).loser is None


def test_the_classic_board_has_eight_lines_and_other_boards_their_own() -> None:
    assert len(CLASSIC.lines) == len(set(CLASSIC.lines)) == 8
    assert len(FOUR_BY_FIVE.lines) == 4 * 2 + 5 + 2 * 2
    assert Variant("3x3", 3, 3, 4).lines == ()


def test_a_line_does_not_run_over_the_edge_of_the_board() -> None:
    position = read_position("...XX XX... OO.OO .....", FOUR_BY_FIVE)

    assert position.outcome() is None


def test_four_in_a_row_win_on_a_board_of_four_by_five() -> None:
    position = read_position("O...X OO.X. ..X.. .X...", FOUR_BY_FIVE)

    assert position.outcome() == Outcome(Mark.X, Ending.LINE, (4, 8, 12, 16))


def test_x_begins_and_the_two_take_turns() -> None:
    empty = read_position("... ... ...")

    assert empty.turn is Mark.X
    assert empty.play(4).turn is Mark.O
    assert empty.play(4).play(0) == read_position("O.. .X. ...")
    assert empty.play(4).play(0).ply == 2


def test_the_side_to_move_comes_first() -> None:
    assert read_position("X.. ... ...").to_move == (0, 1)
    assert read_position("XO. ... ...").to_move == (1, 2)


def test_completing_names_the_cells_that_make_a_line() -> None:
    position = read_position("XX. OO. X..")

    assert position.completing(position.x) == [2]
    assert position.completing(position.o) == [5]


@pytest.mark.parametrize("drawing", ["", "XO.", "XOX OXO OX? ", "X" * 10, "xo. ... ..."])
def test_text_that_is_no_board_is_an_error(drawing: str) -> None:
    with pytest.raises(ValueError, match="board"):
        read_position(drawing)


@settings(deadline=None)
@given(st.integers(0, 2**40))
def test_the_cells_of_a_bit_set_come_in_order(bits: int) -> None:
    found = list(cells(bits))

    assert found == sorted(found)
    assert sum(1 << cell for cell in found) == bits


@settings(deadline=None)
@given(variants, st.randoms(use_true_random=False))
def test_every_game_on_every_board_agrees_with_the_slow_rules(
    variant: Variant, dice: Random
) -> None:
    position, order = Position(variant), list(range(variant.size))
    dice.shuffle(order)
    for ply, cell in enumerate(order):
        assert sorted(position.free()) == sorted(order[ply:])
        for mark, own in ((Mark.X, position.x), (Mark.O, position.o)):
            slow = [
                c
                for c in order[ply:]
                if has_line(drawn_with(position, c, mark), mark.name, variant)
            ]
            assert position.completing(own) == sorted(slow)
        mover = position.turn
        assert mover is Mark(ply % 2)
        position = position.play(cell)
        assert position.at(cell) is mover
        assert read_position(str(position), variant) == position
        outcome = position.outcome()
        if has_line(str(position), mover.name, variant):
            assert outcome is not None
            assert (outcome.winner, outcome.by) == (mover, Ending.LINE)
            assert outcome.line is not None
            assert len(outcome.line) == variant.line
            assert {position.at(won) for won in outcome.line} == {mover}
            return
        assert outcome == (Outcome(None, Ending.FULL) if ply + 1 == variant.size else None)


def drawn_with(position: Position, cell: int, mark: Mark) -> str:
    bit = 1 << cell
    x, o = (bit, 0) if mark is Mark.X else (0, bit)
    return str(Position(position.variant, position.x | x, position.o | o))
