"""Proofs about the 5×5 game: can one side still complete a line, whatever the other does?

A position has two such questions, one for each side. A side whose answer is yes wins. If both
answers are no, the position is a draw. In each question one side attacks and the other defends: the
attacker has to complete a line, and the defender has to prevent that or to be faster. Three facts
keep the search small:

- A side that can complete a line does so. A side that faces a threat blocks it, and two threats
  cannot be blocked. Such moves are free: they cost no node.
- The Erdős–Selfridge bound. A line without a mark of the defender that lacks `n` marks weighs
  2**-n. If it is the defender's turn and all these lines together weigh less than 1, the attacker
  cannot win: the defender takes the heaviest cell each time, and the sum stays below 1.
- An attacker with `m` moves left cannot complete a line that lacks more than `m` marks. Such a line
  weighs nothing.

The bound needs a game where both sides may play any free cell. It is wrong under gravity.
"""

from __future__ import annotations

from functools import cache

from server.core.rules import FIVE, Bits, cells

LONGEST = (FIVE.size + 1) // 2  # moves of one side in a game
COST = 2  # nodes to expand a position: it takes twice as long as a node of the other searches
BOUND = 1 << FIVE.line  # the weight 1, in units of 2**-4
_FULL = FIVE.full
_LINES = FIVE.lines
_CELLS = range(FIVE.size)

Weights = dict[Bits, int]


class OutOfNodes(Exception):
    """The search has spent as many nodes as it may."""


class Prover:
    """Answers questions while nodes are `left`, and keeps the answers.

    >>> from server.core.rules import read_position
    >>> fork = read_position("O.... .XX.. ..... .X..O ....O", FIVE)
    >>> Prover(nodes=10).can_win(fork.x, fork.o, moves=2, is_next=True)
    True
    >>> Prover(nodes=10).can_win(fork.o, fork.x, moves=2, is_next=False)
    False
    """

    def __init__(self, nodes: int) -> None:
        self.left = nodes
        self._floor = 0  # of `left`, for the current question
        self._weights, self._counter = _weights_by_moves(), _weights(4)
        self._known: dict[int, bool] = {}
        self._gaps = _Gaps()
        self._open = _Open()

    def can_win(
        self, own: Bits, other: Bits, moves: int, *, is_next: bool, nodes: int | None = None
    ) -> bool | None:
        """Whether the side with the marks `own` can win with at most so many moves of its own.

        `is_next`: it is this side's turn. None if the answer takes more than `nodes`, or more than
        are left. Neither side may have a line.
        """
        self._floor = 0 if nodes is None else max(self.left - nodes, 0)
        try:
            return (self._attack if is_next else self._defend)(own, other, moves)
        except OutOfNodes:
            return None

    def _attack(self, own: Bits, other: Bits, moves: int) -> bool:
        """Whether the attacker wins when it is the attacker's turn."""
        free = _FULL & ~(own | other)
        if self._gaps[own] & free:
            return moves > 0
        if moves <= 1:
            return False
        threats = self._gaps[other] & free
        if threats:
            return not threats & (threats - 1) and self._defend(own | threats, other, moves - 1)
        key = (own << 25 | other) << 5 | moves
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._try_attacks(own, other, moves, free)
        return known

    def _defend(self, own: Bits, other: Bits, moves: int) -> bool:
        """Whether the attacker wins when it is the defender's turn."""
        free = _FULL & ~(own | other)
        if self._gaps[other] & free:
            return False
        threats = self._gaps[own] & free
        if threats:
            if threats & (threats - 1):
                return moves > 0
            return self._attack(own, other | threats, moves)
        key = (own << 25 | other) << 5 | moves | 16  # `moves` has four bits
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._try_defences(own, other, moves, free)
        return known

    def _try_attacks(self, own: Bits, other: Bits, moves: int, free: Bits) -> bool:
        """Try the heaviest cells first, and leave out those that the bound refutes."""
        self._spend()
        weights = self._weights[moves]
        total = sum([weights[line & free] for line in self._open[other]])
        weight = total.to_bytes(FIVE.size + 1, "little")
        needed = BOUND - weight[-1]
        tried = [cell for cell in _CELLS if weight[cell] >= needed and free >> cell & 1]
        tried.sort(key=weight.__getitem__, reverse=True)
        return any(self._defend(own | 1 << cell, other, moves - 1) for cell in tried)

    def _try_defences(self, own: Bits, other: Bits, moves: int, free: Bits) -> bool:
        """Try counter-attacks first: a threat often takes the attacker's best cell for free."""
        self._spend()
        weights, counter = self._weights[moves], self._counter
        total = sum([weights[line & free] for line in self._open[other]])
        if total >> 8 * FIVE.size < BOUND:
            return False
        total = 2 * total + sum([counter[line & free] for line in self._open[own]])
        weight = total.to_bytes(FIVE.size + 2, "little")
        tried = [cell for cell in _CELLS if weight[cell]]  # other cells matter to neither side
        tried.sort(key=weight.__getitem__, reverse=True)
        return all(self._attack(own, other | 1 << cell, moves) for cell in tried)

    def _spend(self) -> None:
        if self.left - COST < self._floor:
            raise OutOfNodes
        self.left -= COST


class _Gaps(dict[Bits, Bits]):
    """For the marks of a side, the cells that complete a line of theirs, free or not."""

    def __missing__(self, marks: Bits) -> Bits:
        found = 0
        for line in _LINES:
            lacking = line & ~marks
            if not lacking & (lacking - 1):
                found |= lacking
        self[marks] = found
        return found


class _Open(dict[Bits, tuple[Bits, ...]]):
    """For the marks of a side, the lines that they do not block."""

    def __missing__(self, marks: Bits) -> tuple[Bits, ...]:
        found = self[marks] = tuple([line for line in _LINES if not line & marks])
        return found


@cache
def _weights(base: int, moves: int = FIVE.line) -> Weights:
    """For every set of cells that a line may lack: its weight, once for each of these cells.

    The weight is `base` to the power of the marks that the line has; 0 if `moves` cannot complete
    it. An integer has a byte for each cell, and the weight of the line after these. So a sum over
    lines has the weight of every cell, and of all lines together. While neither side has a threat,
    no byte overflows.
    """
    weights = {}
    for line in _LINES:
        lacking = line
        while lacking:
            count = lacking.bit_count()
            weight = base ** (FIVE.line - count) if count <= moves else 0
            weights[lacking] = sum(weight << 8 * place for place in [*cells(lacking), FIVE.size])
            lacking = (lacking - 1) & line
    return weights


@cache
def _weights_by_moves() -> tuple[Weights, ...]:
    return tuple(_weights(2, min(moves, FIVE.line)) for moves in range(LONGEST + 1))
