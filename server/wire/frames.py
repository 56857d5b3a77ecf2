"""Builds the frames that the server sends, each encoded once for any number of sockets.

Knows no sockets. `snapshots.py` writes the `state` of a room.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from struct import Struct
from typing import cast

from msgspec import UNSET, Raw, UnsetType

from noughts.messages import (
    PHRASES,
    PROTOCOL,
    Accepted,
    Analysis,
    Frame,
    LobbyFrame,
    Pong,
    Presence,
    QuickFrame,
    Refused,
    Said,
    Welcome,
    encode,
)
from noughts.shapes import CellValue, Id, Limits, ListedRoom, OfferedVariant, Player
from server.core.commands import Reason
from server.core.decide import CLAIM_AFTER, COVER_AFTER
from server.core.events import Person
from server.core.levels import LEVELS
from server.core.room import RoomId
from server.core.rules import VARIANTS, Cell, Mark
from server.core.search import Verdict
from server.wire.snapshots import NAMES

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

_VARIANTS = [
    OfferedVariant(variant.name, variant.rows, variant.columns, variant.line, list(LEVELS))
    for variant in VARIANTS.values()
]
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


def _frame(frame: Frame) -> bytes:
    return text_frame(encode(frame))


def _player(person: Person) -> Player:
    return Player(person.id, person.name)


def welcome(
    re: Id,
    person: Person,
    token: str,
    now: int,
    *,
    commands_per_second: float,
    commands_at_once: int,
    rooms_followed: int,
) -> bytes:
    limits = Limits(
        cover_after=COVER_AFTER,
        claim_after=CLAIM_AFTER,
        commands_per_second=int(commands_per_second),
        commands_at_once=commands_at_once,
        rooms_followed=rooms_followed,
    )
    player = _player(person)
    return _frame(Welcome(re, PROTOCOL, player, token, now, _VARIANTS, list(PHRASES), limits))


def accepted(re: Id, room: RoomId | UnsetType = UNSET, seq: int | UnsetType = UNSET) -> bytes:
    return text_frame(encode(Accepted(re, room, seq)))


def refused(re: Id, reason: Reason, text: str | None = None) -> bytes:
    return _frame(Refused(re, reason, text or TEXTS[reason]))


def pong(re: Id, now: int) -> bytes:
    return _frame(Pong(re, now))


def presence(room: RoomId, online: Iterable[Mark], watchers: int) -> bytes:
    return _frame(Presence(room, [NAMES[mark] for mark in online], watchers))


def said(room: RoomId, person: Person, phrase: str, now: int) -> bytes:
    return _frame(Said(room, _player(person), phrase, now))


def quick(on: bool, partner: Person | None, asks: bool, room: RoomId | None) -> bytes:
    player = None if partner is None else _player(partner)
    return _frame(QuickFrame(on, player, asks, room))


def analysis(
    re: Id, room: RoomId, ply: int, turn: Mark | None, size: int, verdicts: Mapping[Cell, Verdict]
) -> bytes:
    cells = [_value(verdicts[cell]) if cell in verdicts else None for cell in range(size)]
    to_move = None if turn is None else NAMES[turn]
    return _frame(Analysis(re, room, ply, to_move, cells))


def _value(verdict: Verdict) -> CellValue:
    assert verdict.value != "unknown"
    return CellValue(verdict.value, verdict.plies)


def lobby_text(complete: bool, rooms: Iterable[Raw], gone: Iterable[RoomId]) -> bytes:
    """`rooms` are encoded already (`snapshots.summary`), and become part of the frame as is."""
    listed = cast("list[ListedRoom]", list(rooms))
    return encode(LobbyFrame(complete, listed, list(gone)))


def lobby(complete: bool, rooms: Iterable[Raw], gone: Iterable[RoomId]) -> bytes:
    return text_frame(lobby_text(complete, rooms, gone))
