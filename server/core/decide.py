"""What a command makes happen in a room: `decide(room, command, now)` gives the events.

Pure: it reads no clock, draws no ids and awaits nothing. A refused command raises `Refused` and
leaves no trace; no events at all mean that things already are as asked, so sending twice is safe.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from server.core.commands import (
    Claim,
    Command,
    Create,
    DismissAI,
    Expire,
    Leave,
    Play,
    Reason,
    Refused,
    Rematch,
    Resign,
    SeatAI,
    Sit,
    Wake,
)
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
)
from server.core.levels import LEVELS
from server.core.room import AI, Finished, Room
from server.core.rules import MARKS, Ending, Mark

COVER_AFTER = 20_000  # ms offline before the AI may cover a seat
CLAIM_AFTER = 30_000  # ms offline in one's own turn before the other may claim the win

Events = tuple[Event, ...]


def decide(room: Room | None, command: Command, now: int) -> Events:
    """The events `command` brings about at `now`; `Refused` if it may not."""
    if room is None:
        if isinstance(command, Create):
            return _create(command, now)
        raise Refused(Reason.NO_SUCH_ROOM)
    match command:
        case Play():
            return _play(room, command, now)
        case Rematch():
            return _rematch(room, command, now)
        case Sit():
            return _sit(room, command, now)
        case Leave():
            return _leave(room, command, now)
        case SeatAI():
            return _seat_ai(room, command, now)
        case DismissAI():
            return _dismiss_ai(room, command, now)
        case Resign():
            return _resign(room, command, now)
        case Claim():
            return _claim(room, command, now)
        case Expire():
            return _expire(room, now)
        case Create():
            return ()
        case Wake():
            return _wake(room, command, now)
        case _:
            assert_never(command)


def _create(command: Create, now: int) -> Events:
    events: list[Event] = [RoomOpened(now, command.variant, command.public, command.time)]
    for mark in MARKS:
        holder = command.seats[mark]
        if isinstance(holder, Person):
            events.append(SeatTaken(now, mark, holder))
        elif holder is not None:
            if holder not in LEVELS:
                raise Refused(Reason.NO_SUCH_LEVEL)
            events.append(AISeated(now, mark, holder))
    return tuple(events)


def _play(room: Room, command: Play, now: int) -> Events:
    turn, cell = room.turn, command.cell
    if turn is None or command.ply != len(room.moves) or not room.may_move(turn, command.by):
        return _not_in_turn(room, command)
    if command.game is not None:
        _means_this_game(room, command.game)
    if not 0 <= cell < room.variant.size:
        raise Refused(Reason.NO_SUCH_CELL)
    if not room.position.is_free(cell):
        raise Refused(Reason.CELL_TAKEN)
    return (MovePlayed(now, turn, cell),)


def _not_in_turn(room: Room, command: Play) -> Events:
    """A move that cannot be made: again, or too late, or too early, or by somebody else."""
    ours = room.seats_of(command.by)
    if not ours:
        raise Refused(Reason.NOT_SEATED)
    same_game = command.game is None or command.game == room.game
    if same_game and _already_played(room, command, ours):
        return ()
    if room.outcome is not None:
        raise Refused(Reason.GAME_OVER)
    if room.turn is None:
        raise Refused(Reason.WAITING)
    if not same_game or command.ply != len(room.moves):
        raise Refused(Reason.STALE)
    raise Refused(Reason.NOT_YOUR_TURN)


def _already_played(room: Room, command: Play, ours: list[Mark]) -> bool:
    return (
        0 <= command.ply < len(room.moves)
        and room.moves[command.ply] == command.cell
        and MARKS[command.ply % 2] in ours
    )


def _sit(room: Room, command: Sit, now: int) -> Events:
    taken = (SeatTaken(now, command.seat, command.by),)
    match room.seats[command.seat]:
        case None:
            return taken
        case Person(id=sitting, name=name) if sitting == command.by.id:
            return () if name == command.by.name else taken
        case AI(covers=Person(id=owner)) if owner == command.by.id:
            return taken
        case _:
            raise Refused(Reason.SEAT_TAKEN)


def _leave(room: Room, command: Leave, now: int) -> Events:
    match room.seats[command.seat]:
        case Person(id=owner) | AI(covers=Person(id=owner)) if owner == command.by:
            return (SeatLeft(now, command.seat),)
        case AI() | None if room.before[command.seat] == command.by:
            return ()  # it was theirs, and they have left it already
        case _:
            raise Refused(Reason.NOT_SEATED)


def _seat_ai(room: Room, command: SeatAI, now: int) -> Events:
    if command.level not in LEVELS:
        raise Refused(Reason.NO_SUCH_LEVEL)
    seated: Events = (AISeated(now, command.seat, command.level),)
    if _agreed(room, room.asked, command.seat):
        seated = (*seated, GameStarted(now))
    match room.seats[command.seat]:
        case AI(level=level) if level == command.level:
            return ()
        case AI():
            raise Refused(Reason.SEAT_TAKEN)
        case None:
            _may_seat(room, command.by)
            return seated
        case Person(id=owner):
            if not room.seats_of(command.by):
                raise Refused(Reason.NOT_SEATED)
            if owner == command.by or command.absent_for < COVER_AFTER:
                raise Refused(Reason.SEAT_TAKEN)
            return seated
        case holder:
            assert_never(holder)


def _dismiss_ai(room: Room, command: DismissAI, now: int) -> Events:
    _may_seat(room, command.by)
    if not isinstance(room.seats[command.seat], AI):
        return ()
    return (AIDismissed(now, command.seat),)


def _may_seat(room: Room, player: PlayerId) -> None:
    """For whoever sits here, for an owner who is covered, and for anybody while no person sits."""
    if not (room.seats_of(player) or room.covered(player) or room.is_unmanned()):
        raise Refused(Reason.NOT_SEATED)


def _resign(room: Room, command: Resign, now: int) -> Events:
    def resigned(game: Finished) -> bool:
        lost = game.outcome.loser
        by_word = game.outcome.by is Ending.RESIGNATION
        return by_word and lost is not None and game.players[lost] == command.by

    if _happened(room, command.game, resigned):
        return ()
    ours = _seats_in(room, command.by, command.game)
    if room.outcome is not None:
        raise Refused(Reason.GAME_OVER)
    if room.turn is None:
        raise Refused(Reason.WAITING)
    loser = room.turn if room.turn in ours else ours[0]
    return (GameForfeited(now, loser, Ending.RESIGNATION),)


def _claim(room: Room, command: Claim, now: int) -> Events:
    def claimed(game: Finished) -> bool:
        won = game.outcome.winner
        by_absence = game.outcome.by is Ending.ABSENCE
        return by_absence and won is not None and game.players[won] == command.by

    if _happened(room, command.game, claimed):
        return ()
    ours = _seats_in(room, command.by, command.game)
    if room.outcome is not None:
        raise Refused(Reason.GAME_OVER)
    turn = room.turn
    if turn is None:
        raise Refused(Reason.WAITING)
    waited = min(command.absent_for, now - room.turn_since)
    if turn in ours or isinstance(room.seats[turn], AI) or waited < CLAIM_AFTER:
        raise Refused(Reason.TOO_EARLY)
    return (GameForfeited(now, turn, Ending.ABSENCE),)


def _rematch(room: Room, command: Rematch, now: int) -> Events:
    def asked(game: Finished) -> bool:
        return game.askers is not None and (command.by in game.askers or not any(game.askers))

    if command.game is not None and _happened(room, command.game, asked):
        return ()
    ours = room.seats_of(command.by)
    if not ours and not (command.follows and room.is_exhibition()):
        raise Refused(Reason.NOT_SEATED)
    _means_this_game(room, command.game)
    if room.finished is None:
        raise Refused(Reason.GAME_NOT_OVER)
    if not ours:
        return (GameStarted(now),)
    events: Events = tuple([RematchAsked(now, mark) for mark in ours if mark not in room.asked])
    if events and _agreed(room, room.asked.union(ours)):
        return (*events, GameStarted(now))
    return events


def _agreed(room: Room, asked: frozenset[Mark], ai: Mark | None = None) -> bool:
    """Whether the next game starts, once these have asked for it; an AI agrees at once.

    `ai` is a seat in which an AI is about to sit.
    """
    if room.finished is None or not asked:
        return False
    for mark in MARKS:
        if mark not in asked and mark is not ai and not isinstance(room.seats[mark], AI):
            return False
    return True


def _expire(room: Room, now: int) -> Events:
    deadline, turn = room.deadline(), room.turn
    if deadline is None or turn is None or now < deadline:
        return ()
    return (GameForfeited(now, turn, Ending.TIME),)


def _wake(room: Room, command: Wake, now: int) -> Events:
    return () if room.deadline() is None else (ClockResumed(now, command.since),)


def _happened(room: Room, game: int | None, so: Callable[[Finished], bool]) -> bool:
    """Whether a command was carried out already, in the game it names or in the one just over."""
    if game is None or game == room.game:
        return room.finished is not None and so(room.finished)
    if not 0 < room.game - game <= len(room.earlier):
        return False
    return so(room.earlier[game - room.game])


def _seats_in(room: Room, player: PlayerId, game: int | None) -> list[Mark]:
    """The player's seats, for a command that means the game now on the board."""
    ours = room.seats_of(player)
    if not ours:
        raise Refused(Reason.NOT_SEATED)
    _means_this_game(room, game)
    return ours


def _means_this_game(room: Room, game: int | None) -> None:
    if game is not None and game != room.game:
        raise Refused(Reason.STALE)
