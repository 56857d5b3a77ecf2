"""Quick play: people who play for whoever comes, told of each other two by two.

Nobody waits for anybody: until both have said that they would like to meet, each goes on with the
game they have. Then a room opens with the two of them in its seats.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from time import monotonic

from server import identity
from server.core.commands import Create, Reason, Refused
from server.core.events import Person, PlayerId
from server.core.room import RoomId
from server.core.rules import CLASSIC
from server.live.addresses import Addresses
from server.live.host import RoomHost
from server.live.outbox import Outbox
from server.live.rooms import Rooms
from server.wire import frames

RECALLED = 1_000  # meetings whose answer may have been lost


@dataclass(slots=True, eq=False)
class _Guest:
    """`asks`: they have said that they would like to meet their partner."""

    person: Person
    outbox: Outbox
    partner: _Guest | None = None
    asks: bool = False

    def tell(self, *, on: bool = True, room: RoomId | None = None) -> None:
        partner = self.partner
        who = None if partner is None else partner.person
        asks = partner is not None and partner.asks
        self.outbox.offer("quick", frames.quick(on, who, asks, room))


class Pairing:
    def __init__(self, rooms: Rooms, addresses: Addresses) -> None:
        self._rooms = rooms
        self._addresses = addresses
        self._guests: dict[PlayerId, _Guest] = {}
        self._alone: dict[PlayerId, _Guest] = {}
        self._met: dict[PlayerId, tuple[PlayerId, RoomId]] = {}

    def join(self, person: Person, outbox: Outbox) -> None:
        """Play for whoever comes. Again: for somebody else, if there is anybody."""
        before = self._guests.get(person.id)
        if before is not None:
            self._remove(before)
            if before.outbox is not outbox:
                before.tell(on=False)
        guest = self._guests[person.id] = _Guest(person, outbox)
        self._match(guest)

    def leave(self, outbox: Outbox) -> None:
        """No more, or gone."""
        person = outbox.person
        guest = None if person is None else self._guests.get(person.id)
        if guest is not None and guest.outbox is outbox:
            self._remove(guest)

    async def meet(self, person: Person, partner: str, address: str) -> RoomHost | None:
        """Would like to meet the partner; the room, once both would.

        It counts for the `address` of the one who says so last.
        """
        guest = self._guests.get(person.id)
        other = None if guest is None else guest.partner
        if guest is None or other is None or other.person.id != partner:
            return await self._met_before(person.id, partner)
        if other.asks:
            self._addresses.may_open_room(address, monotonic())
            host = await self._open(guest, other)
            self._addresses.room_opened(address, host.id)
            return host
        guest.asks = True
        other.tell()
        return None

    async def _met_before(self, player: PlayerId, partner: str) -> RoomHost:
        """The room the two met in: the answer may have been lost with the line."""
        met = self._met.get(player)
        if met is None or met[0] != partner:
            raise Refused(Reason.STALE)
        return await self._rooms.find(met[1])

    async def _open(self, guest: _Guest, other: _Guest) -> RoomHost:
        pair = (guest, other) if secrets.randbelow(2) else (other, guest)
        command = Create(CLASSIC, (pair[0].person, pair[1].person))
        for each in pair:
            del self._guests[each.person.id]
        try:
            host, _ = await self._rooms.open(identity.new_room_id(), command)
        except Refused:
            for each in pair:
                self._put_back(each)
            raise
        for each, partner in (pair, pair[::-1]):
            self._recall(each.person.id, partner.person.id, host.id)
            each.tell(on=False, room=host.id)
        return host

    def _put_back(self, guest: _Guest) -> None:
        if guest.person.id in self._guests:  # they have come anew meanwhile
            self._part(guest)
            return
        self._guests[guest.person.id] = guest
        if guest.outbox.is_gone:
            self._remove(guest)

    def _recall(self, player: PlayerId, partner: PlayerId, room: RoomId) -> None:
        self._met[player] = (partner, room)
        while len(self._met) > RECALLED:
            del self._met[next(iter(self._met))]

    def _remove(self, guest: _Guest) -> None:
        del self._guests[guest.person.id]
        self._alone.pop(guest.person.id, None)
        self._part(guest)

    def _part(self, guest: _Guest) -> None:
        """Leave the partner alone, with whoever is alone as well."""
        partner, guest.partner = guest.partner, None
        if partner is not None:
            partner.partner, partner.asks = None, False
            self._match(partner)

    def _match(self, guest: _Guest) -> None:
        for other in self._alone.values():
            del self._alone[other.person.id]
            guest.partner, other.partner = other, guest
            other.tell()
            break
        else:
            self._alone[guest.person.id] = guest
        guest.tell()
