"""How strong the AI is: each level is a distribution over the playable cells of a position.

The caller draws the cell. Because a level is a distribution and not a choice, its results against
any other level can be computed. The levels mix play at random, casual play and searched play.

>>> from server.core.rules import read_position
>>> weights(read_position("XX. OO. ..."), "easy")
{2: Fraction(1, 1)}
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from server.core.casual import casual_cells, winning_cells
from server.core.five import progress_after
from server.core.rules import CLASSIC, FIVE, REVERSE, VANISHING, Cell, Position, Variant, cells
from server.core.search import NODES, best_cells, is_exact

Weights = dict[Cell, Fraction]

WITHOUT_SEARCH = ("gentle", "easy", "medium")
HALF = Fraction(1, 2)
# How often `hard` plays casually. Where a search plays, it also looks less far ahead.
LAPSES = {CLASSIC: Fraction(3, 10), REVERSE: Fraction(3, 10), VANISHING: HALF}
LAPSES_OF_SEARCH = Fraction(1, 10)
HARD_NODES = 1_000  # enough to look about four plies ahead
# How many plies ahead the top level counts its chances against casual play.
CHANCES_WITHIN = {CLASSIC: 9, REVERSE: 9, VANISHING: 6}
CACHED = 500_000  # chances

_chances: dict[tuple[Position, bool, int], Fraction] = {}


def levels_of(variant: Variant) -> tuple[str, ...]:
    """The levels of this game, weakest first. The last one is `perfect` where play is proven."""
    return (*WITHOUT_SEARCH, "hard", "best" if variant.is_narrow else "perfect")


def level_to_cover(variant: Variant, level: str) -> str:
    """The level at which the AI covers for somebody if the other player asks for `level`.

    A weak level would be a gift to the player who asks, so anything below `hard` is the top level.
    """
    *_, hard, top = levels_of(variant)
    return level if level == hard else top


def nodes_for(variant: Variant, level: str, nodes: int) -> int:
    """How many of these nodes the level makes use of."""
    if level in WITHOUT_SEARCH or is_exact(variant):
        return 0
    return min(nodes, HARD_NODES) if level == "hard" else nodes


def weights(position: Position, level: str, nodes: int = NODES) -> Weights:
    """The cells that `level` may play, with their probabilities; {} once the game is over."""
    variant = position.variant
    if level not in levels_of(variant):
        raise ValueError(f"{level!r} is not one of the levels {', '.join(levels_of(variant))}")
    if position.outcome() is not None:
        return {}
    match level:
        case "gentle":
            return even(cells(position.playable()))
        case "easy":
            wins, anywhere = winning_cells(position), even(cells(position.playable()))
            return even(wins) if wins else mix(HALF, casual(position), anywhere)
        case "medium":
            return casual(position)
        case "hard":
            best = best_cells(position, nodes_for(variant, level, nodes))
            return mix(LAPSES.get(variant, LAPSES_OF_SEARCH), casual(position), even(best))
        case _:
            return even(most_promising(position, best_cells(position, nodes)))


def casual(position: Position) -> Weights:
    """Casual play, which needs no search; the game is not over."""
    return even(casual_cells(position))


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


def most_promising(position: Position, best: list[Cell]) -> list[Cell]:
    """Those of the best cells after which the other side seems most likely to go wrong."""
    if len(best) < 2:
        return best
    if len(_chances) > CACHED:
        _chances.clear()
    promises = {cell: _find_promise(position, cell) for cell in best}
    highest = max(promises.values())
    return [cell for cell, promise in promises.items() if promise == highest]


def _find_promise(position: Position, cell: Cell) -> Fraction:
    """How often this cell wins against casual play, if a table tells.

    On 5x5, how far it brings the own lines; measured, that does as well as counting the replies
    that lose. In the other games, nothing is known.
    """
    variant = position.variant
    if variant is FIVE:
        return Fraction(progress_after(position, cell))
    plies = CHANCES_WITHIN.get(variant)
    return Fraction(0) if plies is None else _find_chance(position.play(cell), False, plies - 1)


def _find_chance(position: Position, is_ours: bool, plies: int) -> Fraction:
    """How often perfect play wins against casual play within so many plies from here.

    `is_ours`: perfect play is to move.
    """
    key = (position, is_ours, plies)
    if key not in _chances:
        _chances[key] = _compute_chance(position, is_ours, plies)
    return _chances[key]


def _compute_chance(position: Position, is_ours: bool, plies: int) -> Fraction:
    outcome = position.outcome()
    if outcome is not None:
        has_won = outcome.winner is not None and (outcome.winner is position.turn) == is_ours
        return Fraction(has_won)
    if plies == 0:
        return Fraction(0)
    if is_ours:
        best = best_cells(position)
        return max(_find_chance(position.play(cell), False, plies - 1) for cell in best)
    moves = casual(position).items()
    return sum(
        (share * _find_chance(position.play(cell), True, plies - 1) for cell, share in moves),
        Fraction(0),
    )
