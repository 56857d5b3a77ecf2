"""The strength of each level, computed exactly: every game with its probability.

`python -m tests.unit.core.test_levels` prints the table that docs/ shows.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest

from server.core.levels import LEVELS, NODES_PER_CHANCE, Weights, casual, even, weights
from server.core.rules import CLASSIC, Mark, Outcome, Position, Variant, cells, read_position
from server.core.search import best_cells, judge
from tests.support.positions import positions

Chooser = Callable[[Position], Weights]
Results = tuple[Fraction, Fraction, Fraction]  # won, drawn, lost

OPPONENTS: dict[str, Chooser] = {
    "random": lambda position: even(cells(position.playable())),
    "casual": casual,
}

FIGURES = """\
level    against random          against casual
         won    drawn  lost      won    drawn  lost
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


@pytest.mark.parametrize("level", LEVELS)
def test_every_level_takes_an_immediate_win(level: str) -> None:
    assert weights(read_position("XX. OO. ..."), level) == {2: 1}


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


@pytest.mark.parametrize("limit", [100, 16_000, 20_000])
def test_perfect_stops_choosing_at_the_limit_and_plays_any_of_the_best(
    limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    variant = Variant(f"4x4 within {limit}", rows=4, columns=4, line=4)  # nothing is cached for it
    position = read_position("XOX. OX.. X... O...", variant)
    look, visited = Position.outcome, list[Position]()

    def count(position: Position) -> Outcome | None:
        visited.append(position)
        return look(position)

    monkeypatch.setattr(Position, "outcome", count)

    assert weights(position, "perfect", limit) == even(
        cells(position.playable())
    )  # all of them draw
    assert len(visited) <= limit / NODES_PER_CHANCE


def test_perfect_chooses_among_the_best_on_a_larger_board_too() -> None:
    position = read_position("XOX. OX.. X... O...", Variant("4x4", rows=4, columns=4, line=4))

    assert weights(position, "perfect") == even([7, 11])


@pytest.mark.parametrize("level", LEVELS)
def test_a_finished_game_leaves_nothing_to_play(level: str) -> None:
    assert weights(read_position("XXX OO. ..."), level) == {}


def test_a_level_that_does_not_exist_is_an_error_of_the_caller() -> None:
    with pytest.raises(ValueError, match="godlike"):
        weights(read_position("... ... ..."), "godlike")


if __name__ == "__main__":
    print(table(), end="")
