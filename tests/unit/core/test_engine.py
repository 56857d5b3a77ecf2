"""The search on small trees, and on small boards with estimates that mean nothing."""

from __future__ import annotations

from random import Random

import pytest

from server.core.engine import (
    HOPE,
    INFINITE,
    PROVEN,
    WIN,
    Move,
    OutOfNodes,
    Search,
    is_proven,
    search,
)
from server.core.rules import CLASSIC, Cell, Position, Variant, cells, read_position
from server.core.verdicts import Verdict, rank_of
from tests.support.brute import late_position, solve, wrong_proofs

SMALL = Variant("4x3", rows=4, columns=3, line=3)


class Tree:
    """A face over a tree that is written down: for each state, its moves and their scores."""

    def __init__(self, moves: dict[str, list[tuple[int, str]]]) -> None:
        self._moves = moves

    def read(self, position: Position) -> str:
        return "root"

    def expand(self, state: str) -> list[Move[str]]:
        return [(score, cell, after) for cell, (score, after) in enumerate(self._moves[state])]


class Blind:
    """A face over any game, with a random estimate for each move."""

    def __init__(self, random: Random) -> None:
        self._random = random

    def read(self, position: Position) -> Position:
        return position

    def expand(self, state: Position) -> list[Move[Position]]:
        return [self._move(state, cell) for cell in cells(state.playable())]

    def _move(self, state: Position, cell: Cell) -> Move[Position]:
        after = state.play(cell)
        outcome = after.outcome_after(cell)
        if outcome is None:
            return self._random.choice([-50, -1, 1, 50]), cell, after
        return (0 if outcome.winner is None else WIN - after.ply), cell, after


def score(tree: dict[str, list[tuple[int, str]]], depth: int) -> int:
    return Search(Tree(tree), 1_000).score("root", depth, -INFINITE, INFINITE)


def test_a_draw_beside_a_move_that_only_looks_bad_is_not_called_a_draw() -> None:
    assert score({"root": [(0, ""), (-50, "bad")]}, depth=1) == HOPE
    assert score({"root": [(0, ""), (-50, "bad")], "bad": [(70, ""), (60, "")]}, depth=2) == HOPE


def test_a_draw_beside_a_proven_loss_is_a_draw() -> None:
    assert score({"root": [(0, ""), (5 - WIN, "")]}, depth=1) == 0
    lost = {"root": [(0, ""), (-50, "lost")], "lost": [(WIN - 5, ""), (1, "")]}
    assert score(lost, depth=2) == 0


def test_an_estimate_never_becomes_a_draw_on_its_way_up_forced_moves() -> None:
    tree = {
        "root": [(3, "forced")],
        "forced": [(4, "open")],
        "open": [(0, ""), (-9, "")],
    }

    assert score(tree, depth=1) == HOPE


def test_a_draw_that_was_enough_for_an_early_return_is_not_exact_later() -> None:
    # With 0 at or above beta the search returns before it has seen the better move.
    question = Search(Tree({"root": [(0, ""), (-20, "good")], "good": [(5 - WIN, "")]}), 1_000)

    assert question.score("root", 2, -10, 0) == 0
    assert question.score("root", 2, -INFINITE, INFINITE) == WIN - 5


def test_a_loss_is_proven_only_if_every_move_loses() -> None:
    assert score({"root": [(8 - WIN, ""), (6 - WIN, "")]}, depth=1) == 8 - WIN
    assert not is_proven(score({"root": [(8 - WIN, ""), (-400, "")]}, depth=1))


def test_with_free_forced_moves_the_first_win_found_need_not_be_the_fastest() -> None:
    long = {f"long{i}": [(9, f"long{i + 1}")] for i in range(1, 9)} | {"long9": [(10 - WIN, "")]}
    quiet = [(-2, "win"), (-3, "win")]
    tree = {"root": [(9, "long1"), (1, "quiet")], "quiet": quiet, "win": [(WIN - 4, "")]} | long
    question = Search(Tree(tree), 1_000)

    assert question.score("root", 2, -INFINITE, INFINITE) == WIN - 10
    assert question.score("root", 3, -INFINITE, INFINITE) == WIN - 4


def test_a_win_has_a_length_only_once_no_shorter_one_can_be_left() -> None:
    position = read_position("XOX XXO O..")  # ply 7; the last two cells lead into the tree
    long = {f"long{i}": [(9, f"long{i + 1}")] for i in range(10, 22)} | {"long22": [(24 - WIN, "")]}
    tree = {
        "root": [(-5, "fork")],
        "fork": [(5, "long10"), (1, "quiet")],
        "quiet": [(-2, "win"), (-3, "win")],
        "win": [(WIN - 12, "")],
    } | long
    found = {search(Tree(tree), position, nodes)[7] for nodes in range(80)}

    assert {verdict[:2] for verdict in found} == {("unknown", None), ("win", None), ("win", 5)}


def test_a_search_out_of_nodes_stops() -> None:
    question = Search(Blind(Random(1)), 100)

    with pytest.raises(OutOfNodes):
        question.score(Position(SMALL), 8, -INFINITE, INFINITE)


def test_a_finished_game_has_no_verdicts() -> None:
    assert search(Blind(Random(1)), read_position("XXX OO. ..."), 100) == {}


def test_every_playable_cell_has_a_verdict_even_without_nodes() -> None:
    verdicts = search(Blind(Random(1)), read_position("XX. OO. ..."), nodes=0)

    assert list(verdicts) == [2, 5, 6, 7, 8]
    assert verdicts.pop(2) == Verdict("win", 1)
    assert {verdict.value for verdict in verdicts.values()} == {"unknown"}


def test_with_enough_nodes_everything_is_proven_and_every_distance_is_right() -> None:
    for seed in range(30):
        position = late_position(CLASSIC, Random(seed), most=7)
        verdicts = search(Blind(Random(seed)), position, 100_000)

        assert not any(verdict.value == "unknown" for verdict in verdicts.values())
        assert not any(v.plies is None for v in verdicts.values() if v.value != "draw")
        assert wrong_proofs(verdicts, solve(position)) == []


@pytest.mark.parametrize("nodes", [50, 200, 1_000, 5_000])
def test_nothing_unproven_is_called_proven_at_any_limit(nodes: int) -> None:
    for seed in range(40):
        position = late_position(SMALL, Random(seed), most=9)
        verdicts = search(Blind(Random(seed)), position, nodes)

        assert wrong_proofs(verdicts, solve(position)) == [], str(position)


def test_estimates_are_between_minus_and_plus_a_hundred() -> None:
    verdicts = search(Blind(Random(2)), Position(Variant("5x5 of five", 5, 5, 5)), 2_000)
    estimates = sorted(verdict.estimate for verdict in verdicts.values())

    assert len(verdicts) == 25
    assert -100 <= estimates[0] <= estimates[-1] <= 100


def test_the_best_of_unknown_moves_is_not_estimated_like_a_draw() -> None:
    for seed in range(20):
        verdicts = search(Blind(Random(seed)), Position(SMALL), 300)
        best = max(verdicts.values(), key=rank_of)

        assert best.value == "unknown"
        assert best.estimate != 0


def test_the_same_question_has_the_same_answer() -> None:
    first, second = (search(Blind(Random(7)), Position(SMALL), 3_000) for _ in range(2))

    assert first == second


@pytest.mark.parametrize("score", [0, WIN - 30, 30 - WIN, PROVEN])
def test_draws_wins_and_losses_are_proven(score: int) -> None:
    assert is_proven(score)
