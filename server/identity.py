"""Identity: a secret token, the public id derived from it, and a name that is safe to show.

There is no session table. The id is a hash of the token, so every process recognises every player,
also after a restart. Nothing that is stored or sent to others is enough to take a seat.
"""

from __future__ import annotations

import hashlib
import secrets
import unicodedata
from base64 import urlsafe_b64encode
from typing import NewType

from server.core.events import Person, PlayerId
from server.core.room import RoomId

Token = NewType("Token", str)

NAME_LENGTH = 24
_BLANK = "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u2800\u3164\uffa0"  # invisible letters

_TEMPERS = (
    "Brave Bright Calm Clever Cosy Eager Gentle Happy Jolly Keen "
    "Kind Lucky Merry Nimble Patient Quick Quiet Sunny Swift Witty"
)
_ANIMALS = (
    "Badger Beaver Crane Dolphin Falcon Fox Hare Heron Koala Lark "
    "Lynx Marten Otter Owl Panda Puffin Robin Seal Swan Wren"
)


def new_token() -> Token:
    return Token(secrets.token_urlsafe(32))


def new_room_id() -> RoomId:
    return _as_room_id(secrets.token_urlsafe(12))


def player_id(token: Token) -> PlayerId:
    return PlayerId(_hash("player", token))


def room_id_for(player: PlayerId, nonce: str) -> RoomId:
    """The room this player opens with this nonce. The same nonce gives the same room."""
    return _as_room_id(_hash("room", player, nonce))


def _as_room_id(text: str) -> RoomId:
    """An id that no command takes for an option: `--room -x` would be one.

    >>> _as_room_id("-x-y"), _as_room_id("x-y")
    ('_x-y', 'x-y')
    """
    return RoomId("_" + text[1:] if text.startswith("-") else text)


def person(token: Token, name: str | None, *, bot: bool = False) -> Person:
    player = player_id(token)
    return Person(player, clean_name(name or "") or friendly_name(player), bot)


def clean_name(name: str) -> str:
    """At most 24 visible characters, without any that could affect the text around them.

    >>> clean_name("  Ada\\u202e \\t Lovelace ")
    'Ada Lovelace'
    """
    # Category C: controls, bidi and zero-width, surrogates, private use, unassigned.
    visible = "".join(
        character
        for character in name
        if unicodedata.category(character)[0] != "C" and character not in _BLANK
    )
    composed = " ".join(unicodedata.normalize("NFC", visible).split())[:NAME_LENGTH].strip()
    # Combining marks and spaces alone are not visible.
    is_visible = any(unicodedata.category(character)[0] not in "MZ" for character in composed)
    return composed if is_visible else ""


def friendly_name(player: PlayerId) -> str:
    """A name for a player who gave none; always the same for the same player."""
    tempers, animals = _TEMPERS.split(), _ANIMALS.split()
    number = int.from_bytes(hashlib.sha256(player.encode()).digest()[:4])
    return f"{tempers[number % len(tempers)]} {animals[number // len(tempers) % len(animals)]}"


def _hash(purpose: str, *parts: str) -> str:
    """Sixteen base64url characters. Parts are hashed with their lengths, to keep them apart."""
    digest = hashlib.blake2b(digest_size=12, person=purpose.encode())
    for part in parts:
        encoded = part.encode("utf-8", "surrogatepass")
        digest.update(len(encoded).to_bytes(4) + encoded)
    return urlsafe_b64encode(digest.digest()).decode()
