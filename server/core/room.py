"""A room as a fold over its log: `evolve` adds one event, `replay` all of them.

Everything a room ever shows is in `Room`, and `Room` comes from the log alone. What may happen next
is not decided here but in `decide.py`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NewType, TypeVar, assert_never

from server.core.clock import Clock
from server.core.commands import AI_PLAYER
from server.core.events import (
    AIDismissed,
    AISeated,
    ClockResumed,
    Event,
    GameForfeited,
    GameStarted,
    MovePlayed,
    Person,
    PlayerId,
    RematchAsked,
    RoomOpened,
    SeatLeft,
    SeatTaken,
    TimeControl,
)
from server.core.record import Record, replace
from server.core.rules import MARKS, Cell, Mark, Outcome, Position, Variant, X

RoomId = NewType("RoomId", str)
Seq = int
Status = Literal["waiting", "playing", "over"]
T = TypeVar("T")

GAMES_RECALLED = 16  # earlier games a resent command may still name


class AI(Record):
    """Our minimax in a seat, perhaps only covering for the person who holds it."""

    level: str
    covers: Person | None = None


Holder = Person | AI | None
People = tuple[PlayerId | None, PlayerId | None]


class Finished(Record):
    """How a game ended, who sat then and, once there is a rematch, who had asked for it."""

    outcome: Outcome
    players: People
    askers: People | None = None


class Room(Record):
    """Everything a room shows. `before` names who held a seat last, also once it is open."""

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
    before: People = (None, None)
    score: tuple[int, int] = (0, 0)
    draws: int = 0
    asked: frozenset[Mark] = frozenset()
    earlier: tuple[Finished, ...] = ()

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
        """Who is to move; nobody unless the game is being played."""
        if self.finished is not None:
            return None
        x, o = self.seats
        return None if x is None or o is None else MARKS[len(self.moves) % 2]

    def may_move(self, mark: Mark, player: PlayerId) -> bool:
        """Whether this player (or the AI) holds this seat."""
        holder = self.seats[mark]
        if isinstance(holder, Person):
            return holder.id == player
        return holder is not None and player == AI_PLAYER

    def seats_of(self, player: PlayerId) -> list[Mark]:
        """The seats this player (or the AI) may move for."""
        return [mark for mark in MARKS if _moves_for(self.seats[mark]) == player]

    def covered(self, player: PlayerId) -> bool:
        """Whether an AI holds a seat for this player."""
        return any(
            isinstance(holder, AI) and holder.covers and holder.covers.id == player
            for holder in self.seats
        )

    def may_analyse(self, player: PlayerId) -> bool:
        """Players may not look while their game runs, but for a hint against the AI."""
        own = [mark for mark in MARKS if owner_of(self.seats[mark]) == player]
        if self.outcome is not None or len(own) != 1:
            return True
        return isinstance(self.seats[own[0].other], AI)

    def is_unmanned(self) -> bool:
        """Whether no seat is a person's, not even one that an AI covers."""
        return all(owner_of(holder) in (None, AI_PLAYER) for holder in self.seats)

    def is_exhibition(self) -> bool:
        """Whether two AIs play for themselves."""
        return all(isinstance(holder, AI) and holder.covers is None for holder in self.seats)

    def is_unused(self) -> bool:
        """Whether nobody has ever made a move here."""
        return self.game == 1 and not self.moves and self.finished is None

    def is_done(self) -> bool:
        """Whether every game that was begun here is over."""
        return self.finished is not None or (self.game > 1 and not self.moves)

    def deadline(self) -> int | None:
        return self.clock.deadline() if self.clock else None


def _moves_for(holder: Holder) -> PlayerId | None:
    if isinstance(holder, Person):
        return holder.id
    return None if holder is None else AI_PLAYER


def replay(events: Iterable[Event]) -> Room | None:
    """The room a log describes; None for an empty log."""
    room: Room | None = None
    for event in events:
        room = evolve(room, event)
    return room


def evolve(room: Room | None, event: Event) -> Room:
    """The room after one more event."""
    if room is None:
        return _opened(event)
    if isinstance(event, MovePlayed):  # by far the most of them
        return _moved(room, event)
    return _evolved(replace(room, seq=room.seq + 1, changed=event.at), event)


def _evolved(room: Room, event: Event) -> Room:
    match event:
        case RematchAsked():
            return replace(room, asked=room.asked | {event.mark})
        case GameStarted():
            return _restarted(room, event.at)
        case SeatTaken():
            return _seated(room, event.mark, event.person, event.at)
        case SeatLeft():
            return _left(room, event)
        case AISeated():
            holder = room.seats[event.mark]
            covers = holder if isinstance(holder, Person) else None
            return _seated(room, event.mark, AI(event.level, covers), event.at)
        case AIDismissed():
            holder = room.seats[event.mark]
            owner = holder.covers if isinstance(holder, AI) else None
            return _seated(room, event.mark, owner, event.at)
        case GameForfeited():
            return _ended(room, Outcome(event.loser.other, event.by), event.at)
        case ClockResumed():
            return _resumed(room, event)
        case RoomOpened() | MovePlayed():
            raise ValueError("a room opens once, and a move is not made here")
        case _:
            assert_never(event)


