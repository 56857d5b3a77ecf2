"""Search for games that are too large to solve: negamax with iterative deepening.

Theory of operation. A game family lends the search a `Face`: how it writes a position as a hashable
*state*, and which moves of a state can matter. Everything else happens here, once for all games: a
null-window search (PVS), a transposition table with bounds, move ordering by history, and a limit
of nodes. A visit to a state costs one node, and to generate its moves one more for every two moves.
The table starts empty for each question, and nothing reads the time, so the same question has the
same answer in any process.

A score is one integer for the side to move, and it carries its own proof:

- `WIN - p` is a proven win that ends the game at ply `p`, `p - WIN` a proven loss. The faster win
  and the slower loss are higher. `p` counts from the beginning of the game, so a state has the same
  score on every path to it.
- 0 is a proven draw.
- Anything else is an estimate. An estimate is never 0.

A state is a draw only if one move draws and every other move is proven to be no better. If another
move only looks bad, the state scores `HOPE`, the smallest estimate above a draw. A score outside
the window is a bound, and a bound is proven in its own direction: 0 at or above `beta` is at least
a draw, 0 at or below `alpha` at most one.

A forced move costs no depth. So a search may prove a win in 11 and miss a win in 7. The length of
a win is known to be the shortest only if the search has seen every line that is two plies shorter.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, Protocol, TypeVar

from server.core.rules import Cell, Position, cells
from server.core.verdicts import Verdict

WIN = 10_000
PROVEN = 9_000  # a score this high is a proven win
LIMIT = 8_000  # an estimate is at most this
HALFWAY = 1_000  # the estimate that is shown as 50 of 100
HOPE = 1
INFINITE = 20_000
FOREVER = 1_000  # the depth of what is proven

EXACT, AT_LEAST, AT_MOST = 0, 1, 2

State = TypeVar("State", bound=Hashable)
Move = tuple[int, Cell, State]  # its score, the cell, the state after it
Entry = tuple[list[Move[State]], int, int, int]  # the moves, depth, score, bound


class Face(Protocol[State]):
    """What the search needs to know about a family of games.

    Each move has to add a mark, so that no state repeats.
    """

    def read(self, position: Position) -> State:
        """The state of a position that is not over."""

    def expand(self, state: State) -> list[Move[State]]:
        """The moves of a state, at least one, in any order.

        A score that is not an estimate is final, and the state after such a move is never looked
        at. This is how a face ends a game. A move may be left out if another is proven to be as
        good. A single move is forced.
        """


class OutOfNodes(Exception):
    """The search has looked at as many nodes as it may."""


class Search(Generic[State]):
    """One question: the table, the history and the nodes that are left."""

    def __init__(self, face: Face[State], nodes: int) -> None:
        self.left = nodes
        self._expand = face.expand
        self._table: dict[State, Entry[State]] = {}
        self._history = [0] * 128

    def score(self, state: State, depth: int, alpha: int, beta: int) -> int:
        """The score of a state after `depth` more plies, or a bound if it is outside the window."""
        known = self._table.get(state)
        if known is None:
            moves = self._expand(state)
            self.left -= 1 + len(moves) // 2
            if depth > 1:
                history = self._history
                moves.sort(key=lambda move: -move[0] - history[move[1]])
        else:
            self.left -= 1
            moves, searched, score, bound = known
            if searched >= depth and (
                bound == EXACT or (score >= beta if bound == AT_LEAST else score <= alpha)
            ):
                return score
        if self.left < 0:
            raise OutOfNodes
        if len(moves) == 1:
            score, _, after = moves[0]
            if 0 != score < PROVEN and score > -PROVEN:
                score = -self.score(after, depth, -beta, -alpha)
        elif depth == 1:
            score = _settle([move[0] for move in moves])
        else:
            score = self._try(moves, depth, alpha, beta)
        self._keep(state, moves, depth, score, alpha, beta)
        return score

    def _try(self, moves: list[Move[State]], depth: int, alpha: int, beta: int) -> int:
        """The best score of these moves. The best move comes to the front."""
        best, index, is_open, floor = -INFINITE, 0, False, alpha
        for i, (score, cell, after) in enumerate(moves):
            if 0 != score < PROVEN and score > -PROVEN:
                if i == 0:
                    score = -self.score(after, depth - 1, -beta, -floor)
                else:
                    score = -self.score(after, depth - 1, -floor - 1, -floor)
                    if floor < score < beta:
                        score = -self.score(after, depth - 1, -beta, -floor)
            if score > best:
                best, index = score, i
                if score > floor:
                    if score >= beta:
                        self._history[cell] += depth * depth
                        break
                    floor = score
            if -PROVEN < score < 0:
                is_open = True
        else:
            if best == 0 and is_open:
                best = HOPE
        if index:
            moves.insert(0, moves.pop(index))
        return best

    def _keep(
        self, state: State, moves: list[Move[State]], depth: int, score: int, alpha: int, beta: int
    ) -> None:
        bound = AT_LEAST if score >= beta else AT_MOST if score <= alpha else EXACT
        if score >= PROVEN:
            if bound != AT_MOST:
                depth, bound = FOREVER, AT_LEAST  # a deeper search may find a faster win
        elif score <= -PROVEN:
            if bound != AT_LEAST:
                depth, bound = FOREVER, AT_MOST
        elif score == 0:
            depth = FOREVER
        self._table[state] = moves, depth, score, bound


def _settle(scores: list[int]) -> int:
    """The score of a state from the scores of its moves."""
    best = max(scores)
    if best == 0 and any(-PROVEN < score < 0 for score in scores):
        return HOPE
    return best


class Root(Generic[State]):
    """A move from the position in question."""

    def __init__(self, cell: Cell, state: State | None, score: int) -> None:
        self.cell = cell
        self.state = state  # None if the move ends the game
        self.score = score
        self.is_known = state is None  # its value, and how long the game lasts


def search(face: Face[State], position: Position, nodes: int) -> dict[Cell, Verdict]:
    """A verdict for each playable cell; {} once the game is over.

    The best of them is searched the deepest. Another cell may be `unknown` where a search of its
    own would prove more; its estimate is then below that of the best.
    """
    if position.outcome() is not None:
        return {}
    roots = [_root(face, position, cell) for cell in cells(position.playable())]
    question = Search(face, nodes)
    try:
        for depth in range(1, FOREVER):
            if all(root.is_known for root in roots):
                break
            _deepen(question, roots, depth, position.ply, nodes)
    except OutOfNodes:
        pass
    best = max(root.score for root in roots)
    return {root.cell: _verdict(root, position.ply, best) for root in roots}


def _root(face: Face[State], position: Position, cell: Cell) -> Root[State]:
    after = position.play(cell)
    outcome = after.outcome_after(cell)
    if outcome is None:
        return Root(cell, face.read(after), HOPE)
    if outcome.winner is None:
        return Root(cell, None, 0)
    score = WIN - after.ply
    return Root(cell, None, score if outcome.winner is position.turn else -score)


def _deepen(
    question: Search[State], roots: list[Root[State]], depth: int, ply: int, nodes: int
) -> None:
    """Search every move to this depth, the most promising first."""
    best = -INFINITE
    for root in sorted(roots, key=lambda root: -root.score):
        if root.state is not None and not root.is_known:
            # Early, and once the best move is proven, every move gets a score of its own.
            is_wide = question.left * 8 > nodes * 7 or is_proven(best)
            floor = -INFINITE if is_wide else best
            score = -INFINITE
            if floor > -INFINITE:
                score = -question.score(root.state, depth, -floor - 1, -floor)
            if floor == -INFINITE or score > floor:
                score = -question.score(root.state, depth, -INFINITE, -floor)
            _note(root, score, floor)
            # Every line of `depth + 1` plies was seen, and a faster win is two plies shorter.
            is_shortest = WIN - abs(score) - ply <= depth + 3
            root.is_known = score > floor and (score == 0 or is_shortest)
        best = max(best, root.score)


def _note(root: Root[State], score: int, floor: int) -> None:
    if score > floor or score <= -PROVEN:
        root.score = score
    else:
        root.score = max(-LIMIT, min(root.score, score, floor - 1, LIMIT)) or -HOPE


def is_proven(score: int) -> bool:
    return score == 0 or abs(score) >= PROVEN


def _verdict(root: Root[State], ply: int, best: int) -> Verdict:
    score = root.score
    if score == 0:
        return Verdict("draw", None)
    plies = WIN - abs(score) - ply if root.is_known else None
    if abs(score) >= PROVEN:
        return Verdict("win" if score > 0 else "loss", plies)
    estimate = _of_hundred(score)
    if score < best < PROVEN:  # it may be worse by far: it was only searched to be no better
        estimate = min(estimate, _of_hundred(best) - 1)
    return Verdict("unknown", None, estimate)


def _of_hundred(score: int) -> int:
    """An estimate as it is shown. It is rounded away from 0, which is a draw."""
    size = abs(score)
    shown = -(-100 * size // (size + HALFWAY))
    return shown if score > 0 else -shown
