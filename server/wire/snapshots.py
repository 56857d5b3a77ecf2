"""Rooms as JSON: the whole state for followers, and a summary for the lobby.

`Snapshots` returns the same bytes as `encode` of a `messages.State`, built from parts that are
cached in encoded form. That takes a fraction of the time, and every move needs one state.
"""

from __future__ import annotations

from functools import lru_cache
from typing import assert_never

from msgspec import UNSET, Raw, Struct, UnsetType
from msgspec.json import Encoder

from noughts import shapes
from server.core.clock import Clock
from server.core.events import Person
from server.core.history import Game
from server.core.review import Review
from server.core.room import AI, Holder, Room, RoomId
from server.core.rules import BOARDS, Cell, Mark, O, Outcome, Position, Variant, X, cells

NAMES: dict[Mark, shapes.Mark] = {X: "X", O: "O"}

_encode = Encoder().encode
_PREFIX = b'{"type":"state","room":%b,"public":%b,"variant":%b,"seq":'
_STATUS = b',"status":"%b","outcome":%b,"seats":{"X":%b,"O":%b},"score":{"X":%d,"O":%d,"draws":%d}'
_REMATCH = {
    frozenset(asked): b',"rematch":' + _encode([NAMES[mark] for mark in asked])
    for asked in ((), (X,), (O,), (X, O))
}


class Snapshots:
    """Encodes the states of one room. Caches the parts that a move does not change."""

    __slots__ = (
        "_clock",
        "_finished",
        "_game",
        "_prefix",
        "_rematch",
        "_seats",
        "_statuses",
        "_suffix",
    )

    def __init__(self, id: RoomId, room: Room) -> None:
        variant = _encode(variant_shape(room.variant))
        self._prefix = _PREFIX % (_encode(id), _encode(room.public), variant)
        self._encode_game(room)
        self._encode_suffix(room)

    def text(self, room: Room) -> bytes:
        """The whole room as JSON."""
        if room.finished is not self._finished or room.seats is not self._seats:
            self._encode_game(room)
        if room.rematch_asked is not self._rematch or room.clock is not self._clock:
            self._encode_suffix(room)
        moves, (variant, x, o, _, _) = room.moves, room.position
        return b"".join(
            (
                self._prefix,
                b"%d" % room.seq,
                self._game,
                _board_text(x, o, variant.size),
                b',"moves":',
                _encode(moves),
                self._statuses[len(moves) % 2],
                self._suffix,
                b"}" if variant.is_simple and not room.opening else _extras(room),
            )
        )

    def _encode_game(self, room: Room) -> None:
        """Encode what changes with a game or a seat: the status twice, one for each turn."""
        x, o = self._seats = room.seats
        self._finished = room.finished
        self._game = b',"game":%d,"board":' % room.game
        status = _STATUS % (
            room.status.encode(),
            b"null" if room.finished is None else _outcome_text(room.finished.outcome),
            _seat_text(x),
            _seat_text(o),
            *room.score,
            room.draws,
        )
        if room.turn is None:
            self._statuses = (b',"turn":null' + status,) * 2
        else:
            self._statuses = (b',"turn":"X"' + status, b',"turn":"O"' + status)

    def _encode_suffix(self, room: Room) -> None:
        """Encode what may change without a game or a seat: requests for a rematch, the clock."""
        self._rematch, self._clock = room.rematch_asked, room.clock
        clock = b"null" if room.clock is None else _encode(_clock(room.clock))
        self._suffix = b'%b,"clock":%b' % (_REMATCH[room.rematch_asked], clock)


def state_text(id: RoomId, room: Room) -> bytes:
    """The state of a room as JSON, where no `Snapshots` is kept for it."""
    return Snapshots(id, room).text(room)


@lru_cache(8_192)  # more than 3x3 has positions
def _board_text(x: int, o: int, size: int) -> bytes:
    return _encode(board_shape(x, o, size))


def board_shape(x: int, o: int, size: int) -> list[shapes.Mark | None]:
    return ["X" if x >> cell & 1 else "O" if o >> cell & 1 else None for cell in range(size)]


@lru_cache(256)
def _outcome_text(outcome: Outcome) -> bytes:
    return _encode(outcome_shape(outcome))


def outcome_shape(outcome: Outcome) -> shapes.Outcome:
    winner = None if outcome.winner is None else NAMES[outcome.winner]
    line = None if outcome.line is None else list(outcome.line)
    boards = UNSET if outcome.boards is None else list(outcome.boards)
    return shapes.Outcome(winner, outcome.by.value, line, boards)


