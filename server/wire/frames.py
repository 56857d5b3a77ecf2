"""Builds the frames that the server sends, each encoded once for any number of sockets.

Knows no sockets. `snapshots.py` writes the `state` of a room.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from struct import Struct
from typing import cast

from msgspec import UNSET, Raw, UnsetType

from noughts import __version__
from noughts.messages import (
    PHRASES,
    PROTOCOL,
    Accepted,
    Analyse,
    Analysis,
    Closed,
    Frame,
    LobbyFrame,
    Notice,
    Pong,
    Presence,
    QuickFrame,
    Refused,
    Request,
    Said,
    Say,
    Unwatch,
    Watch,
    Welcome,
    encode,
)
from noughts.shapes import CellValue, Id, Limits, ListedRoom, OfferedVariant, Player, Server
from server.core.commands import Reason, Whose
from server.core.events import Person
from server.core.levels import levels_of
from server.core.room import RoomId
from server.core.rules import VARIANTS, Cell, Mark
from server.core.verdicts import Verdict
from server.wire.snapshots import NAMES

TEXTS: Mapping[Reason, str] = {
    Reason.NO_SUCH_VARIANT: f"This server does not offer that board. Try {', '.join(VARIANTS)}.",
    Reason.NO_SUCH_LEVEL: "The AI has no such level in this game. `welcome` lists those it has.",
    Reason.NO_SUCH_ROOM: "There is no such room. Check the link, or open a new room.",
    Reason.NO_SUCH_GAME: "This room has had no such game.",
    Reason.NO_SUCH_CELL: "This board has no such cell. Choose a free one.",
    Reason.NO_SUCH_PHRASE: "There is no such phrase. Choose one from the list.",
    Reason.TOO_MANY_ROOMS: "You have too many rooms open. Close one, or wait a moment.",
    Reason.SEAT_TAKEN: "That seat is taken. You can watch, or open a room of your own.",
    Reason.NOT_SEATED: "Only the two players can do that. Take a seat first.",
    Reason.NOT_HERE: "Only people in this room can do that. Watch it first.",
    Reason.WAITING: "The game is waiting for a second player. Share the link, or add the AI.",
    Reason.NOT_YOUR_TURN: "It is not your turn. Wait for the other player to move.",
    Reason.CELL_TAKEN: "That cell is taken. Choose a free one.",
    Reason.NOT_PLAYABLE: "That cell may not be played now. Choose one that may.",
    Reason.STALE: "The game has changed since then. Look again before you move.",
    Reason.GAME_OVER: "This game is over. You can ask for a rematch.",
    Reason.GAME_NOT_OVER: "This game is not over yet. Finish it first.",
    Reason.TOO_EARLY: "It is too early to claim the win. Give them a little longer.",
    Reason.PLAYERS_MAY_NOT: "Players cannot see the analysis during their game. Finish it first.",
    Reason.MALFORMED: "This is not a valid command. Check it against the protocol.",
    Reason.HELLO_FIRST: "Send hello before any other command.",
    Reason.UNSUPPORTED_PROTOCOL: f"This server uses protocol {PROTOCOL}. Update your client.",
    Reason.TOO_FAST: "That was too fast. Wait a second and send it again.",
    Reason.RETRY: "The server cannot save anything right now. Try again in a moment.",
    Reason.DRAINING: "The server is restarting. Try again in a moment.",
}
RETRY_TEXTS: Mapping[type[Request], str] = {  # of what changes nothing
    Analyse: "The computer is busy. Ask again in a moment.",
    Watch: "This room cannot be read right now. Try again in a moment.",
    Unwatch: "This room cannot be read right now. Try again in a moment.",
    Say: "This room cannot be read right now. Try again in a moment.",
}
LIMIT_TEXTS: Mapping[Whose, str] = {
    Whose.CONNECTION: "You have too many games open here. Leave one first.",
    Whose.PLAYER: "You are opening rooms very fast. Try again in a few seconds.",
    Whose.ADDRESS: "A lot of people at your address are opening rooms. Try again in a moment.",
    Whose.SERVER: "This server is full. Try again in a moment.",
}

_VARIANTS = [
    OfferedVariant(**variant.fields, levels=list(levels_of(variant)))
    for variant in VARIANTS.values()
]
_SERVER = Server(__version__)
_SMALL = tuple(bytes((0x81, size)) for size in range(126))
_pack_medium, _pack_large = Struct(">HH").pack, Struct(">HQ").pack


def text_frame(text: bytes) -> bytes:
    """`text` as the bytes of a WebSocket frame: unmasked, final, ready to be written."""
    size = len(text)
    if size < 126:
        return _SMALL[size] + text
    if size < 65_536:
        return _pack_medium(0x817E, size) + text
    return _pack_large(0x817F, size) + text


def split_texts(written: bytes) -> Iterator[bytes]:
    """The texts of frames that `text_frame` has made, in one or more writes."""
    start, end = 0, len(written)
    while start < end:
        size, start = written[start + 1], start + 2
        if size == 126:
            size, start = int.from_bytes(written[start : start + 2]), start + 2
        elif size == 127:
            size, start = int.from_bytes(written[start : start + 8]), start + 8
        yield written[start : start + size]
        start += size


def _frame(frame: Frame) -> bytes:
    return text_frame(encode(frame))


def _player(person: Person) -> Player:
    return Player(person.id, person.name, person.bot or UNSET)


def welcome(re: Id, person: Person, token: str, now: int, limits: Limits) -> bytes:
    player, phrases = _player(person), list(PHRASES)
    return _frame(Welcome(re, PROTOCOL, player, token, now, _VARIANTS, phrases, limits, _SERVER))


def accepted(re: Id, room: RoomId | UnsetType = UNSET, seq: int | UnsetType = UNSET) -> bytes:
    return text_frame(encode(Accepted(re, room, seq)))


def text_of(reason: Reason, whose: Whose | None, asked: type[Request]) -> str:
    """The sentence of a refusal."""
    if whose is not None:
        return LIMIT_TEXTS[whose]
    if reason is Reason.RETRY:
        return RETRY_TEXTS.get(asked, TEXTS[reason])
    return TEXTS[reason]


def refused(re: Id, reason: Reason, text: str, whose: Whose | None = None) -> bytes:
    return _frame(Refused(re, reason, text, UNSET if whose is None else whose))


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
    if verdict.value == "unknown":
        return CellValue("unknown", None, verdict.estimate)
    return CellValue(verdict.value, verdict.plies)


def notice(text: str, at: int | None) -> bytes:
    return _frame(Notice(text, at))


def closed(room: RoomId, text: str) -> bytes:
    return _frame(Closed(room, text))


def lobby_text(complete: bool, rooms: Iterable[Raw], gone: Iterable[RoomId]) -> bytes:
    """`rooms` are encoded already (`snapshots.summary`), and become part of the frame as is."""
    listed = cast("list[ListedRoom]", list(rooms))
    return encode(LobbyFrame(complete, listed, list(gone)))


def lobby(complete: bool, rooms: Iterable[Raw], gone: Iterable[RoomId]) -> bytes:
    return text_frame(lobby_text(complete, rooms, gone))
