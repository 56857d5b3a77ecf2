"""The classic exercise: our first `minimax` in a fresh process against one without a cache."""

from __future__ import annotations

import subprocess
import sys
import time
from copy import deepcopy

from bench.naive import LINES
from bench.scenarios import Figures
from bench.servers import ROOT

OURS = """
import time
begin = time.perf_counter()
from server.tictactoe import initial_state, minimax
minimax(initial_state())
print(time.perf_counter() - begin)
"""

Board = list[list[str | None]]


def first_move() -> Figures:
    done = subprocess.run(
        [sys.executable, "-c", OURS], cwd=ROOT, check=True, capture_output=True, text=True
    )
    begin = time.perf_counter()
    forgetful([[None] * 3 for _ in range(3)], "X")
    plain, ours = time.perf_counter() - begin, float(done.stdout)
    return {
        "import and first minimax, ms": ours * 1e3,
        "minimax without a cache, ms": plain * 1e3,
        "times as fast": plain / ours,
    }


def forgetful(board: Board, mark: str) -> int:
    """The value of a board by trying every move on a copy, as a beginner writes it."""
    cells = [cell for row in board for cell in row]
    for a, b, c in LINES:
        if cells[a] is not None and cells[a] == cells[b] == cells[c]:
            return 1 if cells[a] == "X" else -1
    if None not in cells:
        return 0
    values = []
    for cell in range(9):
        if cells[cell] is None:
            after = deepcopy(board)
            after[cell // 3][cell % 3] = mark
            values.append(forgetful(after, "O" if mark == "X" else "X"))
    return max(values) if mark == "X" else min(values)
