"""Nested boards: the tables of small boards, moves against the rules, proofs against minimax."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from random import Random

import pytest

from server.core.engine import PROVEN, is_proven
from server.core.nested import (
    ANY,
    CELL_AT,
    CODES,
    DRAWN,
    POWERS,
    SURE,
    WON,
    Nested,
    find_hopes,
    judge,
    small_boards,
)
from server.core.rules import CLASSIC, ULTIMATE, Cell, Position, cells, play_all
from server.core.verdicts import Verdict
from tests.support.brute import (
    late_position,
    random_positions,
    rank,
    solve,
    winning_cells,
    wrong_proofs,
)

FULL = 120_000


def sample(seed: int = 1, games: int = 12) -> Iterator[Position]:
    """Positions of random play, without those at the beginning."""
    return (position for position in random_positions(ULTIMATE, seed, games) if position.ply > 20)


def best_cell(position: Position, nodes: int) -> Cell:
    verdicts = judge(position, nodes)
    return max(verdicts, key=lambda cell: rank_any(verdicts[cell]))


def rank_any(verdict: Verdict) -> float:
    return verdict.estimate / 1_000 if verdict.value == "unknown" else rank(verdict)


def code(drawing: str) -> int:
    return sum(".XO".index(mark) * POWERS[spot] for spot, mark in enumerate(drawing))


def test_the_chances_on_an_empty_board_are_equal() -> None:
    x, o = small_boards().chances

    assert 0 < x[0] == o[0] <= SURE // 2


def test_a_chance_is_zero_only_if_the_board_cannot_be_taken() -> None:
    moves, chances, _ = small_boards()
    open_codes = [code for code in range(CODES) if moves[0][code]]
    assert len(open_codes) > 10_000

    for code in open_codes:
        digits = [code // power % 3 for power in POWERS]
        for side in (0, 1):
            lost = sum(1 << spot for spot in range(9) if digits[spot] == 2 - side)
            assert (chances[side][code] > 0) == any(not line & lost for line in CLASSIC.lines)


def test_only_a_board_that_is_taken_is_sure() -> None:
    for chances in small_boards().chances:
        assert max(chances[:CODES]) < SURE
    assert [chances[WON[0]] for chances in small_boards().chances] == [SURE, 0]
    assert [chances[DRAWN] for chances in small_boards().chances] == [0, 0]


def test_a_board_with_more_own_marks_is_more_likely_taken() -> None:
    chances = small_boards().chances[0]

    assert chances[code("XX.......")] > chances[code("X........")] > chances[0]
    assert chances[0] > chances[code("O........")]


def test_hopes_are_the_products_over_the_eight_great_lines() -> None:
    assert find_hopes([1] * 9) == 8
    assert find_hopes([2, 3, 5, 0, 0, 0, 0, 0, 0]) == 30
    assert find_hopes([2, 0, 0, 0, 3, 0, 0, 0, 5]) == 30


def test_a_state_that_is_reached_by_moves_is_the_one_read_from_the_rules() -> None:
    face = Nested()
    for position in sample():
        for score, cell, after in face.expand(face.read(position)):
            if not is_proven(score):
                assert after == face.read(position.play(cell)), (position, cell)


def test_exactly_the_moves_that_do_not_lose_at_once_are_tried() -> None:
    face, fatal = Nested(), 0
    for position in sample(games=40):
        playable = set(cells(position.playable()))
        moves = face.expand(face.read(position))
        safe = {cell for cell in playable if not loses_at_once(position, cell)}
        if winning_cells(position, 1):
            assert moves[0][0] > PROVEN
        elif safe:
            fatal += safe != playable
            assert {cell for _, cell, _ in moves} == safe, str(position)
        else:
            assert moves[0][0] < -PROVEN
    assert fatal > 50


def loses_at_once(position: Position, cell: Cell) -> bool:
    after = position.play(cell)
    return after.outcome_after(cell) is None and bool(winning_cells(after, 1))


def test_the_game_is_drawn_once_neither_side_can_win() -> None:
    drawn = 0
    for seed in range(60):
        position = late_position(ULTIMATE, Random(seed), most=7)
        face = Nested()
        if face.read(position)[-2:] == (0, 0):
            drawn += 1
            assert {v.value for v in solve(position).values()} == {"draw"}
            assert {v.value for v in judge(position, 100).values()} == {"draw"}
    assert drawn > 2


def test_after_a_move_into_a_closed_board_the_choice_is_free() -> None:
    face = Nested()
    positions = [p for p in sample() if not p.is_open(p.last[0] % 9 % 3 + p.last[0] // 9 % 3 * 3)]

    assert positions
    assert {face.read(position)[9] for position in positions} == {ANY}


def test_a_free_choice_counts_for_the_side_that_has_it() -> None:
    codes = (0, 0, 0, 0, DRAWN, 0, 0, 0, 0)
    hopes = (find_hopes([chances[code] for code in codes]) for chances in small_boards().chances)
    moves = Nested().expand((*codes, 0, 10, *hopes))

    worst = min(moves)
    assert worst[1] == CELL_AT[0][4], "the best spot of an empty board, if it sent nobody anywhere"


def test_a_win_on_the_spot_is_always_taken() -> None:
    positions = [position for position in sample(games=30) if winning_cells(position, 1)]
    assert len(positions) > 20

    for position in positions:
        assert judge(position, 500)[best_cell(position, 500)] == Verdict("win", 1)


def test_a_loss_on_the_spot_is_always_avoided() -> None:
    avoided = 0
    for position in sample(games=30):
        playable = set(cells(position.playable()))
        safe = {cell for cell in playable if not loses_at_once(position, cell)}
        if safe and safe != playable:
            avoided += 1
            assert best_cell(position, 500) in safe, str(position)
    assert avoided > 20


@pytest.mark.parametrize("nodes", [2_000, FULL])
def test_a_win_in_three_is_always_found(nodes: int) -> None:
    positions = [p for p in sample(games=25) if winning_cells(p, 3) and not winning_cells(p, 1)]
    assert len(positions) > 10

    for position in positions if nodes < FULL else positions[::4]:
        verdicts = judge(position, nodes)
        assert verdicts[best_cell(position, nodes)] == Verdict("win", 3), str(position)


@pytest.mark.parametrize("nodes", [100, 1_000, 10_000])
def test_late_positions_have_no_false_proof(nodes: int) -> None:
    for position, exact in late_positions():
        assert wrong_proofs(judge(position, nodes), exact) == [], str(position)


def test_late_positions_are_proven_at_full_budget() -> None:
    for position, exact in late_positions():
        found = judge(position, FULL)

        assert {c: v.value for c, v in found.items()} == {c: v.value for c, v in exact.items()}


@cache
def late_positions() -> list[tuple[Position, dict[Cell, Verdict]]]:
    """Late positions with the exact verdicts of their cells."""
    positions = [late_position(ULTIMATE, Random(seed), most=9) for seed in range(40)]
    return [(position, solve(position)) for position in positions]


def test_the_search_plays_on_the_first_free_choice() -> None:
    verdicts = judge(play_all(ULTIMATE, []), 2_000)

    assert list(verdicts) == list(range(81))
    assert {verdict.value for verdict in verdicts.values()} == {"unknown"}


def test_moves_are_told_apart_also_when_one_side_is_far_ahead() -> None:
    moves = [31, 22, 58, 3, 11, 53, 79, 59, 7, 13, 49, 68, 34, 4, 40, 77]
    moves += [61, 70, 9, 47, 60, 10, 2, 24, 65, 35, 17, 44, 20, 62, 15]
    verdicts = judge(play_all(ULTIMATE, moves), nodes=20_000)

    assert {verdict.value for verdict in verdicts.values()} == {"unknown"}
    assert len({verdict.estimate for verdict in verdicts.values()}) > 1
