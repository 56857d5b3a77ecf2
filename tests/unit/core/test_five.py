"""The 5×5 game: every verdict against minimax, and nothing said that is not proven."""

from __future__ import annotations

from random import Random
from statistics import mean

import pytest

from server.core.five import SYMMETRIES, judge, solve
from server.core.rules import FIVE, Position, from_marks, read_position
from server.core.verdicts import Verdict
from tests.support.fives import FULL_BUDGET, TURNED, best, plain_verdicts, played

# The values of positions with four to six marks for the side to move, by an alpha-beta search
# without the bound, in another language.
EARLY = [
    ("....O ...O. ..... .X..X .....", "win"),
    ("..... ...OX ..... ..O.X .....", "win"),
    ("X.... ..... O..X. ...O. .....", "draw"),
    ("..... ..O.. ..... ...OX ....X", "draw"),
    ("..... ..X.X ....O .OX.. .....", "win"),
    (".O... ..XXO ..... ..... ...X.", "loss"),
    ("OO... ..... ..X.. ..... X...X", "draw"),
    ("..... .O.XO ....O ..... XX...", "draw"),
]


def turned(position: Position, seen: tuple[int, ...]) -> Position:
    """The board as it is seen in a mirror, or from another side."""
    x, o = (
        sum(1 << place for place, cell in enumerate(seen) if marks >> cell & 1)
        for marks in (position.x, position.o)
    )
    return from_marks(FIVE, x, o)


@pytest.mark.parametrize("marks", range(18, 24))
def test_late_verdicts_are_those_of_minimax(marks: int) -> None:
    dice = Random(marks)
    for _ in range(60):
        position = played(dice, marks)
        assert solve(position, FULL_BUDGET) == plain_verdicts(position), position


@pytest.mark.parametrize("marks", [7, 8, 9, 10])
def test_verdicts_follow_from_those_one_move_later(marks: int) -> None:
    position = played(Random(marks), marks)
    for cell, verdict in solve(position, FULL_BUDGET).items():
        after = position.play(cell)
        if after.outcome() is None:
            value, plies, _ = best(solve(after, FULL_BUDGET).values())
            assert verdict == (TURNED[value], (plies or 0) + 1, 0)


@pytest.mark.parametrize(
    ("drawing", "cell", "plies"),
    [("OXOXO .O.XX ..X.O XO.OX X..XO", 7, 8), ("OOOXO .X... XOXOX XO... X.X..", 5, 10)],
)
def test_a_loss_to_the_move_that_fills_the_board_is_no_draw(
    drawing: str, cell: int, plies: int
) -> None:
    position = read_position(drawing, FIVE)

    assert position.ply + plies == FIVE.size
    assert solve(position, FULL_BUDGET)[cell] == Verdict("loss", plies)


@pytest.mark.parametrize(("drawing", "value"), EARLY)
def test_early_values_are_those_of_alpha_beta(drawing: str, value: str) -> None:
    verdicts = judge(read_position(drawing, FIVE), FULL_BUDGET)

    assert best(verdicts.values()).value == value


def test_a_win_and_a_block_are_seen_without_nodes() -> None:
    position = read_position("XXX.. OOO.. ..... ..... .....", FIVE)
    won, blocked = judge(position, nodes=0), judge(position.play(24), nodes=0)

    assert won[3] == Verdict("win", 1)
    assert {cell for cell, verdict in won.items() if verdict == ("loss", 2, 0)} == set(won) - {3, 8}
    assert blocked[8] == Verdict("win", 1)
    assert blocked[9] == Verdict("loss", 2)


def test_a_fork_wins_in_three_and_takes_few_nodes() -> None:
    position = read_position("O.... .XX.. ..... .X..O ....O", FIVE)

    assert judge(position, nodes=200)[11] == Verdict("win", 3)


@pytest.mark.parametrize(
    "drawing", ["XXXX. OOO.. ..... ..... .....", "XXOOX XXOOO OOXXX OXOXO XOXOX"]
)
def test_a_finished_game_has_no_moves(drawing: str) -> None:
    finished = read_position(drawing, FIVE)

    assert finished.outcome() is not None
    assert judge(finished, FULL_BUDGET) == {}


@pytest.mark.parametrize("nodes", [0, 30, 300, 1_000, 3_000, 10_000])
def test_nothing_is_said_that_is_not_proven(nodes: int) -> None:
    dice = Random(nodes)
    for _ in range(10):
        position = played(dice, dice.randrange(5, 12))
        exact = solve(position, 10 * FULL_BUDGET)
        assert "unknown" not in {verdict.value for verdict in exact.values()}
        for cell, verdict in solve(position, nodes).items():
            if verdict.value == "unknown":
                assert verdict.plies is None
                assert -100 <= verdict.estimate <= 100
            else:
                assert verdict.value == exact[cell].value
                assert verdict.plies in (None, exact[cell].plies)
                assert verdict.estimate == 0


def test_an_end_without_a_distance_is_not_nearer_than_one_with_it() -> None:
    dice = Random(3)
    compared = 0
    for _ in range(25):
        position = played(dice, 7)
        exact, hurried = solve(position, 10 * FULL_BUDGET), solve(position, 2_000)
        for value in ("win", "loss"):
            ends = {cell: verdict for cell, verdict in hurried.items() if verdict.value == value}
            known = [verdict.plies for verdict in ends.values() if verdict.plies is not None]
            hidden = [exact[cell].plies or 0 for cell, v in ends.items() if v.plies is None]
            if known and hidden:
                compared += 1
                assert max(known) <= min(hidden)
    assert compared > 3


def test_the_estimate_is_higher_for_wins_than_for_losses() -> None:
    dice = Random(9)
    estimates: dict[str, list[int]] = {"win": [], "draw": [], "loss": []}
    for _ in range(20):
        position = played(dice, 6)
        exact = solve(position, 10 * FULL_BUDGET)
        for cell, verdict in solve(position, 100).items():
            if verdict.value == "unknown":
                estimates[exact[cell].value].append(verdict.estimate)

    assert mean(estimates["win"]) > mean(estimates["draw"]) > mean(estimates["loss"])


def test_mirror_images_have_the_same_verdicts() -> None:
    dice = Random(8)
    assert len(set(SYMMETRIES)) == 8
    for marks in (0, 1, 2, 3, 8, 9, 10):
        position = played(dice, marks)
        verdicts = judge(position, FULL_BUDGET)
        for seen in SYMMETRIES:
            image = judge(turned(position, seen), FULL_BUDGET)
            assert {seen[place]: verdict for place, verdict in image.items()} == verdicts


def test_the_same_question_has_the_same_answer() -> None:
    position = played(Random(4), 6)

    assert solve(position, 3_000) == solve(position, 3_000)


@pytest.mark.parametrize("seed", range(5))
def test_the_best_move_keeps_the_value_to_the_end(seed: int) -> None:
    dice = Random(seed)
    position = played(dice, dice.randrange(4, 8))
    value = best(judge(position, FULL_BUDGET).values()).value
    while position.outcome() is None:
        verdicts = judge(position, FULL_BUDGET)
        highest = best(verdicts.values())
        assert highest.value == value
        position = position.play(dice.choice([c for c, v in verdicts.items() if v == highest]))
        value = TURNED[value]
    outcome = position.outcome()
    assert outcome is not None
    assert (outcome.winner is None) == (value == "draw")
