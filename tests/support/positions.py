"""Every 3×3 position that play can reach."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from server.core.rules import CLASSIC, Position, cells


@cache
def reachable() -> frozenset[Position]:
    """Every position that play can reach, including finished ones."""
    found, edge = {Position(CLASSIC)}, [Position(CLASSIC)]
    while edge:
        position = edge.pop()
        if position.outcome() is None:
            new = {position.play(cell) for cell in cells(position.playable())} - found
            found |= new
            edge += new
    return frozenset(found)


def positions() -> Iterator[Position]:
    """Every reachable position that is not over, smallest first."""
    yield from sorted(
        (p for p in reachable() if p.outcome() is None), key=lambda p: (p.ply, p.x, p.o)
    )
