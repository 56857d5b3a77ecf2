"""Exact verdicts by plain minimax over the rules, and positions to try them on."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from server.core.rules import Cell, Position, Variant, cells
from server.core.verdicts import Value, Verdict

RANK = {"win": 1_000, "draw": 0, "loss": -1_000}
TURNED: dict[Value, Value] = {"win": "loss", "loss": "win", "draw": "draw"}

Known = dict[Position, Verdict]


def rank(verdict: Verdict) -> int:
    """The fastest win first, then a draw, then the slowest loss. An unknown distance is long."""
    plies = 99 if verdict.plies is None else verdict.plies
    return RANK[verdict.value] - plies * (RANK[verdict.value] // 1_000)


def solve(position: Position, known: Known | None = None) -> dict[Cell, Verdict]:
    """The exact verdict of every playable cell. A draw has the plies of one line of play."""
    known = {} if known is None else known
    return {cell: _solve_move(position, cell, known) for cell in cells(position.playable())}


def _solve_move(position: Position, cell: Cell, known: Known) -> Verdict:
    after = position.play(cell)
    if after not in known:
        outcome = after.outcome_after(cell)
        if outcome is None:
            value, plies, _ = max(solve(after, known).values(), key=rank)
            assert plies is not None
            known[after] = Verdict(TURNED[value], plies + 1)
        elif outcome.winner is None:
            known[after] = Verdict("draw", 1)
        else:
            known[after] = Verdict("win" if outcome.winner is position.turn else "loss", 1)
    return known[after]


def winning_cells(position: Position, plies: int) -> set[Cell]:
    """The cells that win within so many plies, whatever the other side does."""
    return {cell for cell in cells(position.playable()) if _wins(position, cell, plies)}


def _wins(position: Position, cell: Cell, plies: int) -> bool:
    after = position.play(cell)
    outcome = after.outcome_after(cell)
    if outcome is not None:
        return outcome.winner is position.turn
    if plies < 3 or winning_cells(after, 1):
        return False
    replies = (after.play(reply) for reply in cells(after.playable()))
    return all(next_.outcome() is None and winning_cells(next_, plies - 2) for next_ in replies)


def random_positions(variant: Variant, seed: int, games: int) -> Iterator[Position]:
    """Every position of some games of random play that is not over."""
    random = Random(seed)
    for _ in range(games):
        position = Position(variant)
        while position.outcome() is None:
            yield position
            position = position.play(random.choice(list(cells(position.playable()))))


def late_position(variant: Variant, random: Random, most: int) -> Position:
    """A position of random play that is not over, where at most this many cells can be played on.

    On nested boards only the cells of open boards count.
    """
    while True:
        position = Position(variant)
        while position.outcome() is None:
            if _cells_left(position) <= most:
                return position
            position = position.play(random.choice(list(cells(position.playable()))))


def _cells_left(position: Position) -> int:
    if position.variant.nested:
        position = position._replace(last=())
        return position.playable().bit_count()
    return position.variant.size - position.ply


def wrong_proofs(found: dict[Cell, Verdict], exact: dict[Cell, Verdict]) -> list[Cell]:
    """The cells with a proven value or a number of plies that is not true."""
    return [
        cell
        for cell, (value, plies, _) in found.items()
        if value != "unknown"
        and (
            value != exact[cell].value
            or (value != "draw" and plies is not None and plies != exact[cell].plies)
        )
    ]
