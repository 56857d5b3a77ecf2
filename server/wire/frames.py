"""What the server sends: each frame is bytes, made once and written to everybody as it is.

Knows no sockets; what a room looks like is told in `snapshots.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from struct import Struct

import msgspec
from msgspec import UNSET, Raw, UnsetType

from server.core.commands import Reason
from server.core.events import Person
from server.core.levels import LEVELS
from server.core.room import RoomId
from server.core.rules import VARIANTS, Cell, Mark
from server.core.search import Verdict
from server.wire.requests import PROTOCOL, Id
from server.wire.snapshots import plain_variant

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


def _person(person: Person) -> dict[str, object]:
    return {"id": person.id, "name": person.name}


def welcome(re: Id, person: Person, token: str, now: int) -> bytes:
    return _frame(
        {
            "type": "welcome",
            "re": re,
            "protocol": PROTOCOL,
            "player": _person(person),
            "token": token,
            "now": now,
            "variants": [{**plain_variant(v), "levels": LEVELS} for v in VARIANTS.values()],
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


def lobby_text(complete: bool, rooms: Iterable[Raw], gone: Iterable[RoomId]) -> bytes:
    return _encode(
        {"type": "lobby", "complete": complete, "rooms": list(rooms), "gone": list(gone)}
    )


def lobby(complete: bool, rooms: Iterable[Raw], gone: Iterable[RoomId]) -> bytes:
    return text_frame(lobby_text(complete, rooms, gone))
