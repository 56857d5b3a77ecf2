"""The rules of a room: `decide(room, command, now)` returns the events a command leads to.

`decide` is pure: it reads no clock, makes no ids and awaits nothing. If the command is not allowed,
it raises `Refused`. If the room is already as asked, it returns no events, so a command can safely
be sent twice.
"""

from __future__ import annotations

from collections.abc import Callable, Set
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
from server.core.levels import level_to_cover, levels_of
from server.core.room import AI, Finished, Room
from server.core.rules import MARKS, Cell, Ending, Mark, Position, Variant

COVER_AFTER = 20_000  # ms a player is offline before the AI may cover for them
CLAIM_AFTER = 30_000  # ms a player is offline in their turn before the other may claim the win

Events = tuple[Event, ...]


def decide(room: Room | None, command: Command, now: int) -> Events:
    """The events that `command` leads to at `now`; raises `Refused` if it is not allowed."""
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
    variant, opening = command.variant, command.opening
    _require_unfinished(variant, opening)
    events: list[Event] = [RoomOpened(now, variant, command.public, command.time, opening)]
    for mark in MARKS:
        holder = command.seats[mark]
        if isinstance(holder, Person):
            events.append(SeatTaken(now, mark, holder))
        elif holder is not None:
            if holder not in levels_of(variant):
                raise Refused(Reason.NO_SUCH_LEVEL)
            events.append(AISeated(now, mark, holder))
    return tuple(events)


def _require_unfinished(variant: Variant, opening: tuple[Cell, ...]) -> None:
    """Refuse moves that are not the beginning of a game, or are all of one."""
    position = Position(variant)
    for cell in opening:
        if position.outcome() is not None:
            raise Refused(Reason.GAME_OVER)
        _require_playable(position, cell)
        position = position.play(cell)
    if position.outcome() is not None:
        raise Refused(Reason.GAME_OVER)


def _play(room: Room, command: Play, now: int) -> Events:
    turn, cell = room.turn, command.cell
    if turn is None or command.ply != len(room.moves) or not room.may_move(turn, command.by):
        return _refuse_move(room, command)
    if command.game is not None:
        _require_this_game(room, command.game)
    variant, position = room.variant, room.position
    if variant.is_narrow or not 0 <= cell < variant.size or not position.is_free(cell):
        _require_playable(position, cell)
    return (MovePlayed(now, turn, cell),)


def _require_playable(position: Position, cell: Cell) -> None:
    variant = position.variant
    if not 0 <= cell < variant.size:
        raise Refused(Reason.NO_SUCH_CELL)
    if not position.is_free(cell):
        raise Refused(Reason.CELL_TAKEN)
    if variant.is_narrow and not position.playable() >> cell & 1:
        raise Refused(Reason.NOT_PLAYABLE)


def _refuse_move(room: Room, command: Play) -> Events:
    """Refuse a move that cannot be made now, unless it is a repeated one that has been made."""
    seats = room.seats_of(command.by)
    if not seats:
        raise Refused(Reason.NOT_SEATED)
    is_this_game = command.game is None or command.game == room.game
    if is_this_game and _is_played(room, command, seats):
        return ()
    if room.outcome is not None:
        raise Refused(Reason.GAME_OVER)
    if room.turn is None:
        raise Refused(Reason.WAITING)
    if not is_this_game or command.ply != len(room.moves):
        raise Refused(Reason.STALE)
    raise Refused(Reason.NOT_YOUR_TURN)


def _is_played(room: Room, command: Play, seats: list[Mark]) -> bool:
    return (
        0 <= command.ply < len(room.moves)
        and room.moves[command.ply] == command.cell
        and MARKS[command.ply % 2] in seats
    )


def _sit(room: Room, command: Sit, now: int) -> Events:
    taken = (SeatTaken(now, command.seat, command.by),)
    match room.seats[command.seat]:
        case None:
            return taken
        case Person(id=sitting) as holder if sitting == command.by.id:
            return () if holder == command.by else taken
        case AI(covers=Person(id=owner)) if owner == command.by.id:
            return taken
        case _:
            raise Refused(Reason.SEAT_TAKEN)


def _leave(room: Room, command: Leave, now: int) -> Events:
    match room.seats[command.seat]:
        case Person(id=owner) | AI(covers=Person(id=owner)) if owner == command.by:
            return (SeatLeft(now, command.seat),)
        case AI() | None if room.last_owners[command.seat] == command.by:
            return ()  # they have left it already
        case _:
            raise Refused(Reason.NOT_SEATED)


def _seat_ai(room: Room, command: SeatAI, now: int) -> Events:
    level = command.level
    if level not in levels_of(room.variant):
        raise Refused(Reason.NO_SUCH_LEVEL)
    cover = level_to_cover(room.variant, level)
    match room.seats[command.seat]:
        case AI(level=seated) if seated == level:
            return ()
        case AI(level=seated, covers=Person()) if seated == cover:
            return ()
        case AI():
            _require_no_exhibition(room)
            raise Refused(Reason.SEAT_TAKEN)
        case None:
            _require_may_seat(room, command.by)
        case Person(id=owner):
            if not room.seats_of(command.by):
                raise Refused(Reason.NOT_SEATED)
            if owner == command.by or command.absent_for < COVER_AFTER:
                raise Refused(Reason.SEAT_TAKEN)
            level = cover
        case holder:
            assert_never(holder)
    event = AISeated(now, command.seat, level)
    if room.rematch_asked and _is_agreed(room, {*room.rematch_asked, command.seat}):
        return (event, GameStarted(now))
    return (event,)