def _resumed(room: Room, event: ClockResumed) -> Room:
    clock = room.clock
    return replace(room, clock=clock and clock.resume(now=event.at, away_since=event.since))


def _opened(event: Event) -> Room:
    if not isinstance(event, RoomOpened):
        raise ValueError(f"a log begins with RoomOpened, not {event!r}")
    return Room(
        variant=event.variant,
        public=event.public,
        time=event.time,
        seq=1,
        changed=event.at,
        moves=(),
        position=Position(event.variant),
        turn_since=event.at,
        clock=_new_clock(event.time),
    )


def _moved(room: Room, event: MovePlayed) -> Room:
    at, cell = event.at, event.cell
    position = room.position.marked(event.mark, cell)
    clock = room.clock and room.clock.press(now=at)
    moves = (*room.moves, cell)
    moved = replace(
        room,
        seq=room.seq + 1,
        changed=at,
        turn_since=at,
        moves=moves,
        position=position,
        clock=clock,
    )
    if len(moves) < room.variant.shortest:
        return moved
    outcome = position.outcome_of(event.mark, cell)
    return moved if outcome is None else _ended(moved, outcome, at)


def _seated(room: Room, mark: Mark, holder: Holder, at: int) -> Room:
    """Put `holder` into the seat; a score belongs to two people and ends with either."""
    if isinstance(holder, Person) and room.seats_of(holder.id).count(mark):  # only a new name
        return replace(room, seats=_put(room.seats, mark, holder))
    who = owner_of(holder)
    last = owner_of(room.seats[mark]) or room.before[mark]
    seated = replace(
        room,
        seats=_put(room.seats, mark, holder),
        before=_put(room.before, mark, who or last),
        turn_since=at,
    )
    if who is not None and last is not None and last != who:
        seated = replace(seated, score=(0, 0), draws=0)
    return _clock_follows(seated, at)


def owner_of(holder: Holder) -> PlayerId | None:
    """Whose seat it is: an AI that covers for somebody changes nothing."""
    if isinstance(holder, AI) and holder.covers is not None:
        return holder.covers.id
    return _moves_for(holder)


def _left(room: Room, event: SeatLeft) -> Room:
    holder = room.seats[event.mark]
    left = replace(room, asked=room.asked - {event.mark})
    if isinstance(holder, AI):  # it covered: now it plays for itself, and the score is nobody's
        seats = _put(room.seats, event.mark, AI(holder.level))
        return replace(left, seats=seats, score=(0, 0), draws=0)
    return _clock_follows(replace(left, seats=_put(room.seats, event.mark, None)), event.at)


def _clock_follows(room: Room, at: int) -> Room:
    """A clock stands still while a seat is open, and goes on when both are filled."""
    clock = room.clock
    if clock is None:
        return room
    if room.turn is None:
        return replace(room, clock=clock.stop(now=at))
    starts_again = bool(room.moves) and clock.since is None
    return replace(room, clock=clock.resume(now=at)) if starts_again else room


def _ended(room: Room, outcome: Outcome, at: int) -> Room:
    score, draws = list(room.score), room.draws
    if outcome.winner is None:
        draws += 1
    else:
        score[outcome.winner] += 1
    return replace(
        room,
        finished=Finished(outcome, _people(room)),
        score=(score[0], score[1]),
        draws=draws,
        clock=room.clock and room.clock.stop(now=at),
    )


def _restarted(room: Room, at: int) -> Room:
    if room.finished is None:
        raise ValueError("the next game starts when the last one is over")
    finished = Finished(room.finished.outcome, room.finished.players, askers=_people(room))
    return replace(
        room,
        game=room.game + 1,
        position=Position(room.variant),
        moves=(),
        finished=None,
        seats=room.seats[::-1],
        before=room.before[::-1],
        score=room.score[::-1],
        asked=frozenset(),
        clock=_new_clock(room.time),
        turn_since=at,
        earlier=(*room.earlier, finished)[-GAMES_RECALLED:],
    )


def _new_clock(time: TimeControl | None) -> Clock | None:
    return Clock.new(time.budget, increment=time.increment) if time else None


def _people(room: Room) -> People:
    x, o = room.seats
    return x.id if isinstance(x, Person) else None, o.id if isinstance(o, Person) else None


def _put(pair: tuple[T, T], mark: Mark, value: T) -> tuple[T, T]:
    return (value, pair[1]) if mark is X else (pair[0], value)
