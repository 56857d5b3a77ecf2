"""How strong the AI is: each level is a distribution over the free cells of a position.

The caller draws the cell. Because a level is a distribution and not a choice, its results against
any other level can be computed exactly. *Casual* play takes a win on the spot, else blocks one,
else takes any free cell. The levels mix casual, random and exact play.

>>> from server.core.rules import read_position
>>> weights(read_position("XX. OO. ..."), "easy")
{2: Fraction(1, 1)}
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from server.core.rules import Bits, Cell, Position, Variant, cells
from server.core.search import NODES, OutOfNodes, Search, best_cells

LEVELS = ("easy", "medium", "hard", "perfect")


def levels_of(variant: Variant) -> tuple[str, ...]:
    """The levels of this game, weakest first."""
    return LEVELS


Weights = dict[Cell, Fraction]

HALF = Fraction(1, 2)
LAPSES = Fraction(3, 10)  # how often `hard` plays casually
NODES_PER_CHANCE = 20  # one position of `_find_chance` takes as long as so many nodes of search
CACHED = 500_000  # chances

_chances: dict[tuple[Position, bool], Fraction] = {}


def weights(position: Position, level: str, limit: int = NODES) -> Weights:
    """The cells that `level` may play, with their probabilities; {} once the game is over."""
    if position.outcome() is not None:
        return {}
    match level:
        case "easy":
            wins = completing(position, position.to_move[0])
            anywhere = even(cells(position.playable()))
            return even(wins) if wins else mix(HALF, casual(position), anywhere)
        case "medium":
            return casual(position)
        case "hard":
            return mix(LAPSES, casual(position), even(best_cells(position, limit)))
        case "perfect":
            return even(_choose_most_winning(Search(position.variant, limit), position))
        case _:
            raise ValueError(f"{level!r} is not one of the levels {', '.join(LEVELS)}")


def casual(position: Position) -> Weights:
    """Casual play, which needs no search; the game is not over."""
    own, other = position.to_move
    wins, blocks = completing(position, own), completing(position, other)
    return even(wins or blocks or cells(position.playable()))


def completing(position: Position, own: Bits) -> list[Cell]:
    """The playable cells that complete a line with the marks `own`."""
    through = position.variant.lines_through
    return [
        cell
        for cell in cells(position.playable())
        if any((own | 1 << cell) & line == line for line in through[cell])
    ]


def even(chosen: Iterable[Cell]) -> Weights:
    """All of `chosen`, equally likely."""
    chosen = list(chosen)
    return {cell: Fraction(1, len(chosen)) for cell in chosen}


def mix(share: Fraction, one: Weights, other: Weights) -> Weights:
    """`one` with probability `share`, otherwise `other`."""
    nothing = Fraction(0)
    return {
        cell: share * one.get(cell, nothing) + (1 - share) * other.get(cell, nothing)
        for cell in sorted(one.keys() | other.keys())
    }


def _choose_most_winning(search: Search, position: Position) -> list[Cell]:
    """Those of the best cells that win most often against casual play.

    If the search runs out of nodes before that is known: all the best cells.
    """
    best = search.best_cells(position)
    if len(best) < 2:
        return best
    if len(_chances) > CACHED:
        _chances.clear()
    try:
        chances = {cell: _find_chance(search, position.play(cell), False) for cell in best}
    except OutOfNodes:
        return best
    highest = max(chances.values())
    return [cell for cell, chance in chances.items() if chance == highest]


def _find_chance(search: Search, position: Position, is_ours: bool) -> Fraction:
    """How often perfect play wins from here against casual play; `is_ours`: perfect is to move.

    At the limit of `search` this raises `OutOfNodes`, so only exact chances are cached.
    """
    search.spend(NODES_PER_CHANCE)
    key = (position, is_ours)
    if key not in _chances:
        _chances[key] = _compute_chance(search, position, is_ours)
    return _chances[key]


def _compute_chance(search: Search, position: Position, is_ours: bool) -> Fraction:
    outcome = position.outcome()
    if outcome is not None:
        has_won = outcome.winner is not None and (outcome.winner is position.turn) == is_ours
        return Fraction(has_won)
    if is_ours:
        best = search.best_cells(position)
        return max(_find_chance(search, position.play(cell), False) for cell in best)
    moves = casual(position).items()
    return sum(
        (share * _find_chance(search, position.play(cell), True) for cell, share in moves),
        Fraction(0),
    )
