"""Verdicts by plain minimax over the rules, without a cache: slow and obvious."""

from __future__ import annotations

from collections.abc import Iterable

from server.core.rules import Cell, Position, cells
from server.core.verdicts import Value, Verdict

TURNED: dict[Value, Value] = {"win": "loss", "loss": "win", "draw": "draw"}


def reference(position: Position) -> dict[Cell, Verdict]:
    """The verdict of every playable cell."""
    return {cell: judge_move(position, cell) for cell in cells(position.playable())}


def judge_move(position: Position, cell: Cell) -> Verdict:
    after = position.play(cell)
    outcome = after.outcome()
    if outcome is None:
        return turned(best(reference(after).values()))
    value: Value = "win" if outcome.winner is position.turn else "loss"
    return Verdict("draw" if outcome.winner is None else value, 1)


def turned(reply: Verdict) -> Verdict:
    """The verdict on a move to which this is the best reply."""
    assert reply.plies is not None
    return Verdict(TURNED[reply.value], reply.plies + 1)


def best(verdicts: Iterable[Verdict]) -> Verdict:
    """The fastest win, else a draw, else the slowest loss."""
    rank = {"win": (2, -1), "draw": (1, 0), "loss": (0, 1)}
    return max(verdicts, key=lambda v: (rank[v.value][0], rank[v.value][1] * (v.plies or 0)))
