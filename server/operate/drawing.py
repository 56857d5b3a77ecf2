"""A board as text, for every game.

>>> from server.core.evolve import replay
>>> from server.core.events import MovePlayed, RoomOpened
>>> from server.core.rules import CLASSIC, O, X
>>> room = replay([RoomOpened(0, CLASSIC, True), MovePlayed(1, X, 4), MovePlayed(2, O, 0)])
>>> print("\\n".join(draw(room)))
[O] ·  ·
 ·  X  ·
 ·  ·  ·
"""

from __future__ import annotations

from collections.abc import Iterator

from server.core.room import Room
from server.core.rules import BOARDS, Position

BETWEEN = "│"  # small boards


def draw(room: Room) -> Iterator[str]:
    """The lines of the board. The last move is in brackets, a mark that fades in parentheses."""
    variant, position = room.variant, room.position
    last = room.moves[-1] if room.moves else None
    fading = None if room.finished else position.fading
    for row in range(variant.rows):
        cells = []
        for column in range(variant.columns):
            cell = row * variant.columns + column
            mark = position.at(cell)
            text = "·" if mark is None else mark.name
            left, right = "[]" if cell == last else "()" if cell == fading else "  "
            cells.append(f"{left}{text}{right}")
            if variant.nested and column in (2, 5):
                cells.append(BETWEEN)
        if variant.nested and row in (3, 6):
            yield "┼".join(["─" * 9] * 3)
        yield "".join(cells).rstrip()
    if variant.nested:
        yield f"won: {' '.join(_owner(position, board) for board in BOARDS)}"


def _owner(position: Position, board: int) -> str:
    """Whose a small board is: nobody's (=) once it is full, still open (·)."""
    owner = position.owner(board)
    if owner is not None:
        return owner.name
    return "·" if position.is_open(board) else "="
