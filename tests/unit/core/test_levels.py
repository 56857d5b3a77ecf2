"""Each level as a distribution, and its strength on 3x3: every game with its probability."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import islice

import pytest

from server.core.levels import Weights, casual, even, levels_of, mix, nodes_for, weights
from server.core.rules import (
    CLASSIC,
    DROP,
    FIVE,
    REVERSE,
    ULTIMATE,
    VANISHING,
    Cell,
    Mark,
    Position,
    Variant,
    cells,
    play_all,
    read_position,
)
from server.core.search import best_cells, judge
from server.core.verdicts import Verdict
from tests.support.positions import positions, random_positions

LEVELS = levels_of(CLASSIC)
GAMES = [CLASSIC, REVERSE, VANISHING, FIVE, DROP, ULTIMATE]
FEW = 300  # nodes

Chooser = Callable[[Position], Weights]
Results = tuple[Fraction, Fraction, Fraction]  # won, drawn, lost

OPPONENTS: dict[str, Chooser] = {
    "random": lambda position: even(cells(position.playable())),
    "casual": casual,
}

FIGURES = """\
level    against random          against casual
         won    drawn  lost      won    drawn  lost
gentle   43.7   12.7   43.7       3.7   16.5   79.8
easy     73.2   11.7   15.1      15.4   28.9   55.7
medium   79.8   16.5    3.7      24.3   51.5   24.3
hard     85.4   13.3    1.3      39.7   52.8    7.4
perfect  86.2   13.8    0.0      59.4   40.6    0.0
"""


def results(level: str, opponent: Chooser) -> Results:
    """The results of `level` against `opponent`, half of the games as X and half as O."""
    memory: dict[tuple[int, int, Mark], tuple[Fraction, Fraction]] = {}

    def won_and_lost(position: Position, side: Mark) -> tuple[Fraction, Fraction]:
        key = (position.x, position.o, side)
        if key not in memory:
            memory[key] = expected(position, side)
        return memory[key]

    def expected(position: Position, side: Mark) -> tuple[Fraction, Fraction]:
        outcome = position.outcome()
        if outcome is not None:
            return Fraction(outcome.winner is side), Fraction(outcome.loser is side)
        chosen = weights(position, level) if position.turn is side else opponent(position)
        won = lost = Fraction(0)
        for cell, share in chosen.items():
            wins, losses = won_and_lost(position.play(cell), side)
            won, lost = won + share * wins, lost + share * losses
        return won, lost

    as_x, as_o = (won_and_lost(Position(CLASSIC), side) for side in Mark)
    won, lost = (as_x[0] + as_o[0]) / 2, (as_x[1] + as_o[1]) / 2
    return won, 1 - won - lost, lost


def table() -> str:
    """Every level against both opponents, in per cent."""
    rows = FIGURES.splitlines()[:2]
    for level in LEVELS:
        sides = (results(level, opponent) for opponent in OPPONENTS.values())
        drawn = ("   ".join(f"{float(share * 100):4.1f}" for share in side) for side in sides)
        rows.append(f"{level:7}  {'      '.join(drawn)}")
    return "\n".join(rows) + "\n"


def test_the_levels_are_as_strong_as_the_table_says() -> None:
    assert table() == FIGURES


@pytest.mark.parametrize("opponent", OPPONENTS)
def test_perfect_loses_not_even_once_in_a_million_games(opponent: str) -> None:
    assert results("perfect", OPPONENTS[opponent])[2] == 0


@pytest.mark.parametrize("side", Mark)
def test_perfect_loses_to_no_line_of_play_at_all(side: Mark) -> None:
    seen: set[Position] = set()
    edge = [Position(CLASSIC)]
    while edge:
        position = edge.pop()
        outcome = position.outcome()
        assert outcome is None or outcome.winner is not side.other, f"lost:\n{position}"
        ours = position.turn is side
        chosen = weights(position, "perfect") if ours else cells(position.playable())
        following = {position.play(cell) for cell in chosen if outcome is None} - seen
        seen |= following
        edge += following
    assert len(seen) > 100


def test_every_level_gives_free_cells_shares_that_add_up_to_one() -> None:
    for position in positions():
        free = set(cells(position.playable()))
        for level in LEVELS:
            chosen = weights(position, level)
            assert chosen.keys() <= free
            assert sum(chosen.values()) == 1
            assert min(chosen.values()) >= 0


@pytest.mark.parametrize("level", LEVELS[1:])
def test_every_level_but_the_first_takes_an_immediate_win(level: str) -> None:
    assert weights(read_position("XX. OO. ..."), level) == {2: 1}


def test_gentle_plays_anywhere() -> None:
    assert weights(read_position("XX. OO. ..."), "gentle") == even([2, 5, 6, 7, 8])


def test_easy_misses_a_block_half_the_time_or_less() -> None:
    chosen = weights(read_position("XX. O.. ..."), "easy")

    assert chosen[2] == Fraction(1, 2) + Fraction(1, 2) * Fraction(1, 6)
    assert chosen[8] == Fraction(1, 12)


def test_medium_blocks_and_otherwise_plays_anywhere() -> None:
    assert weights(read_position("XX. O.. ..."), "medium") == {2: 1}
    assert weights(read_position("X.. ... ..."), "medium") == even(range(1, 9))


def test_hard_plays_casually_three_times_in_ten_and_else_exactly() -> None:
    position = read_position("X.. ... ...")  # only the centre draws

    chosen = weights(position, "hard")

    assert best_cells(position) == [4]
    assert chosen[4] == Fraction(7, 10) + Fraction(3, 10) * Fraction(1, 8)
    assert chosen[1] == Fraction(3, 10) * Fraction(1, 8)


def test_perfect_chooses_among_the_best_those_that_win_most_against_casual() -> None:
    for position in positions():
        verdicts, best = judge(position), best_cells(position)
        chosen = weights(position, "perfect")
        assert chosen.keys() <= set(best)
        assert {verdicts[cell] for cell in chosen} == {verdicts[best[0]]}
    assert weights(read_position("... ... ..."), "perfect") == even([0, 2, 6, 8])


@pytest.mark.parametrize("level", LEVELS)
def test_a_finished_game_leaves_nothing_to_play(level: str) -> None:
    assert weights(read_position("XXX OO. ..."), level) == {}


def test_a_level_that_does_not_exist_is_an_error_of_the_caller() -> None:
    with pytest.raises(ValueError, match="godlike"):
        weights(read_position("... ... ..."), "godlike")


# ------------------------------------------------------------------------------ the other games


def test_the_top_level_is_called_perfect_only_where_play_is_proven() -> None:
    assert {variant.name: levels_of(variant)[-1] for variant in GAMES} == {
        "3x3": "perfect",
        "reverse": "perfect",
        "vanishing": "perfect",
        "5x5": "perfect",
        "drop": "best",
        "ultimate": "best",
    }
    assert all(levels_of(v)[:-1] == ("gentle", "easy", "medium", "hard") for v in GAMES)
    with pytest.raises(ValueError, match="perfect"):
        weights(Position(DROP), "perfect")


@pytest.mark.parametrize("variant", GAMES, ids=str)
def test_every_level_of_every_game_plays_playable_cells(variant: Variant) -> None:
    for position in random_positions(variant, games=2):
        for level in levels_of(variant):
            chosen = weights(position, level, FEW)
            assert chosen.keys() <= set(cells(position.playable()))
            assert sum(chosen.values()) == 1


@pytest.mark.parametrize(
    ("variant", "lapses"),
    [(REVERSE, Fraction(3, 10)), (VANISHING, Fraction(1, 2)), (DROP, Fraction(1, 10))],
    ids=str,
)
def test_hard_plays_casually_as_often_as_its_game_says(variant: Variant, lapses: Fraction) -> None:
    for position in random_positions(variant, games=3):
        best = even(best_cells(position, nodes_for(variant, "hard", 10**9)))
        assert weights(position, "hard") == mix(lapses, casual(position), best)


def test_a_level_uses_no_more_nodes_than_it_needs() -> None:
    assert nodes_for(CLASSIC, "perfect", 120_000) == 0
    assert nodes_for(DROP, "medium", 120_000) == 0
    assert nodes_for(DROP, "hard", 500) == 500
    assert 0 < nodes_for(DROP, "hard", 120_000) < nodes_for(DROP, "best", 120_000) == 120_000


@pytest.mark.parametrize("variant", [REVERSE, VANISHING], ids=str)
def test_perfect_keeps_the_value_and_the_distance_of_a_table(variant: Variant) -> None:
    for position in random_positions(variant, games=20):
        chosen = weights(position, "perfect")
        assert chosen.keys() <= set(best_cells(position))


def test_perfect_wins_vanishing_as_x_against_every_reply() -> None:
    edge, longest = [Position(VANISHING)], 0
    while edge:
        position = edge.pop()
        outcome = position.outcome()
        if outcome is None:
            ours = position.turn is Mark.X
            replies = weights(position, "perfect") if ours else cells(position.playable())
            edge += [position.play(cell) for cell in replies]
        else:
            assert outcome.winner is Mark.X
            longest = max(longest, position.ply)
    assert longest == 13


def test_perfect_sets_a_trap_where_a_table_says_draw() -> None:
    """Both cells draw, but only one of them lets casual play go wrong."""
    trapped = 0
    for position in random_positions(VANISHING, games=100):
        best = best_cells(position)
        chosen = weights(position, "perfect")
        if judge(position)[best[0]].value == "draw" and len(chosen) < len(best):
            trapped += 1
    assert trapped > 5


@pytest.mark.parametrize("moves", [[], [6, 12], [6, 13, 17]])
def test_perfect_goes_on_with_its_lines_where_every_cell_draws(moves: list[Cell]) -> None:
    position = play_all(FIVE, moves)
    own, other = position.to_move
    verdicts = judge(position)
    lines = {
        cell: sum(
            4 ** ((own | 1 << cell) & line).bit_count() for line in FIVE.lines if not line & other
        )
        for cell in best_cells(position)
    }
    chosen = weights(position, "perfect")

    assert {verdicts[cell] for cell in lines} == {Verdict("draw", FIVE.size - position.ply)}
    assert 0 < len(chosen) < len(lines)
    assert {lines[cell] for cell in chosen} == {max(lines.values())}


def test_perfect_keeps_the_value_on_5x5_before_it_goes_on_with_its_lines() -> None:
    for position in random_positions(FIVE, games=2):
        assert weights(position, "perfect", FEW).keys() <= set(best_cells(position, FEW))


# ------------------------------------------------------------------ what a good player never misses

LINE_GAMES = [variant for variant in GAMES if not variant.avoid]


def find(variant: Variant, is_wanted: Callable[[Position], object]) -> Iterator[Position]:
    """Twenty such positions from random games."""
    return islice(filter(is_wanted, random_positions(variant, games=10**6)), 20)


def wins(position: Position) -> set[Cell]:
    """The cells that win on the spot, by the rules alone."""
    outcomes = {cell: position.play(cell).outcome() for cell in cells(position.playable())}
    return {cell for cell, end in outcomes.items() if end and end.winner is position.turn}


def blocks(position: Position) -> set[Cell]:
    """The cells after which the other side cannot win on the spot."""
    return {cell for cell in cells(position.playable()) if not wins(position.play(cell))}


def wins_in_three(position: Position) -> set[Cell]:
    """The cells after which a win on the spot meets every reply."""
    return {cell for cell in blocks(position) if is_lost_in_two(position.play(cell))}


def is_lost_in_two(position: Position) -> bool:
    replies = [position.play(cell) for cell in cells(position.playable())]
    return bool(replies) and all(not reply.outcome() and wins(reply) for reply in replies)


def is_threatened(position: Position) -> bool:
    """Whether the other side is about to win, and can be kept from it."""
    if wins(position) or not blocks(position):
        return False
    if position.variant.is_plain:  # where marks fall, a block is more than not to help a line
        return bool(wins(position._replace(ply=position.ply + 1)))
    return len(blocks(position)) < position.playable().bit_count()


@pytest.mark.parametrize("variant", LINE_GAMES, ids=str)
def test_the_two_highest_levels_win_on_the_spot(variant: Variant) -> None:
    for position in find(variant, wins):
        for level in levels_of(variant)[-2:]:
            assert weights(position, level, FEW).keys() <= wins(position), position


@pytest.mark.parametrize("variant", LINE_GAMES, ids=str)
def test_the_two_highest_levels_block(variant: Variant) -> None:
    for position in find(variant, is_threatened):
        for level in levels_of(variant)[-2:]:
            chosen = weights(position, level, FEW)
            blocked = sum(chosen.get(cell, 0) for cell in blocks(position))
            # A lapse in ultimate sees the board that it is on, not where it sends the other side.
            may_lapse = variant is ULTIMATE and level == "hard"
            assert blocked >= (Fraction(9, 10) if may_lapse else 1), position


@pytest.mark.parametrize("variant", LINE_GAMES, ids=str)
def test_the_top_level_wins_in_three(variant: Variant) -> None:
    for position in find(variant, lambda position: not wins(position) and wins_in_three(position)):
        chosen = weights(position, levels_of(variant)[-1], 10 * FEW)
        assert chosen.keys() <= wins_in_three(position), position
