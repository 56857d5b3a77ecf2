"""The top level of the AI against Monte Carlo tree search, by OpenSpiel.

    VENV/bin/python -m bench.matches VARIANT [--simulations 10000 | --equal-time] [--games 40]

OpenSpiel is large, so it has a virtual environment of its own (`pip install open_spiel`). Games
begin after two random moves that leave the game open, drawn ones on 5x5. Each opening is played
twice, once with each colour. Equal time: the opponent gets as long for a move as our moves of that
game have taken on average. Run that on an idle machine.
"""

from __future__ import annotations

import argparse
import time
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from random import Random
from statistics import fmean
from typing import Any, NamedTuple

from server.core.levels import weights
from server.core.rules import (
    BOARD_OF,
    DROP,
    FIVE,
    SPOT_OF,
    ULTIMATE,
    Cell,
    Position,
    Variant,
    cells,
)
from server.core.search import NODES, judge
from server.core.verdicts import best_of

GAMES = {
    "5x5": (FIVE, "mnk(m=5,n=5,k=4)"),
    "drop": (DROP, "connect_four"),
    "ultimate": (ULTIMATE, "ultimate_tic_tac_toe"),
}
OPENING = 2  # plies
USUAL = 0.5  # seconds for a move, before we have made one
MEMORY = 2000  # MB, of one tree
PLENTY = 100_000_000  # simulations, where the clock is the limit


class Terms(NamedTuple):
    """What a match is about. `simulations` is 0 for equal time."""

    game: str
    simulations: int
    nodes: int


def actions_of(variant: Variant, theirs: Any, cell: Cell) -> tuple[int, ...]:
    """The same move in OpenSpiel: a column, a cell, or a spot, after its board if that is free."""
    if variant is DROP:
        return (cell % variant.columns,)
    if variant is FIVE:
        return (cell,)
    is_free = "Choose" in theirs.action_to_string(theirs.legal_actions()[0])
    return (BOARD_OF[cell], SPOT_OF[cell]) if is_free else (SPOT_OF[cell],)


def open_game(variant: Variant, dice: Random) -> list[Cell]:
    while True:
        position, moves = Position(variant), []
        for _ in range(OPENING):
            moves.append(dice.choice(list(cells(position.playable()))))
            position = position.play(moves[-1])
        if variant is not FIVE or judge(position)[best_of(judge(position))[0]].value == "draw":
            return moves


def play(terms: Terms, number: int) -> float:
    """One game: 1 if we have won it, 0.5 for a draw."""
    pyspiel = import_module("pyspiel")
    variant, name = GAMES[terms.game]
    dice = Random(f"{terms.game}/{number // 2}")
    ours = number % 2
    theirs = pyspiel.load_game(name).new_initial_state()
    position, taken = Position(variant), [USUAL]
    opening = open_game(variant, dice)
    while (outcome := position.outcome()) is None:
        if opening:
            cell = opening.pop(0)
        elif position.turn == ours:
            begin = time.perf_counter()
            chosen = weights(position, "perfect" if variant is FIVE else "best", terms.nodes)
            [cell] = dice.choices(list(chosen), [float(share) for share in chosen.values()])
            taken.append(time.perf_counter() - begin)
        else:
            seed = dice.randrange(1 << 30)
            cell = answer(pyspiel, theirs.clone(), position, terms.simulations, fmean(taken), seed)
        for action in actions_of(variant, theirs, cell):
            theirs.apply_action(action)
        position = position.play(cell)
    assert theirs.is_terminal()
    return 0.5 if outcome.winner is None else float(outcome.winner == ours)


def answer(
    pyspiel: Any, theirs: Any, position: Position, simulations: int, seconds: float, seed: int
) -> Cell:
    """The opponent's cell. Where it takes two actions, each is searched in full."""
    evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
    bot = pyspiel.MCTSBot(
        theirs.get_game(), evaluator, 2.0, simulations or PLENTY, MEMORY, True, seed, False,
        max_wall_clock_time=-1.0 if simulations else seconds,
    )  # fmt: skip
    options = {
        actions_of(position.variant, theirs, cell): cell for cell in cells(position.playable())
    }
    actions: tuple[int, ...] = ()
    while actions not in options:
        actions = (*actions, bot.step(theirs))
        theirs.apply_action(actions[-1])
    return options[actions]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.matches")
    parser.add_argument("variant", choices=GAMES)
    parser.add_argument("--games", type=int, default=40)
    parser.add_argument("--nodes", type=int, default=NODES)
    parser.add_argument("--simulations", type=int, default=10_000)
    parser.add_argument("--equal-time", action="store_true")
    parser.add_argument("--workers", type=int, default=2)
    chosen = parser.parse_args()
    terms = Terms(chosen.variant, 0 if chosen.equal_time else chosen.simulations, chosen.nodes)
    with ProcessPoolExecutor(chosen.workers) as processes:
        scores = list(processes.map(play, [terms] * chosen.games, range(chosen.games)))
    won, drawn, lost = (scores.count(score) for score in (1.0, 0.5, 0.0))
    print(
        f"{chosen.variant}: won {won}, drawn {drawn}, lost {lost}: {sum(scores) / len(scores):.1%}"
    )


if __name__ == "__main__":
    main()
