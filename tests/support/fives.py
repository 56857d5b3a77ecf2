"""Positions of the 5×5 game from seeded play, and what plain minimax says about them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from random import Random

from server.core.rules import FIVE, Cell, Position, cells
from server.core.verdicts import Value, Verdict

FULL_BUDGET = 120_000
TURNED: dict[Value, Value] = {"win": "loss", "draw": "draw", "loss": "win"}


def played(dice: Random, marks: int) -> Position:
    """A game that goes on after so many moves. Most of the time, a threat is blocked."""
    while True:
        position = Position(FIVE)
        while position.ply < marks and position.outcome() is None:
            free = list(cells(position.playable()))
            threats = [cell for cell in free if completes(position.to_move[1], cell)]
            position = position.play(
                dice.choice(threats if threats and dice.random() < 0.9 else free)
            )
        if position.outcome() is None:
            return position


def completes(marks: int, cell: Cell) -> bool:
    return any(marks & line == line & ~(1 << cell) for line in FIVE.lines_through[cell])


def best(verdicts: Iterable[Verdict]) -> Verdict:
    """The fastest win, else a draw, else the slowest loss. All have a value and a distance."""

    def rank(verdict: Verdict) -> int:
        assert verdict.plies is not None
        return {"win": 100 - verdict.plies, "draw": 0, "loss": verdict.plies - 100}[verdict.value]

    return max(verdicts, key=rank)


def plain_verdicts(position: Position) -> dict[Cell, Verdict]:
    """The verdict of every move by minimax to the end of the game, without any bound."""

    @cache
    def after(position: Position, cell: Cell) -> Verdict:
        """The verdict on the move that led to `position`."""
        outcome = position.outcome_after(cell)
        if outcome is not None:
            return Verdict("draw" if outcome.winner is None else "win", 1)
        value, plies, _ = best(after(position.play(c), c) for c in cells(position.playable()))
        return Verdict(TURNED[value], (plies or 0) + 1)

    return {cell: after(position.play(cell), cell) for cell in cells(position.playable())}
