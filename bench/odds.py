"""The odds of each level against each other level, for the tables of docs/ai.md.

    python -m bench.odds VARIANT [--games 200] [--nodes 120000] [--workers 2] [LEVEL ...]

Prints a Markdown table: per cent of wins, draws and losses of the row against the column, half of
the games as X and half as O. Where a table knows every position, the odds are computed: each
position is reached with a probability, ply by ply. Else so many games are played for each pair,
always the same ones. A game counts as won as soon as the top level has proven that it wins.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from functools import cache, lru_cache
from itertools import combinations
from random import Random

from server.core.levels import levels_of, most_promising, weights
from server.core.rules import (
    CLASSIC,
    DROP,
    FIVE,
    REVERSE,
    ULTIMATE,
    VANISHING,
    Mark,
    Outcome,
    Position,
    Variant,
)
from server.core.search import NODES, is_exact, judge
from server.core.verdicts import best_of

GAMES = {v.name: v for v in (CLASSIC, REVERSE, VANISHING, FIVE, DROP, ULTIMATE)}
FAR = 20  # plies; no forced win takes so long
ROWS = [(0, 1, 2), (3, 4, 5), (6, 7, 8)]
COLUMNS = [(0, 3, 6), (1, 4, 7), (2, 5, 8)]
TURNS = [
    sum((row[::across] for row in rows[::down]), ())
    for rows in (ROWS, COLUMNS)
    for down in (1, -1)
    for across in (1, -1)
]
Odds = tuple[float, float, float]  # won, drawn, lost by the first of two levels
Pair = tuple[str, str]


def compute_odds(variant: Variant, pair: Pair) -> Odds:
    won = drawn = 0.0
    for side in Mark:
        levels = pair if side is Mark.X else pair[::-1]
        ply, reached = 0, {Position(variant): 0.5}
        while reached:
            following: defaultdict[Position, float] = defaultdict(float)
            for position, chance in reached.items():
                here = _at_ply(position, ply)
                for share, after, outcome in _steps(here, levels[here.turn]):
                    if outcome is None:
                        following[after] += chance * share
                    elif outcome.winner is None:
                        drawn += chance * share
                    elif outcome.winner is side:
                        won += chance * share
            ply, reached = ply + 1, following
    return won, drawn, 1 - won - drawn


@cache
def _steps(position: Position, level: str) -> list[tuple[float, Position, Outcome | None]]:
    """Each move of this level: how likely it is, the position after it, and the outcome."""
    found = []
    for cell, share in weights(position, level).items():
        after = position.play(cell)
        found.append((float(share), _turned(after), after.outcome_after(cell)))
    return found


# The odds of `vanishing` take a minute instead of a quarter of an hour, because positions that are
# the same but for a turn of the board, or for a ply far from the limit, are counted together.


def _at_ply(position: Position, ply: int) -> Position:
    limit = position.variant.limit
    if not limit:
        return position
    return position._replace(ply=ply if ply < 6 or ply >= limit - FAR else 6 + ply % 2)


@cache
def _turned(position: Position) -> Position:
    """One of the eight ways to see a position, the same for all eight."""
    if not position.variant.limit:
        return position
    last = min(tuple(turn[cell] for cell in position.last) for turn in TURNS)
    newer, older = (sum(1 << cell for cell in last[start::-2]) for start in (-1, -2))
    x, o = (newer, older) if position.ply & 1 else (older, newer)
    return position._replace(x=x, o=o, ply=position.ply & 1, last=last)


def play_game(variant: Variant, pair: Pair, number: int, nodes: int) -> float:
    """One game: 1 if the first level has won it, 0.5 for a draw. Its side alternates."""
    dice, side = Random(f"{pair}/{number // 2}"), Mark(number % 2)
    levels = pair if side is Mark.X else pair[::-1]
    position = Position(variant)
    while (outcome := position.outcome()) is None:
        level = levels[position.turn]
        if level == levels_of(variant)[-1]:
            verdicts = _judge(position, nodes)
            cell = dice.choice(most_promising(position, best_of(verdicts)))
            if verdicts[cell].value == "win":
                return float(position.turn is side)
        else:
            chosen = weights(position, level, nodes)
            [cell] = dice.choices(list(chosen), [float(share) for share in chosen.values()])
        position = position.play(cell)
    return 0.5 if outcome.winner is None else float(outcome.winner is side)


_judge = lru_cache(1_000)(judge)  # many games begin alike


def measure_odds(variant: Variant, pair: Pair, games: int, nodes: int, workers: int) -> Odds:
    with ProcessPoolExecutor(workers) as processes:
        played = [
            processes.submit(play_game, variant, pair, number, nodes) for number in range(games)
        ]
        scores = [game.result() for game in played]
    won, drawn = scores.count(1) / games, scores.count(0.5) / games
    return won, drawn, 1 - won - drawn


def _tell(odds: Odds) -> str:
    return " / ".join(f"{abs(100 * share):.1f}" for share in odds)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.odds")
    parser.add_argument("variant", choices=GAMES)
    parser.add_argument("levels", nargs="*", help="only these; all of them otherwise")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--nodes", type=int, default=NODES)
    parser.add_argument("--workers", type=int, default=2)
    chosen = parser.parse_args()
    variant = GAMES[chosen.variant]
    levels = chosen.levels or levels_of(variant)
    odds: dict[Pair, Odds] = {}
    for weaker, stronger in combinations(levels, 2):
        pair = stronger, weaker
        if is_exact(variant):
            odds[pair] = compute_odds(variant, pair)
        else:
            odds[pair] = measure_odds(variant, pair, chosen.games, chosen.nodes, chosen.workers)
        print(f"{stronger} against {weaker}: {_tell(odds[pair])}", file=sys.stderr)
    print(f"| {variant.name} | {' | '.join(levels[:-1])} |\n|---{'|---' * (len(levels) - 1)}|")
    for place, level in enumerate(levels[1:], 1):
        told = [_tell(odds[level, other]) for other in levels[:place]]
        print(f"| {level} | {' | '.join(told + [''] * (len(levels) - 1 - place))} |")


if __name__ == "__main__":
    main()