def _extras(room: Room) -> bytes:
    """The fields that only some games have, and the end of the object."""
    return b"," + _encode(_Extras.of(room))[1:]


class _Extras(Struct):
    """The last fields of a `State`."""

    playable: list[Cell] | UnsetType = UNSET
    fading: Cell | UnsetType | None = UNSET
    boards: list[shapes.Owner | None] | UnsetType = UNSET
    opening: int | UnsetType = UNSET

    @staticmethod
    def of(room: Room) -> _Extras:
        variant, position, extras = room.variant, room.position, _Extras()
        if variant.is_narrow:
            extras.playable = [] if room.turn is None else list(cells(position.playable()))
        if variant.keep:
            extras.fading = None if room.finished else position.fading
        if variant.nested:
            extras.boards = [owner_shape(position, board) for board in BOARDS]
        if room.opening:
            extras.opening = room.opening
        return extras


def owner_shape(position: Position, board: int) -> shapes.Owner | None:
    owner = position.owner(board)
    if owner is not None:
        return NAMES[owner]
    return None if position.is_open(board) else "draw"


def _clock(clock: Clock) -> shapes.Clock:
    left = shapes.TimeLeft(*clock.budgets)
    return shapes.Clock(clock.budget, clock.increment, left, clock.since)


def variant_shape(variant: Variant) -> shapes.Variant:
    return shapes.Variant(**variant.fields)


@lru_cache(1_024)  # the players of the moment
def _seat_text(holder: Holder) -> bytes:
    return _encode(_seat(holder))


def _seat(holder: Holder) -> shapes.Seat:
    match holder:
        case None:
            return shapes.OpenSeat()
        case Person(id=player, name=name, bot=bot):
            return shapes.HumanSeat(player, name, bot or UNSET)
        case AI(level=level, covers=Person(id=player, name=name, bot=bot)):
            return shapes.AISeat(level, shapes.Covered(player, name, bot or UNSET))
        case AI(level=level):
            return shapes.AISeat(level)
        case _:
            assert_never(holder)


def games_text(id: RoomId, games: list[Game]) -> bytes:
    """All games of a room as JSON."""
    return _encode({"room": id, "games": [_played_game(id, game) for game in games]})


def game_text(id: RoomId, game: Game) -> bytes:
    """One game of a room as JSON, also if it is not over."""
    return _encode(_played_game(id, game))


def review_line(review: Review) -> bytes:
    """One move of a review as a line of JSON."""
    value, plies, estimate = review.verdict
    is_unknown = value == "unknown"
    shape = shapes.ReviewedMove(
        ply=review.ply,
        mark=NAMES[review.mark],
        cell=review.cell,
        value=value,
        plies=plies,
        best=review.best,
        cells=review.cells,
        estimate=estimate if is_unknown else UNSET,
    )
    return _encode(shape) + b"\n"


def _played_game(id: RoomId, game: Game) -> shapes.PlayedGame:
    x, o = game.players
    return shapes.PlayedGame(
        room=id,
        game=game.number,
        variant=variant_shape(game.variant),
        players=shapes.ListedSeats(_listed_seat(x), _listed_seat(o)),
        opening=game.opening,
        moves=list(game.moves),
        times=list(game.times),
        outcome=None if game.outcome is None else outcome_shape(game.outcome),
        began=game.began,
        ended=game.ended,
    )


def summary(id: RoomId, room: Room, watchers: int, online: int) -> Raw:
    """The room as the lobby lists it, encoded once for all followers."""
    board = board_shape(room.position.x, room.position.o, room.variant.size)
    x, o = room.seats
    listed = shapes.ListedRoom(
        room=id,
        variant=room.variant.name,
        game=room.game,
        board="".join(mark or "." for mark in board),
        status=room.status,
        turn=None if room.turn is None else NAMES[room.turn],
        seats=shapes.ListedSeats(_listed_seat(x), _listed_seat(o)),
        watchers=watchers,
        online=online,
    )
    if room.outcome is not None:
        winner = room.outcome.winner
        listed.winner = None if winner is None else NAMES[winner]
    return Raw(_encode(listed))


def _listed_seat(holder: Holder) -> shapes.ListedSeat:
    match holder:
        case None:
            return shapes.OpenSeat()
        case Person(name=name, bot=bot):
            return shapes.ListedHuman(name, bot or UNSET)
        case AI(level=level):
            return shapes.ListedAI(level)
        case _:
            assert_never(holder)
