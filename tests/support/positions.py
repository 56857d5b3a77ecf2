"""Every position of a small board that play can reach, and random ones of any game."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from random import Random

from server.core.rules import CLASSIC, Position, Variant, cells


@cache
def reachable(variant: Variant = CLASSIC) -> frozenset[Position]:
    """Every position that play can reach, including finished ones."""
    found, edge = {Position(variant)}, [Position(variant)]
    while edge:
        position = edge.pop()
        if position.outcome() is None:
            new = {position.play(cell) for cell in cells(position.playable())} - found
            found |= new
            edge += new
    return frozenset(found)


def positions(variant: Variant = CLASSIC) -> Iterator[Position]:
    """Every reachable position that is not over, smallest first."""
    yield from sorted(
        (p for p in reachable(variant) if p.outcome() is None), key=lambda p: (p.ply, p.x, p.o)
    )


def random_positions(variant: Variant, games: int) -> Iterator[Position]:
    """Every position of so many random games, except for the finished ones."""
    dice = Random(variant.name)
    for _ in range(games):
        position = Position(variant)
        while position.outcome() is None:
            yield position
            position = position.play(dice.choice(list(cells(position.playable()))))
