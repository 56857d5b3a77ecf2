"""A move looked back on."""

from __future__ import annotations

import pytest

from server.core.review import Review, review
from server.core.rules import DROP, Cell, Mark, Position, read_position
from server.core.search import judge
from server.core.verdicts import Value, Verdict

WIN, DRAW, LOSS = Verdict("win", 3), Verdict("draw", 5), Verdict("loss", 2)
GOOD, BAD = Verdict("unknown", None, 40), Verdict("unknown", None, -10)


def test_a_move_is_compared_with_all_that_could_be_played() -> None:
    position = read_position("X.. ... ..O")

    verdicts = judge(position)
    reviewed = review(position, 1, verdicts)

    assert reviewed[:4] == (2, Mark.X, 1, verdicts[1])
    assert (reviewed.best, reviewed.verdict.value) == ("win", "loss")
    assert reviewed.cells == [2, 6]


@pytest.mark.parametrize(
    ("verdicts", "best", "cells"),
    [
        ({0: WIN, 1: GOOD, 2: DRAW}, "win", [0]),
        ({0: Verdict("win", 1), 1: WIN}, "win", [0, 1]),
        ({0: DRAW, 1: LOSS, 2: DRAW}, "draw", [0, 2]),
        ({0: LOSS, 1: Verdict("loss", 4)}, "loss", [0, 1]),
        ({0: GOOD, 1: BAD, 2: LOSS}, "unknown", [0]),
        ({0: DRAW, 1: BAD}, "unknown", [0]),
    ],
)
def test_the_best_is_proven_only_if_nothing_better_is_possible(
    verdicts: dict[Cell, Verdict], best: Value, cells: list[Cell]
) -> None:
    position = Position(DROP)

    assert review(position, 1, verdicts) == Review(0, Mark.X, 1, verdicts[1], best, cells)
