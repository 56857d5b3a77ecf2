"""The rules, against drawn boards and against a slow and obvious second implementation."""

from __future__ import annotations

import pickle
from itertools import count
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.core.rules import (
    BOARD_OF,
    CLASSIC,
    DROP,
    FIVE,
    REVERSE,
    SPOT_OF,
    ULTIMATE,
    VANISHING,
    Ending,
    Mark,
    Outcome,
    Position,
    Variant,
    cells,
    place,
    play_all,
    read_position,
)
from tests.support.plain_rules import PlainGame

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
        assert sorted(cells(position.playable())) == sorted(order[ply:])
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


# ------------------------------------------------------------------------------- the other games

GAMES = (CLASSIC, REVERSE, VANISHING, FIVE, DROP, ULTIMATE)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("variant", GAMES, ids=lambda variant: str(variant.name))
def test_every_game_agrees_with_the_plain_rules(variant: Variant, seed: int) -> None:
    position, plain, dice = Position(variant), PlainGame(variant.name), Random(seed)
    while True:
        outcome = position.outcome()
        assert (outcome and (_name(outcome.winner), outcome.by.value)) == plain.result()
        assert str(position) == plain.drawing()
        assert position.turn.name == plain.turn
        assert position.ply == len(plain.moves)
        assert position == play_all(variant, plain.moves)
        if plain.moves:
            assert position.outcome_after(plain.moves[-1]) == outcome
        if outcome is not None:
            _check_ending(position, outcome)
            return
        assert position.ply < variant.shortest or variant.shortest <= variant.size
        legal = plain.legal()
        assert list(cells(position.playable())) == legal
        assert all(position.is_free(cell) for cell in legal)
        cell = dice.choice(legal)
        fading = position.fading
        position = position.play(cell)
        plain.play(cell)
        assert fading is None or position.is_free(fading)
        if variant.nested:
            owners = [_name(position.owner(board)) for board in range(9)]
            assert owners == [owner.strip("draw") for owner in plain.owners]
            assert [position.is_open(board) for board in range(9)] == [
                not owner for owner in plain.owners
            ]


def _name(mark: Mark | None) -> str:
    return "" if mark is None else mark.name


def _check_ending(position: Position, outcome: Outcome) -> None:
    variant = position.variant
    assert position.ply >= variant.shortest
    if outcome.by is not Ending.LINE:
        assert outcome == Outcome(None, outcome.by)
        return
    assert outcome.winner is not None
    assert outcome.line is not None
    assert list(outcome.line) == sorted(outcome.line)
    if variant.nested:
        assert outcome.boards is not None
        assert {position.owner(board) for board in outcome.boards} == {outcome.winner}
        assert set(outcome.line) == {place(b, spot) for b in outcome.boards for spot in range(9)}
        return
    maker = outcome.winner.other if variant.avoid else outcome.winner
    assert {position.at(cell) for cell in outcome.line} == {maker}
    assert len(outcome.line) == variant.line


def test_whoever_completes_a_line_in_reverse_loses() -> None:
    position = play_all(REVERSE, (0, 3, 1, 4, 2))

    assert position.outcome() == Outcome(Mark.O, Ending.LINE, (0, 1, 2))


def test_the_fourth_mark_lets_the_oldest_vanish() -> None:
    position = play_all(VANISHING, (0, 1, 4, 8, 5, 3))
    assert position.fading == 0
    assert not position.is_free(0)  # until the move is made

    position = position.play(2)

    assert str(position) == ".OX\nOXX\n..O"
    assert position.fading == 1
    assert position.outcome() is None


def test_a_line_with_the_mark_that_vanishes_is_none() -> None:
    position = play_all(VANISHING, (0, 3, 1, 8, 5, 7)).play(2)  # 0 1 2 would be X's row

    assert position.at(0) is None
    assert position.outcome() is None


def test_vanishing_is_drawn_after_a_hundred_moves() -> None:
    ended = next(game for seed in count() if (game := quiet_game(Random(seed))).ply == 100)

    assert ended.outcome() == Outcome(None, Ending.LIMIT)


def quiet_game(dice: Random) -> Position:
    """A game of vanishing marks in which both avoid a line as long as they can."""
    position = Position(VANISHING)
    while position.outcome() is None:
        after = [position.play(cell) for cell in cells(position.playable())]
        quiet = [one for one in after if one.ply == 100 or one.outcome() is None]
        position = dice.choice(quiet or after)
    return position


def test_a_mark_falls_on_the_lowest_empty_cell_of_its_column() -> None:
    position = Position(DROP)
    assert list(cells(position.playable())) == [35, 36, 37, 38, 39, 40, 41]

    position = play_all(DROP, (38, 31, 24, 17, 10, 3))

    assert list(cells(position.playable())) == [35, 36, 37, 39, 40, 41]


def test_a_move_sends_the_other_side_to_the_board_of_its_place() -> None:
    position = Position(ULTIMATE)
    assert position.playable() == ULTIMATE.full

    position = position.play(place(4, 8))

    assert list(cells(position.playable())) == sorted(place(8, spot) for spot in range(9))


def test_whoever_is_sent_to_a_closed_board_may_play_on_any_open_one() -> None:
    spots = ((0, 0), (0, 3), (3, 0), (0, 4), (4, 0), (0, 5), (5, 0))  # O takes 3, 4, 5 of board 0
    position = play_all(ULTIMATE, [place(*spot) for spot in spots])

    assert position.owner(0) is Mark.O
    assert not position.is_open(0)
    assert {BOARD_OF[cell] for cell in cells(position.playable())} == set(range(1, 9))


def test_every_cell_of_nested_boards_has_its_board_and_its_spot() -> None:
    assert [place(BOARD_OF[cell], SPOT_OF[cell]) for cell in range(81)] == list(range(81))
    assert (BOARD_OF[40], SPOT_OF[40]) == (4, 4)
    assert (BOARD_OF[8], SPOT_OF[8]) == (2, 2)


def test_variants_are_compared_by_identity_and_survive_pickling() -> None:
    for variant in (*GAMES, FOUR_BY_FIVE):
        assert pickle.loads(pickle.dumps(variant)) is variant
    assert Variant("3x3", 3, 3, 3) is CLASSIC
    assert Variant("3x3", 3, 3, 3, avoid=True) is not CLASSIC
    assert DROP.fields == {"name": "drop", "rows": 6, "columns": 7, "line": 4, "falls": True}
    assert VANISHING.fields.keys() - CLASSIC.fields.keys() == {"keep", "limit"}


def test_marks_alone_do_not_tell_a_position_where_more_matters() -> None:
    with pytest.raises(ValueError, match="not a vanishing board"):
        read_position("... ... ...", VANISHING)
