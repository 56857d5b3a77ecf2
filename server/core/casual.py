"""Casual play: what somebody sees who looks one move ahead. It needs no search.

It wins on the spot, else prevents that the other side does, else plays anywhere. Where boards are
nested, it then looks at the small boards in the same way. Where a line loses, it only avoids to
complete one.
"""

from __future__ import annotations

from server.core.rules import BOARD_OF, Bits, Cell, Position, cells


def casual_cells(position: Position) -> list[Cell]:
    """The cells that casual play chooses from, all equally likely; the game is not over."""
    anywhere = list(cells(position.playable()))
    own, other = _lasting_marks(position)
    if position.variant.avoid:
        completing = _completing(position, own)
        return [cell for cell in anywhere if cell not in completing] or anywhere
    chosen = _completing(position, own) or _completing(position, other)
    if position.variant.nested and not chosen:
        chosen = _taking_a_board(position, own) or _taking_a_board(position, other)
    return chosen or anywhere


def winning_cells(position: Position) -> list[Cell]:
    """The cells that win the game on the spot."""
    return [] if position.variant.avoid else _completing(position, _lasting_marks(position)[0])


def _lasting_marks(position: Position) -> tuple[Bits, Bits]:
    """The marks of the side to move and of the other side that their next moves leave there.

    Where marks vanish, the oldest of a side is gone once it has one more than it may keep.
    """
    own, other = position.to_move
    keep, last = position.variant.keep, position.last
    if keep and len(last) == 2 * keep:
        own ^= 1 << last[0]
    if keep and len(last) >= 2 * keep - 1:
        other ^= 1 << last[1 - 2 * keep]
    return own, other


def _completing(position: Position, own: Bits) -> list[Cell]:
    """The playable cells that complete a line with the marks `own`, and so decide the game."""
    variant = position.variant
    if variant.nested:
        bits = {cell: 1 << variant.size + BOARD_OF[cell] for cell in _taking_a_board(position, own)}
    else:
        bits = {cell: 1 << cell for cell in cells(position.playable())}
    through = variant.lines_through
    return [
        cell
        for cell, bit in bits.items()
        if any((own | bit) & line == line for line in through[cell])
    ]


def _taking_a_board(position: Position, own: Bits) -> list[Cell]:
    """The playable cells that complete a line of a small board with the marks `own`."""
    through = position.variant.small_lines_through
    return [
        cell
        for cell in cells(position.playable())
        if any((own | 1 << cell) & line == line for line in through[cell])
    ]
