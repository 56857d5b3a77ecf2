"""Four in a row under gravity: bit tricks against the rules, and proofs against minimax."""

from __future__ import annotations

from random import Random

import pytest

from server.core.engine import is_proven
from server.core.falling import CELL_OF, Falling, find_wins, judge
from server.core.rules import DROP, Cell, Position, cells, play_all
from server.core.verdicts import Verdict, best_of
from tests.support.brute import (
    late_position,
    random_positions,
    rank,
    solve,
    winning_cells,
    wrong_proofs,
)

FULL = 120_000


def sample(seed: int = 1, games: int = 40) -> list[Position]:
    return list(random_positions(DROP, seed, games))


def best_cell(position: Position, nodes: int) -> Cell:
    verdicts = judge(position, nodes)
    return max(verdicts, key=lambda cell: rank_any(verdicts[cell]))


def rank_any(verdict: Verdict) -> float:
    return verdict.estimate / 1_000 if verdict.value == "unknown" else rank(verdict)


def test_the_winning_cells_are_those_of_the_rules() -> None:
    for position in sample():
        own, _ = position.to_move
        lines = DROP.lines_through
        expected = {
            cell
            for cell in range(42)
            if position.is_free(cell)
            and any((own | 1 << cell) & line == line for line in lines[cell])
        }
        stones, other = Falling().read(position)
        found = find_wins(stones) & ~(stones | other)

        assert {CELL_OF[1 << bit] for bit in cells(found)} == expected, str(position)


def test_exactly_the_moves_that_do_not_lose_at_once_are_tried() -> None:
    """This fails if a threat above the board is shifted onto its top row."""
    checked = 0
    for position in sample(games=150):
        face = Falling()
        moves = face.expand(face.read(position))
        if not any(is_proven(score) for score, _, _ in moves):
            safe = {c for c in cells(position.playable()) if not winning_cells(position.play(c), 1)}
            checked += 1

            assert {cell for _, cell, _ in moves} == safe, str(position)
    assert checked > 1_000


def test_a_win_on_the_spot_is_always_taken() -> None:
    positions = [p for p in sample() if winning_cells(p, 1)]
    assert len(positions) > 20

    for position in positions:
        assert judge(position, 500)[best_cell(position, 500)] == Verdict("win", 1)


def test_a_win_on_the_spot_is_always_blocked() -> None:
    blocked = 0
    for position in sample():
        threats = winning_cells(turned(position), 1)
        if len(threats) != 1 or winning_cells(position, 1):
            continue
        if not winning_cells(position.play(min(threats)), 1):
            blocked += 1
            assert best_cell(position, 500) in threats, str(position)
    assert blocked > 20


def turned(position: Position) -> Position:
    """The same board with the other side to move."""
    return position._replace(ply=position.ply + 1)


@pytest.mark.parametrize("nodes", [2_000, FULL])
def test_a_win_in_three_is_always_found(nodes: int) -> None:
    positions = [p for p in sample() if winning_cells(p, 3) and not winning_cells(p, 1)]
    assert len(positions) > 20

    for position in positions if nodes < FULL else positions[::8]:
        verdicts = judge(position, nodes)
        assert verdicts[best_cell(position, nodes)] == Verdict("win", 3), str(position)


@pytest.mark.parametrize("nodes", [100, 1_000, 10_000])
def test_late_positions_have_no_false_proof(nodes: int) -> None:
    for seed in range(60):
        position = late_position(DROP, Random(seed), most=12)

        assert wrong_proofs(judge(position, nodes), solve(position)) == [], str(position)


def test_late_positions_are_proven_at_full_budget() -> None:
    for seed in range(15):
        position = late_position(DROP, Random(seed), most=14)
        verdicts, exact = judge(position, FULL), solve(position)

        assert {cell: verdict[:2] for cell, verdict in verdicts.items()} == {
            cell: verdict[:2] for cell, verdict in exact.items()
        }


def test_a_draw_lasts_until_the_board_is_full() -> None:
    position = late_position(DROP, Random(3), most=6)
    draws = [v for v in judge(position, FULL).values() if v.value == "draw"]

    assert {verdict.plies for verdict in draws} <= {42 - position.ply}


def test_the_first_move_belongs_in_the_middle() -> None:
    assert best_cell(play_all(DROP, []), 20_000) == 38


def test_a_move_that_is_only_known_to_be_no_better_is_not_one_of_the_best() -> None:
    moves = [38, 37, 39, 40, 32, 31, 25, 18, 24, 17, 35, 11, 28, 10, 4]
    verdicts = judge(play_all(DROP, moves), nodes=20_000)

    assert {verdict.value for verdict in verdicts.values()} == {"unknown"}
    assert len(best_of(verdicts)) == 1
