"""The book of 5×5: complete, consistent, and equal to what the search finds."""

from __future__ import annotations

from random import Random

import pytest

from server.core.five import BOOK_PLIES, look_up, picture, solve
from server.core.five_book import LINES
from server.core.rules import FIVE, Position, cells
from tests.support.fives import TURNED, best, played


def all_pictures(marks: int) -> list[Position]:
    """Every position with so many marks, without its mirror images."""
    level = [Position(FIVE)]
    for _ in range(marks):
        after = [p.play(cell) for p in level for cell in cells(p.playable())]
        level = list({picture(position)[0]: position for position in after}.values())
    return level


def test_it_has_every_position_with_at_most_three_marks_once() -> None:
    assert [len(all_pictures(marks)) for marks in range(BOOK_PLIES + 1)] == [1, 6, 85, 904]
    assert len(LINES.split()) == len(set(LINES.split())) == 1 + 6 + 85 + 904


@pytest.mark.parametrize("marks", range(BOOK_PLIES))
def test_each_verdict_follows_from_the_verdicts_one_move_later(marks: int) -> None:
    for position in all_pictures(marks):
        verdicts = look_up(position)
        assert list(verdicts) == list(cells(position.playable()))
        for cell, (value, plies, _) in verdicts.items():
            reply = best(look_up(position.play(cell)).values())
            assert (value, plies) == (TURNED[reply.value], (reply.plies or 0) + 1)


@pytest.mark.parametrize("seed", range(4))
def test_the_search_finds_what_the_book_says(seed: int) -> None:
    dice = Random(seed)
    position = played(dice, BOOK_PLIES)
    verdicts = look_up(position)
    for cell in dice.sample(list(verdicts), 3):
        value, plies, _ = best(solve(position.play(cell), nodes=1_000_000).values())
        assert verdicts[cell] == (TURNED[value], (plies or 0) + 1, 0)


def test_nobody_wins_from_the_empty_board() -> None:
    assert {verdict.value for verdict in look_up(Position(FIVE)).values()} == {"draw"}
