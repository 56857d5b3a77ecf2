"""Quick play: pairs players who would play anybody, and opens a room for two who want to meet.

Nobody has to wait: a player goes on with the game they have until both of a pair have asked to
meet. Then a room opens with the two in its seats.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from time import monotonic

from server import identity
from server.core.commands import Create, Reason, Refused
from server.core.events import Person, PlayerId
from server.core.room import RoomId
from server.core.rules import Variant
from server.live.addresses import Addresses
from server.live.host import RoomHost
from server.live.outbox import Outbox, offer
from server.live.rooms import Rooms
from server.wire import frames

MEETINGS_KEPT = 1_000  # for players whose answer may have been lost


@dataclass(slots=True, eq=False)
class _Candidate:
    """Wants to play this variant. `wants_to_meet`: they have asked to meet their partner."""

    person: Person
    outbox: Outbox
    variant: Variant
    partner: _Candidate | None = None
    wants_to_meet: bool = False

    def notify(self, *, on: bool = True, room: RoomId | None = None) -> None:
        partner = self.partner
        person = None if partner is None else partner.person
        asks = partner is not None and partner.wants_to_meet
        offer("quick", frames.quick(on, person, asks, room), (self.outbox,))


class Pairing:
    def __init__(self, rooms: Rooms, addresses: Addresses) -> None:
        self._rooms = rooms
        self._addresses = addresses
        self._candidates: dict[PlayerId, _Candidate] = {}
        self._unpaired: dict[PlayerId, _Candidate] = {}  # of the candidates, longest first
        self._meetings: dict[PlayerId, tuple[PlayerId, RoomId]] = {}

    def join(self, person: Person, outbox: Outbox, variant: Variant) -> None:
        """Look for a partner to play this variant with.

        A person who joins again gets another one, if there is any.
        """
        earlier = self._candidates.get(person.id)
        if earlier is not None:
            self._remove(earlier)
            if earlier.outbox is not outbox:
                earlier.notify(on=False)
        candidate = self._candidates[person.id] = _Candidate(person, outbox, variant)
        self._pair(candidate)

    def withdraw(self, outbox: Outbox) -> None:
        """Stop looking for a partner. Ignored if the person has joined again elsewhere since."""
        person = outbox.person
        candidate = None if person is None else self._candidates.get(person.id)
        if candidate is not None and candidate.outbox is outbox:
            self._remove(candidate)

    async def meet(self, person: Person, partner: str, address: str) -> RoomHost | None:
        """Ask to meet the partner. Returns the room once both have asked, else None.

        The room counts for the `address` of the second to ask. If the two have met already,
        the same room is returned again. Raises `Refused` (`stale`) if this is not their partner.
        """
        candidate = self._candidates.get(person.id)
        other = None if candidate is None else candidate.partner
        if candidate is None or other is None or other.person.id != partner:
            return await self._find_meeting(person.id, partner)
        if other.wants_to_meet:
            self._addresses.check_room_limits(address, monotonic())
            host = await self._open(candidate, other)
            self._addresses.add_room(address, host.id)
            return host
        candidate.wants_to_meet = True
        other.notify()
        return None

    async def _find_meeting(self, player: PlayerId, partner: str) -> RoomHost:
        """The room in which the two have met. The first answer was lost with its connection."""
        meeting = self._meetings.get(player)
        if meeting is None or meeting[0] != partner:
            raise Refused(Reason.STALE)
        return await self._rooms.find(meeting[1])

    async def _open(self, candidate: _Candidate, other: _Candidate) -> RoomHost:
        pair = (candidate, other) if secrets.randbelow(2) else (other, candidate)
        command = Create(candidate.variant, (pair[0].person, pair[1].person))
        for each in pair:
            del self._candidates[each.person.id]
        try:
            host, _ = await self._rooms.open(identity.new_room_id(), command)
        except Refused:
            self._restore(pair)
            raise
        for each, partner in (pair, pair[::-1]):
            self._remember(each.person.id, partner.person.id, host.id)
            each.notify(on=False, room=host.id)
        return host

    def _restore(self, pair: tuple[_Candidate, _Candidate]) -> None:
        """Make both candidates again, except one that has gone or has joined again meanwhile."""
        for each in pair:
            if not each.outbox.is_gone:
                self._candidates.setdefault(each.person.id, each)
        for each in pair:
            current = self._candidates.get(each.person.id)
            if current is each:
                continue
            self._unpair(each)
            if current is not None and current.outbox is not each.outbox:
                each.notify(on=False)

    def _remember(self, player: PlayerId, partner: PlayerId, room: RoomId) -> None:
        self._meetings[player] = (partner, room)
        while len(self._meetings) > MEETINGS_KEPT:
            del self._meetings[next(iter(self._meetings))]

    def _remove(self, candidate: _Candidate) -> None:
        del self._candidates[candidate.person.id]
        self._unpaired.pop(candidate.person.id, None)
        self._unpair(candidate)

    def _unpair(self, candidate: _Candidate) -> None:
        """Part from the partner, who gets the next candidate, if there is any."""
        partner, candidate.partner = candidate.partner, None
        if partner is None:
            return
        partner.partner, partner.wants_to_meet = None, False
        if self._candidates.get(partner.person.id) is partner:  # else it is no candidate any more
            self._pair(partner)

    def _pair(self, candidate: _Candidate) -> None:
        """Pair with the candidate that has been unpaired for longest, or wait for the next one."""
        others = (one for one in self._unpaired.values() if one.variant is candidate.variant)
        other = next(others, None)
        if other is not None:
            del self._unpaired[other.person.id]
            candidate.partner, other.partner = other, candidate
            other.notify()
        else:
            self._unpaired[candidate.person.id] = candidate
        candidate.notify()
