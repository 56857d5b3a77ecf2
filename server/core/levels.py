"""How strong the AI is: each level is a distribution over the free cells of a position.

A distribution, not a choice: whoever has dice throws them, and the exact results of a level against
any other can be computed. *Casual* play takes a win on the spot, else blocks one, else takes any
free cell; the levels are mixtures of that and of exact play.

>>> from server.core.rules import read_position
>>> weights(read_position("XX. OO. ..."), "easy")
{2: Fraction(1, 1)}
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import cache

from server.core.rules import Cell, Position
from server.core.search import NODES, best_cells, scores

LEVELS = ("easy", "medium", "hard", "perfect")

Weights = dict[Cell, Fraction]

HALF = Fraction(1, 2)
LAPSES = Fraction(3, 10)  # how often `hard` plays casually


def weights(position: Position, level: str, limit: int = NODES) -> Weights:
    """What `level` may play here, each cell with its probability; {} once the game is over."""
    if position.outcome() is not None:
        return {}
    match level:
        case "easy":
            wins = position.completing(position.to_move[0])
            return even(wins) if wins else mix(HALF, casual(position), even(position.free()))
        case "medium":
            return casual(position)
        case "hard":
            return mix(LAPSES, casual(position), even(best_cells(position, limit)))
        case "perfect":
            return even(_most_winning(position, best_cells(position, limit)))
        case _:
            raise ValueError(f"{level!r} is not one of the levels {', '.join(LEVELS)}")


def casual(position: Position) -> Weights:
    own, other = position.to_move
    return even(position.completing(own) or position.completing(other) or position.free())


def even(cells: Iterable[Cell]) -> Weights:
    """Each of `cells` as likely as the next."""
    chosen = list(cells)
    return {cell: Fraction(1, len(chosen)) for cell in chosen}


def mix(share: Fraction, one: Weights, other: Weights) -> Weights:
    """`share` of the time the one, otherwise the other."""
    nothing = Fraction(0)
    return {
        cell: share * one.get(cell, nothing) + (1 - share) * other.get(cell, nothing)
        for cell in sorted(one.keys() | other.keys())
    }


def _most_winning(position: Position, best: list[Cell]) -> list[Cell]:
    """Those of the equally good moves that win most often against casual play."""
    if len(best) < 2 or None in scores(position).values():
        return best
    chances = {cell: _chance(position.play(cell), False) for cell in best}
    highest = max(chances.values())
    return [cell for cell, chance in chances.items() if chance == highest]


@cache
def _chance(position: Position, ours: bool) -> Fraction:
    """How often perfect play wins from here against casual play; `ours`: perfect is to move."""
    outcome = position.outcome()
    if outcome is not None:
        won = outcome.winner is not None and (outcome.winner is position.turn) == ours
        return Fraction(won)
    if ours:
        return max(_chance(position.play(cell), False) for cell in best_cells(position))
    replies = casual(position).items()
    return sum((share * _chance(position.play(cell), True) for cell, share in replies), Fraction(0))
