"""`make book`: prove every move on 5×5 for up to three marks, and write the book of these proofs.

    python -m bench.book [--processes 2]

Positions with three marks are searched to the end, 904 of them. Those with fewer follow from these.
The result is `server/core/five_book.py`. It takes about six minutes of one core.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable
from multiprocessing import Pool
from pathlib import Path

from server.core import five_book
from server.core.five import BOOK_PLIES, DRAW, picture, solve
from server.core.rules import FIVE, Position, cells, read_position

NODES = 1 << 40  # as many as it takes
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"

Distances = list[int]  # for each free cell, the plies to the end after a move there; 0 for a draw


def pictured(boards: Iterable[Position]) -> list[Position]:
    """One of each set of positions that are mirror images of each other."""
    return [read_position(drawn, FIVE) for drawn in sorted({picture(b)[0] for b in boards})]


def proven(position: Position) -> Distances:
    """The distances by search."""
    distances = []
    for verdict in solve(position, NODES).values():
        assert verdict.plies is not None, f"{position}\nis not proven"
        distances.append(0 if verdict.value == "draw" else verdict.plies)
    return distances


def derived(position: Position, book: dict[str, Distances]) -> Distances:
    """The distances from those of the positions after each move."""
    after = [picture(position.play(cell))[0] for cell in cells(position.playable())]
    return [end + 1 if end else 0 for end in (best(book[drawn]) for drawn in after)]


def best(distances: Distances) -> int:
    """The fastest win, else a draw, else the slowest loss. Wins take an odd number of plies."""
    wins = [plies for plies in distances if plies % 2]
    if wins:
        return min(wins)
    return 0 if 0 in distances else max(distances)


def line(drawn: str, distances: Distances) -> str:
    """A line of the book."""
    left = iter(distances)
    return "".join(
        mark if mark != "." else DIGITS[plies] if (plies := next(left)) else DRAW for mark in drawn
    )


def build(processes: int) -> dict[str, Distances]:
    levels = [[Position(FIVE)]]
    for _ in range(BOOK_PLIES):
        levels.append(pictured(p.play(c) for p in levels[-1] for c in cells(p.playable())))
    book: dict[str, Distances] = {}
    last = levels.pop()
    with Pool(processes) as pool:
        for done, (position, distances) in enumerate(
            zip(last, pool.imap(proven, last), strict=True), start=1
        ):
            book[picture(position)[0]] = distances
            print(f"\r{done} of {len(last)}", end="", file=sys.stderr, flush=True)
    for level in reversed(levels):
        book |= {picture(position)[0]: derived(position, book) for position in level}
    return book


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.book")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    book = build(parser.parse_args().processes)
    lines = [line(drawn, book[drawn]) for drawn in sorted(book)]
    text = f'"""{five_book.__doc__}"""\n\nLINES = """\\\n' + "\n".join(lines) + '\n"""\n'
    Path(five_book.__file__).write_text(text, encoding="utf-8")
    print(f"\n{len(lines)} positions", file=sys.stderr)


if __name__ == "__main__":
    main()
