"""A room as JSON: whole, as its followers see it, and in a few words, as the lobby lists it."""

from __future__ import annotations

from functools import lru_cache

import msgspec
from msgspec import Raw

from server.core.clock import Clock
from server.core.events import Person
from server.core.room import AI, Holder, Room, RoomId
from server.core.rules import MARKS, O, Outcome, Variant, X

_encode = msgspec.json.Encoder().encode
_SHOWN = b',"status":"%b","outcome":%b,"seats":{"X":%b,"O":%b},"score":{"X":%d,"O":%d,"draws":%d}'
_REMATCH = {
    frozenset(asked): b',"rematch":' + _encode([mark.name for mark in asked])
    for asked in ((), (X,), (O,), (X, O))
}


class Snapshots:
    """The states of one room. What a move leaves as it is stays encoded."""

    __slots__ = ("_asked", "_clock", "_end", "_finished", "_game", "_head", "_seats", "_shown")

    def __init__(self, id: RoomId, room: Room) -> None:
        about = {"type": "state", "room": id, "public": room.public}
        self._head = b'%b,"variant":%b,"seq":' % (
            _encode(about)[:-1],
            _encode(plain_variant(room.variant)),
        )
        self._keep_game(room)
        self._keep_end(room)

    def text(self, room: Room) -> bytes:
        """The whole room as JSON."""
        if room.finished is not self._finished or room.seats is not self._seats:
            self._keep_game(room)
        if room.asked is not self._asked or room.clock is not self._clock:
            self._keep_end(room)
        moves, (variant, x, o) = room.moves, room.position
        return b"".join(
            (
                self._head,
                b"%d" % room.seq,
                self._game,
                _board_text(x, o, variant.size),
                b',"moves":',
                _encode(moves),
                self._shown[len(moves) % 2],
                self._end,
            )
        )

    def _keep_game(self, room: Room) -> None:
        """Encode anew what changes with a game or a seat, once for each mark that may move."""
        x, o = self._seats = room.seats
        self._finished = room.finished
        self._game = b',"game":%d,"board":' % room.game
        shown = _SHOWN % (
            room.status.encode(),
            b"null" if room.finished is None else _outcome_text(room.finished.outcome),
            _seat_text(x),
            _seat_text(o),
            *room.score,
            room.draws,
        )
        if room.turn is None:
            self._shown = (b',"turn":null' + shown,) * 2
        else:
            self._shown = (b',"turn":"X"' + shown, b',"turn":"O"' + shown)

    def _keep_end(self, room: Room) -> None:
        self._asked, self._clock = room.asked, room.clock
        clock = b"null" if room.clock is None else _encode(_clock(room.clock))
        self._end = b'%b,"clock":%b}' % (_REMATCH[room.asked], clock)


def state_text(id: RoomId, room: Room) -> bytes:
    """The state of a room that is shown once."""
    return Snapshots(id, room).text(room)


@lru_cache(8_192)  # all of 3x3
def _board_text(x: int, o: int, size: int) -> bytes:
    return _encode(_board(x, o, size))


def _board(x: int, o: int, size: int) -> list[str | None]:
    return ["X" if x >> cell & 1 else "O" if o >> cell & 1 else None for cell in range(size)]


@lru_cache(256)
def _outcome_text(outcome: Outcome) -> bytes:
    winner = None if outcome.winner is None else outcome.winner.name
    return _encode({"winner": winner, "by": outcome.by.value, "line": outcome.line})


def _clock(clock: Clock) -> dict[str, object]:
    return {
        "budget": clock.budget,
        "increment": clock.increment,
        "left": {"X": clock.budgets[0], "O": clock.budgets[1]},
        "since": clock.since,
    }


def plain_variant(variant: Variant) -> dict[str, object]:
    return {
        "name": variant.name,
        "rows": variant.rows,
        "columns": variant.columns,
        "line": variant.line,
    }


@lru_cache(1_024)  # those who play just now
def _seat_text(holder: Holder) -> bytes:
    return _encode(_seat(holder))


def _seat(holder: Holder) -> dict[str, object]:
    match holder:
        case None:
            return {"kind": "open"}
        case Person(id=player, name=name):
            return {"kind": "human", "player": player, "name": name}
        case AI(level=level, covers=None):
            return {"kind": "ai", "level": level}
        case AI(level=level, covers=Person(id=player, name=name)):
            return {"kind": "ai", "level": level, "covers": {"player": player, "name": name}}
        case _:
            raise AssertionError(holder)


def summary(id: RoomId, room: Room, watchers: int) -> Raw:
    """The room as the lobby lists it, encoded once however often it is listed."""
    seats: dict[str, object] = {}
    for mark in MARKS:
        seat = _seat(room.seats[mark])
        seats[mark.name] = {key: seat[key] for key in ("kind", "name", "level") if key in seat}
    turn = room.turn
    return Raw(
        _encode(
            {
                "room": id,
                "variant": room.variant.name,
                "game": room.game,
                "board": "".join(
                    mark or "." for mark in _board(*room.position[1:], room.variant.size)
                ),
                "status": room.status,
                "turn": None if turn is None else turn.name,
                "seats": seats,
                "watchers": watchers,
            }
        )
    )
