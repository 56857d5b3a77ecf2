"""Who looks for a partner on which node, and who should ask whom. Pure: no node, no clock.

Each node states who is looking for a partner there, as a whole and again every second. From these
statements every node works out the same pairs for those who have none. Two guests are a pair once
each of them names the other. Until then a choice binds nobody, so that nodes which have not heard
everything yet do no harm: they choose again.

>>> ann, bob, cid = (Guest(n, Person(PlayerId(n), n), "3x3", at) for at, n in enumerate("abc"))
>>> choose([ann, bob, cid])
{'a': 'b', 'b': 'a'}
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

import msgspec

from server.core.events import Person, PlayerId
from server.core.room import RoomId


class Guest(msgspec.Struct):
    """Somebody who looks for a partner on one node since then.

    `key`: names this guest until it stops looking. `partner`: the key of the guest it has chosen.
    `asks`: it has asked to meet the partner.
    """

    key: str
    person: Person
    variant: str
    since: int
    partner: str | None = None
    asks: bool = False


class Meeting(msgspec.Struct):
    """Two players who have met; `key` named the partner, if that was a guest of another node."""

    player: PlayerId
    partner: PlayerId
    room: RoomId
    key: str = ""


class Statement(msgspec.Struct):
    """Everything that one node says about its guests. The highest `number` is the newest."""

    number: int = 0
    guests: list[Guest] = []
    meetings: list[Meeting] = []


def choose(guests: Iterable[Guest]) -> dict[str, str]:
    """Whom each guest should choose, by their keys: two by two, in the order of their arrival."""
    free = sorted(_without_partner(guests), key=lambda it: (it.variant, it.since, it.key))
    chosen: dict[str, str] = {}
    for _, group in groupby(free, key=lambda it: it.variant):
        keys = [guest.key for guest in group]
        for one, other in zip(keys[::2], keys[1::2], strict=False):
            chosen[one], chosen[other] = other, one
    return chosen


def _without_partner(guests: Iterable[Guest]) -> list[Guest]:
    """Those guests who are not named by the one they name."""
    by_key = {guest.key: guest for guest in guests}
    return [
        guest
        for guest in by_key.values()
        if guest.partner not in by_key or by_key[guest.partner].partner != guest.key
    ]
