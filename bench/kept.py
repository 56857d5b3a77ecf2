"""How often the top level keeps the value of a position, and whether all its proofs are true.

    python -m bench.kept VARIANT [--positions 400] [--nodes 120000] [--workers 2]

A move keeps the value if it leads to the same exact result (win, draw or loss) as the best move.
The truth comes from `exact.c`, a solver in C that shares nothing with the search. Positions are
those that somebody meets: half of the games are casual play on both sides, the other half a short
search with casual lapses. Each game gives one position, in the part of the game that can be solved:

- 5x5: with four marks or more. The book has all positions with fewer, and every one is checked.
- drop: after ten plies or more.
- ultimate: at most 25 free cells on boards that are open.

Every proven verdict on every cell is compared with the truth, and so is every distance. A mistake
is a position whose value the top level may lose; all of them are printed, and false verdicts too.
This needs a C compiler. The solver is checked first, against a plain search by the rules.
"""

from __future__ import annotations

import argparse
import ctypes
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from random import Random
from typing import NamedTuple

from bench.book import pictured
from server.core import lookahead
from server.core.casual import casual_cells
from server.core.five import BOOK_PLIES
from server.core.levels import most_promising
from server.core.rules import (
    BOARDS,
    CELLS_OF,
    DROP,
    FIVE,
    SPOT_OF,
    ULTIMATE,
    Bits,
    Cell,
    Position,
    Variant,
    cells,
    place,
)
from server.core.search import NODES, best_cells, judge
from server.core.verdicts import Verdict, best_of

GAMES = {variant.name: variant for variant in (FIVE, DROP, ULTIMATE)}
SOURCE = Path(__file__).with_name("exact.c")
COMPILE = ("cc", "-O3", "-march=native", "-shared", "-fPIC")
PATIENCE = 200_000_000  # nodes of the solver for one comparison, about a minute
WIN = 1_000  # as in exact.c
GAVE_UP = 2
VERIFIED = 40  # positions

SHORT = 2_000  # nodes of a search that makes mistakes
LAPSES = 0.2
EARLIEST = {FIVE: BOOK_PLIES + 1, DROP: 10, ULTIMATE: 17}
MOST_FREE = 25  # on open boards of ultimate

Words = tuple[int, int, int]


class Seen(NamedTuple):
    """One position: how likely the top level keeps its value, and what is wrong with its verdicts.

    `can_go_wrong`: some playable move does not keep the value. `proven`: how many verdicts are.
    """

    kept: float
    can_go_wrong: bool
    proven: int
    false: list[str]
    mistakes: list[str]


# ---------------------------------------------------------------------------------- the positions


def pick(variant: Variant, number: int) -> Position:
    """A position of a game that is not over, always the same one for a number."""
    dice = Random(f"{variant.name}/{number}")
    while True:
        fit = [p for p in play(variant, dice, is_casual=number % 2 == 0) if is_solvable(p)]
        if fit:
            return dice.choice(fit)


def play(variant: Variant, dice: Random, *, is_casual: bool) -> Iterator[Position]:
    position = Position(variant)
    while position.outcome() is None:
        yield position
        is_lapse = is_casual or position.ply < 2 or dice.random() < LAPSES
        chosen = casual_cells(position) if is_lapse else best_cells(position, SHORT)
        position = position.play(dice.choice(chosen))


def is_solvable(position: Position) -> bool:
    if position.variant is ULTIMATE and count_free(position) > MOST_FREE:
        return False
    return position.ply >= EARLIEST[position.variant]


def count_free(position: Position) -> int:
    """The free cells of the boards that are open."""
    free = ~(position.x | position.o)
    return sum((CELLS_OF[board] & free).bit_count() for board in BOARDS if position.is_open(board))


def all_of_book() -> list[Position]:
    """Every position of 5x5 in the book, mirror images once. Those with most marks come first."""
    found = level = [Position(FIVE)]
    for _ in range(BOOK_PLIES):
        level = pictured(p.play(cell) for p in level for cell in cells(p.playable()))
        found = level + found
    return found


# -------------------------------------------------------------------------------------- the truth


def words_of(position: Position) -> Words:
    """The position as a state of exact.c."""
    own, other = position.to_move
    if position.variant is FIVE:
        return own, other, 0
    if position.variant is DROP:
        return _by_columns(own), _by_columns(other), 0
    one, two, three = (
        sum(_small(position, board) << board % 3 * 18 for board in BOARDS[start : start + 3])
        for start in (0, 3, 6)
    )
    target = SPOT_OF[position.last[0]]
    target = target if position.is_open(target) else len(BOARDS)
    return one, two, three | target << 54 | position.ply << 58


