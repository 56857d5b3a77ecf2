"""Proofs on 5×5: what one question answers, and what it costs."""

from __future__ import annotations

from random import Random

import pytest

from server.core.five_proofs import LONGEST, Prover
from server.core.rules import FIVE, Position, read_position
from tests.support.fives import best, plain_verdicts, played

# Draws by an alpha-beta search without the bound, in another language. In each, a side is saved
# only by replies that look like much less than the best: of little weight, or late in the order.
NARROW = [
    "O..X. ..... .X... OO... XX...",
    "..... .O.XX .X..O .OX.X O....",
    ".XO.O X.X.. ...O. X...X ...O.",
    ".X..O ...OX .X..O ..... XO..X",
    "OXX.. .X... ..... XO.XO ...O.",
    ".O.X. .OO.X .X.O. XX..X .O...",
    "..O.. XX..O ..... ..... ..X..",
]


def ask(position: Position, moves: int = LONGEST, nodes: int = 10_000) -> tuple[object, object]:
    """Whether the side to move can win within so many moves of its own, and whether the other."""
    own, other = position.to_move
    prover = Prover(nodes)
    return (
        prover.can_win(own, other, moves, is_next=True),
        prover.can_win(other, own, moves, is_next=False),
    )


def test_a_line_that_lacks_one_mark_wins_in_one_move_and_costs_nothing() -> None:
    threat = read_position("XXX.. OOO.. ..... ..... .....", FIVE)

    assert ask(threat, moves=1, nodes=0) == (True, False)


def test_two_threats_win_and_one_is_blocked() -> None:
    assert ask(read_position("..... .XXX. O..O. .O... O....", FIVE), nodes=0)[0] is True
    two = read_position("O.... .XXX. ..... ..O.. .....", FIVE)
    one = read_position("O.... OXXX. ..... ..... .....", FIVE)

    assert ask(two, nodes=0)[1] is True
    assert ask(one, moves=1, nodes=0)[1] is False


def test_no_moves_win_nothing() -> None:
    assert ask(read_position("XXX.. OOO.. ..... ..... .....", FIVE), moves=0) == (False, False)


@pytest.mark.parametrize("marks", range(18, 23))
def test_a_win_needs_exactly_as_many_moves_as_minimax_says(marks: int) -> None:
    dice = Random(marks)
    for _ in range(20):
        position = played(dice, marks)
        verdict = best(plain_verdicts(position).values())
        needed = (verdict.plies or 0) + 1 >> 1
        for moves in range(LONGEST):
            wins = verdict.value == "win" and needed <= moves
            loses = verdict.value == "loss" and needed <= moves
            assert ask(position, moves) == (wins, loses), f"{position}\n{moves}"


@pytest.mark.parametrize("drawing", NARROW)
def test_a_defender_finds_the_reply_that_looks_weak(drawing: str) -> None:
    assert ask(read_position(drawing, FIVE)) == (False, False)


def test_a_question_takes_no_more_nodes_than_it_may() -> None:
    position = read_position("..... .X... ..O.. ..... .....", FIVE)
    own, other = position.to_move
    prover = Prover(1_000)

    assert prover.can_win(own, other, LONGEST, is_next=True, nodes=100) is None
    assert prover.left == 900
    assert prover.can_win(own, other, LONGEST, is_next=True) is None
    assert prover.left == 0


def test_the_answer_depends_on_whose_turn_it_is() -> None:
    fork = read_position("O.... .XX.. ..... .X..O ....O", FIVE)
    prover = Prover(10_000)

    assert prover.can_win(fork.x, fork.o, 2, is_next=True) is True
    assert prover.can_win(fork.x, fork.o, 2, is_next=False) is False


def test_answers_are_kept() -> None:
    position = played(Random(1), 10)
    own, other = position.to_move
    prover = Prover(50_000)

    first = prover.can_win(own, other, LONGEST, is_next=True)
    left = prover.left

    assert first is not None
    assert left < 50_000
    assert prover.can_win(own, other, LONGEST, is_next=True) is first
    assert prover.left == left
