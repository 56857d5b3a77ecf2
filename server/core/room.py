"""A room: everything it shows, as one value, and the questions that others ask about it.

A `Room` follows from its log alone (`core/evolve.py`). `core/decide.py` knows what may happen next.
"""

from __future__ import annotations

from typing import NewType

from noughts.shapes import Status
from server.core.clock import Clock
from server.core.commands import AI_PLAYER
from server.core.events import Person, PlayerId, TimeControl
from server.core.record import Record
from server.core.rules import MARKS, Cell, Mark, Outcome, Position, Variant, play_all

RoomId = NewType("RoomId", str)
Seq = int


class AI(Record):
    """Our minimax in a seat: for itself, or covering for the person who owns the seat."""

    level: str
    covers: Person | None = None


Holder = Person | AI | None
People = tuple[PlayerId | None, PlayerId | None]


class Finished(Record):
    """A game that is over. `askers` is set with the next game: the people who agreed to it."""

    outcome: Outcome
    players: People
    askers: People | None = None


class Room(Record):
    """Everything a room shows after `seq` events, the last of them at `changed`.

    `last_owners`: for each seat its owner, or the last one if the seat is open.
    `rematch_asked`: the seats that have asked for the next game.
    `earlier_games`: the last few games before this one, oldest first.
    `opening`: how many of `moves` were given when the room was opened.
    """

    variant: Variant
    public: bool
    time: TimeControl | None
    seq: Seq
    changed: int
    moves: tuple[Cell, ...]
    position: Position
    turn_since: int
    clock: Clock | None = None
    finished: Finished | None = None
    game: int = 1
    seats: tuple[Holder, Holder] = (None, None)
    last_owners: People = (None, None)
    score: tuple[int, int] = (0, 0)
    draws: int = 0
    rematch_asked: frozenset[Mark] = frozenset()
    earlier_games: tuple[Finished, ...] = ()
    opening: int = 0

    @property
    def outcome(self) -> Outcome | None:
        return None if self.finished is None else self.finished.outcome

    @property
    def status(self) -> Status:
        if self.finished is not None:
            return "over"
        x, o = self.seats
        return "waiting" if x is None or o is None else "playing"

    @property
    def turn(self) -> Mark | None:
        """The side to move; None unless the game is being played."""
        if self.finished is not None:
            return None
        x, o = self.seats
        return None if x is None or o is None else MARKS[len(self.moves) % 2]

    def position_at(self, ply: int) -> Position:
        """The position of this game after its first `ply` moves."""
        return play_all(self.variant, self.moves[:ply])

    def may_move(self, mark: Mark, player: PlayerId) -> bool:
        """Whether this player (or the AI) plays this seat."""
        holder = self.seats[mark]
        if isinstance(holder, Person):
            return holder.id == player
        return holder is not None and player == AI_PLAYER

    def seats_of(self, player: PlayerId) -> list[Mark]:
        """The seats that this player (or the AI) plays."""
        return [mark for mark in MARKS if mover_of(self.seats[mark]) == player]

    def is_covered(self, player: PlayerId) -> bool:
        """Whether an AI covers for this player."""
        return any(
            isinstance(holder, AI) and holder.covers and holder.covers.id == player
            for holder in self.seats
        )

    def may_analyse(self, player: PlayerId) -> bool:
        """Whether an analysis is fair: players get none during a game, except against the AI."""
        own = [mark for mark in MARKS if owner_of(self.seats[mark]) == player]
        if self.outcome is not None or len(own) != 1:
            return True
        return isinstance(self.seats[own[0].other], AI)

    def finished_since(self, before: Room) -> list[Finished]:
        """The games that have ended since the room was like this."""
        over = [*self.earlier_games, *([] if self.finished is None else [self.finished])]
        new = self.games_over - before.games_over
        return over[-new:] if new > 0 else []

    @property
    def games_over(self) -> int:
        return self.game - 1 + (self.finished is not None)

    def is_unmanned(self) -> bool:
        """Whether no seat is owned by a person, not even one that an AI covers."""
        return all(owner_of(holder) in (None, AI_PLAYER) for holder in self.seats)

    def is_exhibition(self) -> bool:
        """Whether two AIs play for themselves."""
        return all(isinstance(holder, AI) and holder.covers is None for holder in self.seats)

    def is_unused(self) -> bool:
        """Whether no move was ever made here."""
        return self.game == 1 and len(self.moves) == self.opening and self.finished is None

    def is_done(self) -> bool:
        """Whether every game that was begun here is over."""
        return self.finished is not None or (self.game > 1 and not self.moves)

    def deadline(self) -> int | None:
        """The instant the flag of the side to move falls; None unless a clock runs."""
        return self.clock.deadline() if self.clock else None


def mover_of(holder: Holder) -> PlayerId | None:
    """The player who moves for a seat with this holder."""
    if isinstance(holder, Person):
        return holder.id
    return None if holder is None else AI_PLAYER


def owner_of(holder: Holder) -> PlayerId | None:
    """The player who owns a seat with this holder, also while an AI covers for them."""
    if isinstance(holder, AI) and holder.covers is not None:
        return holder.covers.id
    return mover_of(holder)