def _by_columns(marks: Bits) -> Bits:
    return sum(1 << 7 * (cell % 7) + 5 - cell // 7 for cell in cells(marks))


def _small(position: Position, board: int) -> int:
    if position.is_open(board):
        spots = [position.at(place(board, spot)) for spot in range(9)]
        return sum(1 << spot + 9 * mark for spot, mark in enumerate(spots) if mark is not None)
    owner = position.owner(board)
    return 0o777777 if owner is None else 0o777 << 9 * owner


class Unsolved(Exception):
    """The solver has run out of nodes."""


class Truth:
    """The solver of one process."""

    def __init__(self, library: str) -> None:
        self._compare = ctypes.CDLL(library).compare
        self._compare.argtypes = [ctypes.c_char_p, *[ctypes.c_uint64] * 3, *[ctypes.c_int] * 2]
        self._compare.argtypes.append(ctypes.c_long)

    def compare(self, position: Position, cell: Cell, score: int) -> int:
        """1 if this move scores more for the side that makes it, 0 if exactly that, else -1."""
        after = position.play(cell)
        outcome = after.outcome_after(cell)
        if outcome is not None:
            real = 0 if outcome.winner is None else WIN - after.ply  # nobody loses by his own move
            return (real > score) - (real < score)
        name = position.variant.name.encode()
        found: int = self._compare(name, *words_of(after), after.ply, -score, PATIENCE)
        if found == GAVE_UP:
            raise Unsolved
        return -found

    def verify(self, variant: Variant) -> None:
        """Check the solver itself, against a short search by the rules alone."""
        for number in range(VERIFIED):
            position = pick(variant, number)
            for cell, verdict in lookahead.judge(position, SHORT).items():
                if verdict.value != "unknown":
                    value = self.compare(position, cell, 0)
                    assert self.is_true(position, cell, verdict, value), f"{position}\n{cell}"

    def is_true(self, position: Position, cell: Cell, verdict: Verdict, value: int) -> bool:
        """`value`: the sign of the exact score of this move."""
        claimed = {"win": 1, "draw": 0, "loss": -1, "unknown": value}[verdict.value]
        if claimed != value:
            return False
        if not value or verdict.plies is None:
            return True
        return not self.compare(position, cell, value * (WIN - position.ply - verdict.plies))


def look(truth: Truth, position: Position, nodes: int) -> Seen:
    verdicts = judge(position, nodes)
    values = {cell: truth.compare(position, cell, 0) for cell in verdicts}
    best = max(values.values())
    chosen = most_promising(position, best_of(verdicts))
    kept = [cell for cell in chosen if values[cell] == best]
    drawn = f"{position}\nlast {position.last}, values {values}, chosen {chosen}"
    return Seen(
        kept=len(kept) / len(chosen),
        can_go_wrong=min(values.values()) < best,
        proven=sum(verdict.value != "unknown" for verdict in verdicts.values()),
        false=[
            f"{drawn}\n{cell}: {verdict}"
            for cell, verdict in verdicts.items()
            if not truth.is_true(position, cell, verdict, values[cell])
        ],
        mistakes=[drawn] if kept != chosen else [],
    )


# ------------------------------------------------------------------------------------- the report


class Process:
    """What a worker process holds."""

    truth: Truth


def prepare(library: str) -> None:
    Process.truth = Truth(library)


def attempt(position: Position, nodes: int) -> Seen | None:
    """None if the solver gives up."""
    try:
        return look(Process.truth, position, nodes)
    except Unsolved:
        return None


def pick_and_look(variant: Variant, nodes: int, number: int) -> Seen | None:
    return attempt(pick(variant, number), nodes)


def report(name: str, answers: Iterator[Seen | None]) -> None:
    seen = []
    for answer in answers:
        seen.append(answer)
        print(f"\r{len(seen)} positions", end="\r", file=sys.stderr, flush=True)
    solved = [one for one in seen if one is not None]
    risky = [one for one in solved if one.can_go_wrong]
    false = [text for one in solved for text in one.false]
    print(f"{name}: {len(solved)} positions, {len(seen) - len(solved)} left out as too hard")
    for what, some in (("value kept", solved), ("where one can go wrong", risky)):
        kept = sum(one.kept for one in some)
        print(f"  {what}: {100 * kept / max(len(some), 1):.2f} % of {len(some)}")
    print(f"  false: {len(false)} of {sum(one.proven for one in solved)} proven verdicts")
    print(*(text for one in solved for text in one.mistakes), *false, sep="\n", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.kept")
    parser.add_argument("variant", choices=GAMES)
    parser.add_argument("--positions", type=int, default=400)
    parser.add_argument("--nodes", type=int, default=NODES)
    parser.add_argument("--workers", type=int, default=2)
    chosen = parser.parse_args()
    variant = GAMES[chosen.variant]
    with tempfile.TemporaryDirectory() as folder:
        library = str(Path(folder, "exact.so"))
        subprocess.run([*COMPILE, "-o", library, str(SOURCE)], check=True)
        Truth(library).verify(variant)
        with ProcessPoolExecutor(chosen.workers, initializer=prepare, initargs=(library,)) as pool:
            if variant is FIVE:
                book = pool.map(partial(attempt, nodes=chosen.nodes), all_of_book())
                report("5x5, at most three marks", book)
            ask = partial(pick_and_look, variant, chosen.nodes)
            report(variant.name, pool.map(ask, range(chosen.positions)))


if __name__ == "__main__":
    main()
