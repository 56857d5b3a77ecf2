"""What the server sends: each frame is bytes, made once and written to everybody as it is.

Knows rooms and people, no sockets.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from struct import Struct

import msgspec
from msgspec import UNSET, Raw, UnsetType

from server.core.clock import Clock
from server.core.commands import Reason
from server.core.events import Person
from server.core.levels import LEVELS
from server.core.minimax import Verdict
from server.core.room import AI, Holder, Room, RoomId
from server.core.rules import MARKS, VARIANTS, Cell, Mark, O, Outcome, Variant, X
from server.wire.requests import PROTOCOL, Id

PHRASES = ("hello", "good_luck", "nice_move", "oops", "wow", "thanks", "good_game", "bye")

TEXTS: Mapping[Reason, str] = {
    Reason.NO_SUCH_VARIANT: f"There is no such variant. On offer: {', '.join(VARIANTS)}.",
    Reason.NO_SUCH_LEVEL: f"There is no such level. On offer: {', '.join(LEVELS)}.",
    Reason.NO_SUCH_ROOM: "There is no such room.",
    Reason.NO_SUCH_CELL: "There is no such cell on this board.",
    Reason.NO_SUCH_PHRASE: "There is no such phrase.",
    Reason.TOO_MANY_ROOMS: "These are too many rooms. Wait a moment, or leave one first.",
    Reason.SEAT_TAKEN: "That seat is taken.",
    Reason.NOT_SEATED: "You would have to sit here to do that.",
    Reason.NOT_HERE: "You would have to follow this room to do that.",
    Reason.WAITING: "A seat is still open. The game waits for somebody to sit down.",
    Reason.NOT_YOUR_TURN: "It is not your turn.",
    Reason.CELL_TAKEN: "That cell is taken.",
    Reason.STALE: "The game has moved on since then.",
    Reason.GAME_OVER: "This game is over.",
    Reason.GAME_NOT_OVER: "This game is not over yet.",
    Reason.TOO_EARLY: "It is too early to claim the win.",
    Reason.PLAYERS_MAY_NOT: "The two players may not look while their game runs.",
    Reason.TOO_LARGE: "This board is too large to be solved.",
    Reason.MALFORMED: "This is not a well-formed command.",
    Reason.HELLO_FIRST: "Say hello first.",
    Reason.UNSUPPORTED_PROTOCOL: f"This server speaks protocol {PROTOCOL}.",
    Reason.TOO_FAST: "Slow down a little and send that again.",
    Reason.RETRY: "The server cannot save anything just now. Try again in a moment.",
    Reason.DRAINING: "The server is restarting. Try again in a moment.",
}

_encode = msgspec.json.Encoder().encode
_SMALL = tuple(bytes((0x81, size)) for size in range(126))
_pack_medium, _pack_large = Struct(">HH").pack, Struct(">HQ").pack
_NAMES = tuple(mark.name for mark in MARKS)  # to ask a member of an enum takes ten times as long


def text_frame(text: bytes) -> bytes:
    """One unmasked, final WebSocket text frame."""
    size = len(text)
    if size < 126:
        return _SMALL[size] + text
    if size < 65_536:
        return _pack_medium(0x817E, size) + text
    return _pack_large(0x817F, size) + text


def _frame(plain: object) -> bytes:
    return text_frame(_encode(plain))


def welcome(re: Id, person: Person, token: str, now: int) -> bytes:
    return _frame(
        {
            "type": "welcome",
            "re": re,
            "protocol": PROTOCOL,
            "player": _person(person),
            "token": token,
            "now": now,
            "variants": [{**_variant(v), "levels": LEVELS} for v in VARIANTS.values()],
            "phrases": PHRASES,
        }
    )


class _Accepted(msgspec.Struct, tag="accepted", gc=False):
    re: Id
    room: RoomId | UnsetType = UNSET
    seq: int | UnsetType = UNSET


def accepted(re: Id, room: RoomId | UnsetType = UNSET, seq: int | UnsetType = UNSET) -> bytes:
    return text_frame(_encode(_Accepted(re, room, seq)))


def refused(re: Id, reason: Reason, text: str | None = None) -> bytes:
    return _frame(
        {"type": "refused", "re": re, "reason": reason.value, "text": text or TEXTS[reason]}
    )


def pong(re: Id, now: int) -> bytes:
    return _frame({"type": "pong", "re": re, "now": now})


_REST = (
    b',"status":"%b","outcome":%b,"seats":%b,"score":{"X":%d,"O":%d,"draws":%d},'
    b'"rematch":%b,"clock":%b}'
)
_REMATCH = {
    frozenset(asked): _encode([_NAMES[mark] for mark in asked])
    for asked in ((), (X,), (O,), (X, O))
}


class Snapshots:
    """The states of one room. What a move leaves as it is stays encoded."""

    def __init__(self, id: RoomId, room: Room) -> None:
        about = {"type": "state", "room": id, "public": room.public}
        self._head = b'%b,"variant":%b,"seq":' % (
            _encode(about)[:-1],
            _encode(_variant(room.variant)),
        )
        self._seats: tuple[Holder, Holder] | None = None
        self._keep(room)

    def text(self, room: Room) -> bytes:
        """The whole room as JSON."""
        if (
            room.seats is not self._seats
            or room.finished is not self._finished
            or room.asked is not self._asked
            or room.clock is not self._clock
        ):
            self._keep(room)
        moves, (variant, x, o) = room.moves, room.position
        return b"".join(
            (
                self._head,
                b"%d" % room.seq,
                self._game,
                _board_text(x, o, variant.size),
                b',"moves":',
                _encode(moves),
                self._tails[len(moves) % 2],
            )
        )

    def _keep(self, room: Room) -> None:
        """Encode the rest anew, once for each mark that may be to move."""
        if room.seats is not self._seats:
            x, o = self._seats = room.seats
            self._seats_text = _encode({"X": _seat(x), "O": _seat(o)})
        self._finished, self._asked, self._clock = room.finished, room.asked, room.clock
        self._game = b',"game":%d,"board":' % room.game
        rest = _REST % (
            room.status.encode(),
            b"null" if room.finished is None else _encode(_outcome(room.finished.outcome)),
            self._seats_text,
            *room.score,
            room.draws,
            _REMATCH[room.asked],
            b"null" if room.clock is None else _encode(_clock(room.clock)),
        )
        if room.turn is None:
            self._tails = (b',"turn":null' + rest,) * 2
        else:
            self._tails = (b',"turn":"X"' + rest, b',"turn":"O"' + rest)


def state_text(id: RoomId, room: Room) -> bytes:
    """The state of a room that is shown once."""
    return Snapshots(id, room).text(room)


@lru_cache(8_192)  # all of 3x3
def _board_text(x: int, o: int, size: int) -> bytes:
    return _encode(_board(x, o, size))


def _board(x: int, o: int, size: int) -> list[str | None]:
    return ["X" if x >> cell & 1 else "O" if o >> cell & 1 else None for cell in range(size)]


def _outcome(outcome: Outcome) -> dict[str, object]:
    winner = None if outcome.winner is None else outcome.winner.name
    return {"winner": winner, "by": outcome.by.value, "line": outcome.line}


def _clock(clock: Clock) -> dict[str, object]:
    return {
        "budget": clock.budget,
        "increment": clock.increment,
        "left": {"X": clock.budgets[0], "O": clock.budgets[1]},
        "since": clock.since,
    }


def _variant(variant: Variant) -> dict[str, object]:
    return {
        "name": variant.name,
        "rows": variant.rows,
        "columns": variant.columns,
        "line": variant.line,
    }


def _person(person: Person) -> dict[str, object]:
    return {"id": person.id, "name": person.name}


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


def presence(room: RoomId, online: Iterable[Mark], watchers: int) -> bytes:
    return _frame(
        {
            "type": "presence",
            "room": room,
            "online": [mark.name for mark in online],
            "watchers": watchers,
        }
    )


def said(room: RoomId, person: Person, phrase: str, now: int) -> bytes:
    return _frame(
        {"type": "said", "room": room, "player": _person(person), "phrase": phrase, "now": now}
    )


def quick(on: bool, partner: Person | None, asks: bool, room: RoomId | None) -> bytes:
    return _frame(
        {
            "type": "quick",
            "on": on,
            "partner": None if partner is None else _person(partner),
            "asks": asks,
            "room": room,
        }
    )


def analysis(
    re: Id, room: RoomId, ply: int, turn: Mark | None, size: int, verdicts: Mapping[Cell, Verdict]
) -> bytes:
    cells = [
        {"value": verdicts[cell].value, "in": verdicts[cell].plies} if cell in verdicts else None
        for cell in range(size)
    ]
    return _frame(
        {
            "type": "analysis",
            "re": re,
            "room": room,
            "ply": ply,
            "turn": None if turn is None else turn.name,
            "cells": cells,
        }
    )


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


def lobby_text(complete: bool, rooms: Iterable[Raw], gone: Iterable[RoomId]) -> bytes:
    return _encode(
        {"type": "lobby", "complete": complete, "rooms": list(rooms), "gone": list(gone)}
    )


def lobby(complete: bool, rooms: Iterable[Raw], gone: Iterable[RoomId]) -> bytes:
    return text_frame(lobby_text(complete, rooms, gone))
