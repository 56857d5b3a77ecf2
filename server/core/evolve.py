"""A room as a fold over its log: `evolve` adds one event, `replay` adds all of them.

No event is refused here. `core/decide.py` has decided that it may happen before it was stored.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar, assert_never

from server.core.clock import Clock
from server.core.events import (
    AIDismissed,
    AISeated,
    ClockResumed,
    Event,
    GameForfeited,
    GameStarted,
    MovePlayed,
    Person,
    RematchAsked,
    RoomOpened,
    SeatLeft,
    SeatTaken,
    TimeControl,
)
from server.core.record import replace
from server.core.room import AI, Finished, Holder, People, Room, owner_of
from server.core.rules import MARKS, Mark, Outcome, Position, X, play_all

T = TypeVar("T")

EARLIER_GAMES = 16  # games that a repeated command can still name


def replay(events: Iterable[Event]) -> Room | None:
    """The room a log describes; None for an empty log."""
    room: Room | None = None
    for event in events:
        room = evolve(room, event)
    return room


def evolve(room: Room | None, event: Event) -> Room:
    """The room after one more event."""
    if room is None:
        return _open(event)
    if isinstance(event, MovePlayed):  # the common case, copied once instead of twice
        return _move(room, event)
    return _change(replace(room, seq=room.seq + 1, changed=event.at), event)


def _open(event: Event) -> Room:
    if not isinstance(event, RoomOpened):
        raise ValueError(f"a log begins with RoomOpened, not {event!r}")
    return Room(
        variant=event.variant,
        public=event.public,
        time=event.time,
        seq=1,
        changed=event.at,
        moves=event.opening,
        position=play_all(event.variant, event.opening),
        turn_since=event.at,
        clock=_new_clock(event.time, MARKS[len(event.opening) % 2]),
        opening=len(event.opening),
    )


def _move(room: Room, event: MovePlayed) -> Room:
    at, cell = event.at, event.cell
    position = room.position.play(cell)
    moves = (*room.moves, cell)
    moved = replace(
        room,
        seq=room.seq + 1,
        changed=at,
        turn_since=at,
        moves=moves,
        position=position,
        clock=room.clock and room.clock.press(now=at),
    )
    if len(moves) < room.variant.shortest:
        return moved
    outcome = position.outcome_after(cell)
    return moved if outcome is None else _end_game(moved, outcome, at)


def _change(room: Room, event: Event) -> Room:
    match event:
        case RematchAsked():
            return replace(room, rematch_asked=room.rematch_asked | {event.mark})
        case GameStarted():
            return _start_next_game(room, event.at)
        case SeatTaken():
            return _seat(room, event.mark, event.person, event.at)
        case SeatLeft():
            return _leave(room, event)
        case AISeated():
            holder = room.seats[event.mark]
            covers = holder if isinstance(holder, Person) else None
            return _seat(room, event.mark, AI(event.level, covers), event.at)
        case AIDismissed():
            holder = room.seats[event.mark]
            owner = holder.covers if isinstance(holder, AI) else None
            return _seat(room, event.mark, owner, event.at)
        case GameForfeited():
            return _end_game(room, Outcome(event.loser.other, event.by), event.at)
        case ClockResumed():
            return _resume_clock(room, event)
        case RoomOpened() | MovePlayed():
            raise ValueError("a room opens once, and `_move` makes the moves")
        case _:
            assert_never(event)


def _seat(room: Room, mark: Mark, holder: Holder, at: int) -> Room:
    """Put `holder` into the seat. The score is that of two owners: a new owner resets it."""
    if isinstance(holder, Person) and mark in room.seats_of(holder.id):  # only the name is new
        return replace(room, seats=_put(room.seats, mark, holder))
    owner = owner_of(holder)
    last_owner = owner_of(room.seats[mark]) or room.last_owners[mark]
    seated = replace(
        room,
        seats=_put(room.seats, mark, holder),
        last_owners=_put(room.last_owners, mark, owner or last_owner),
        turn_since=at,
    )
    if owner is not None and last_owner is not None and last_owner != owner:
        seated = replace(seated, score=(0, 0), draws=0)
    return _run_or_stop_clock(seated, at)


def _leave(room: Room, event: SeatLeft) -> Room:
    holder = room.seats[event.mark]
    left = replace(room, rematch_asked=room.rematch_asked - {event.mark})
    if isinstance(holder, AI):  # it covered; now it plays for itself, with a new score
        seats = _put(room.seats, event.mark, AI(holder.level))
        return replace(left, seats=seats, score=(0, 0), draws=0)
    return _run_or_stop_clock(replace(left, seats=_put(room.seats, event.mark, None)), event.at)


def _end_game(room: Room, outcome: Outcome, at: int) -> Room:
    score, draws = list(room.score), room.draws
    if outcome.winner is None:
        draws += 1
    else:
        score[outcome.winner] += 1
    return replace(
        room,
        finished=Finished(outcome, _people_in(room)),
        score=(score[0], score[1]),
        draws=draws,
        clock=room.clock and room.clock.stop(now=at),
    )


def _start_next_game(room: Room, at: int) -> Room:
    if room.finished is None:
        raise ValueError("the next game starts when the last one is over")
    finished = replace(room.finished, askers=_people_in(room))
    return replace(
        room,
        game=room.game + 1,
        position=Position(room.variant),
        moves=(),
        opening=0,
        finished=None,
        seats=room.seats[::-1],
        last_owners=room.last_owners[::-1],
        score=room.score[::-1],
        rematch_asked=frozenset(),
        clock=_new_clock(room.time),
        turn_since=at,
        earlier_games=(*room.earlier_games, finished)[-EARLIER_GAMES:],
    )


def _new_clock(time: TimeControl | None, turn: Mark = X) -> Clock | None:
    return Clock.new(time.budget, increment=time.increment, turn=turn) if time else None


def _run_or_stop_clock(room: Room, at: int) -> Room:
    """The clock stands while a seat is open, and runs again when both are filled."""
    clock = room.clock
    if clock is None:
        return room
    if room.turn is None:
        return replace(room, clock=clock.stop(now=at))
    runs_again = len(room.moves) > room.opening and clock.since is None
    return replace(room, clock=clock.resume(now=at)) if runs_again else room


def _resume_clock(room: Room, event: ClockResumed) -> Room:
    clock = room.clock
    return replace(room, clock=clock and clock.resume(now=event.at, away_since=event.since))


def _people_in(room: Room) -> People:
    x, o = room.seats
    return x.id if isinstance(x, Person) else None, o.id if isinstance(o, Person) else None


def _put(pair: tuple[T, T], mark: Mark, value: T) -> tuple[T, T]:
    return (value, pair[1]) if mark is X else (pair[0], value)
