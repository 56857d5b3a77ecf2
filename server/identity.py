"""Who somebody is: a secret token, the public id that follows from it, and a name fit to be shown.

There is no session table: the id is a hash of the token, so any process recognises any player, also
after a restart, and nothing that is stored or sent to others lets anybody take a seat.
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
_BLANK = "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u2800\u3164\uffa0"  # letters without ink

_TEMPERS = "Brave Bright Calm Clever Cosy Eager Gentle Happy Jolly Keen Kind Lucky Merry Nimble Patient Quick Quiet Sunny Swift Witty"  # noqa: E501
_ANIMALS = "Badger Beaver Crane Dolphin Falcon Fox Hare Heron Koala Lark Lynx Marten Otter Owl Panda Puffin Robin Seal Swan Wren"  # noqa: E501


def new_token() -> Token:
    return Token(secrets.token_urlsafe(32))


def new_room_id() -> RoomId:
    return RoomId(secrets.token_urlsafe(12))


def player_id(token: Token) -> PlayerId:
    return PlayerId(_hash("player", token))


def room_id_for(player: PlayerId, nonce: str) -> RoomId:
    """The room this player opens with this nonce: asking again finds it again."""
    return RoomId(_hash("room", player, nonce))


def person(token: Token, name: str | None) -> Person:
    player = player_id(token)
    return Person(player, clean_name(name or "") or friendly_name(player))


def clean_name(name: str) -> str:
    """At most 24 visible characters, without anything that could disturb the text around them.

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
    # Marks that combine with nothing leave no ink either.
    has_ink = any(unicodedata.category(character)[0] not in "MZ" for character in composed)
    return composed if has_ink else ""


def friendly_name(player: PlayerId) -> str:
    """A name for somebody who gave none; the same player always gets the same."""
    tempers, animals = _TEMPERS.split(), _ANIMALS.split()
    number = int.from_bytes(hashlib.sha256(player.encode()).digest()[:4])
    return f"{tempers[number % len(tempers)]} {animals[number // len(tempers) % len(animals)]}"


def _hash(purpose: str, *parts: str) -> str:
    """Sixteen base64url characters; parts are kept apart, so that no two lists of them meet."""
    digest = hashlib.blake2b(digest_size=12, person=purpose.encode())
    for part in parts:
        encoded = part.encode("utf-8", "surrogatepass")
        digest.update(len(encoded).to_bytes(4) + encoded)
    return urlsafe_b64encode(digest.digest()).decode()