def _dismiss_ai(room: Room, command: DismissAI, now: int) -> Events:
    _require_may_seat(room, command.by)
    if not isinstance(room.seats[command.seat], AI):
        return ()
    return (AIDismissed(now, command.seat),)


def _resign(room: Room, command: Resign, now: int) -> Events:
    def has_resigned(game: Finished) -> bool:
        loser = game.outcome.loser
        by_resignation = game.outcome.by is Ending.RESIGNATION
        return by_resignation and loser is not None and game.players[loser] == command.by

    if _is_repeat(room, command.game, has_resigned):
        return ()
    seats = _require_seats(room, command.by, command.game)
    turn = _require_turn(room)
    loser = turn if turn in seats else seats[0]
    return (GameForfeited(now, loser, Ending.RESIGNATION),)


def _claim(room: Room, command: Claim, now: int) -> Events:
    def has_claimed(game: Finished) -> bool:
        winner = game.outcome.winner
        by_absence = game.outcome.by is Ending.ABSENCE
        return by_absence and winner is not None and game.players[winner] == command.by

    if _is_repeat(room, command.game, has_claimed):
        return ()
    seats = _require_seats(room, command.by, command.game)
    turn = _require_turn(room)
    waited = min(command.absent_for, now - room.turn_since)
    if turn in seats or isinstance(room.seats[turn], AI) or waited < CLAIM_AFTER:
        raise Refused(Reason.TOO_EARLY)
    return (GameForfeited(now, turn, Ending.ABSENCE),)


def _rematch(room: Room, command: Rematch, now: int) -> Events:
    def has_asked(game: Finished) -> bool:
        return game.askers is not None and (command.by in game.askers or not any(game.askers))

    if command.game is not None and _is_repeat(room, command.game, has_asked):
        return ()
    seats = room.seats_of(command.by)
    if not seats and not (command.follows and room.is_exhibition()):
        raise Refused(Reason.NOT_SEATED)
    _require_this_game(room, command.game)
    if room.finished is None:
        raise Refused(Reason.GAME_NOT_OVER)
    if not seats:
        return (GameStarted(now),)
    asked = room.rematch_asked
    events: Events = tuple([RematchAsked(now, mark) for mark in seats if mark not in asked])
    if events and _is_agreed(room, asked.union(seats)):
        return (*events, GameStarted(now))
    return events


def _is_agreed(room: Room, agreed: Set[Mark]) -> bool:
    """Whether the next game starts once these seats have agreed to it. An AI always agrees."""
    for mark in MARKS:
        if mark not in agreed and not isinstance(room.seats[mark], AI):
            return False
    return room.finished is not None


def _expire(room: Room, now: int) -> Events:
    deadline, turn = room.deadline(), room.turn
    if deadline is None or turn is None or now < deadline:
        return ()
    return (GameForfeited(now, turn, Ending.TIME),)


def _wake(room: Room, command: Wake, now: int) -> Events:
    return () if room.deadline() is None else (ClockResumed(now, command.since),)


def _is_repeat(room: Room, game: int | None, shows: Callable[[Finished], bool]) -> bool:
    """Whether a finished game shows that a command was carried out, so that this one is a repeat.

    It is the game that the command names, or the one on the board if it names none.
    """
    if game is None or game == room.game:
        return room.finished is not None and shows(room.finished)
    if not 0 < room.game - game <= len(room.earlier_games):
        return False
    return shows(room.earlier_games[game - room.game])


def _require_may_seat(room: Room, player: PlayerId) -> None:
    """Refuse a player who may not seat or dismiss an AI.

    The players of the room may, also one whom an AI covers for. If no seat is owned by a person,
    everybody may, but not while two AIs are playing.
    """
    _require_no_exhibition(room)
    if not (room.seats_of(player) or room.is_covered(player) or room.is_unmanned()):
        raise Refused(Reason.NOT_SEATED)


def _require_no_exhibition(room: Room) -> None:
    """While two AIs play for themselves, their seats are nobody's to change."""
    if room.is_exhibition() and room.finished is None:
        raise Refused(Reason.NOT_SEATED)


def _require_seats(room: Room, player: PlayerId, game: int | None) -> list[Mark]:
    """The seats of a player whose command names this game, or none."""
    seats = room.seats_of(player)
    if not seats:
        raise Refused(Reason.NOT_SEATED)
    _require_this_game(room, game)
    return seats


def _require_this_game(room: Room, game: int | None) -> None:
    if game is not None and game != room.game:
        raise Refused(Reason.STALE)


def _require_turn(room: Room) -> Mark:
    if room.outcome is not None:
        raise Refused(Reason.GAME_OVER)
    if room.turn is None:
        raise Refused(Reason.WAITING)
    return room.turn
