"""The door to every search: the verdict on each playable cell of any position.

Each game has its expert: a whole table where that is possible, else a search that stops after a
number of nodes. Nothing unproven is ever called a win, a draw or a loss. The functions take and
return picklable values, start no thread and read no time, so the same question has the same answer
in any process.

>>> from server.core.rules import read_position
>>> judge(read_position("XX. OO. ..."))[2]
Verdict(value='win', plies=1, estimate=0)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from server.core import falling, five, lookahead, nested
from server.core.rules import (
    CLASSIC,
    DROP,
    FIVE,
    REVERSE,
    ULTIMATE,
    VANISHING,
    Cell,
    Position,
    Variant,
)
from server.core.tables import judge_to_the_end, judge_vanishing
from server.core.verdicts import Verdict, best_of

NODES = 120_000  # of a whole search; about half a second

TABLES: Mapping[Variant, Callable[[Position], dict[Cell, Verdict]]] = {
    CLASSIC: judge_to_the_end,
    REVERSE: judge_to_the_end,
    VANISHING: judge_vanishing,
}
SEARCHES: Mapping[Variant, Callable[[Position, int], dict[Cell, Verdict]]] = {
    FIVE: five.judge,
    DROP: falling.judge,
    ULTIMATE: nested.judge,
}


def judge(position: Position, nodes: int = NODES) -> dict[Cell, Verdict]:
    """Each playable cell with its verdict, by a search of so many nodes; {} once it is over."""
    variant = position.variant
    if position.outcome() is not None:
        return {}
    if variant in TABLES:
        return TABLES[variant](position)
    return SEARCHES.get(variant, lookahead.judge)(position, nodes)


def is_exact(variant: Variant) -> bool:
    """Whether every verdict is proven without a search, so that nodes make no difference."""
    return variant in TABLES


def best_cells(position: Position, nodes: int = NODES) -> list[Cell]:
    """All the cells that are equally best, as `rank_of` orders them; [] once the game is over."""
    return best_of(judge(position, nodes))


def best_cell(position: Position, nodes: int = NODES) -> Cell | None:
    """One of the best cells, always the same one; None once the game is over."""
    return next(iter(best_cells(position, nodes)), None)
