"""Quick play: pairs players who would play anybody, and opens a room for two who want to meet.

Nobody has to wait: a player goes on with the game they have until both of a pair have asked to
meet. Then a room opens with the two in its seats.

Two players on one node are paired at once. A player who is left over may be paired with one on
another node (`guests.py`): `state` says who is here, `hear` takes in who is elsewhere. Then each
node opens the room as soon as it knows that both have asked. Its id follows from the pair, so it is
the same room.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice
from time import monotonic

from server import identity
from server.core.commands import Create, Reason, Refused
from server.core.events import Person, PlayerId
from server.core.room import RoomId
from server.core.rules import Variant
from server.live.addresses import Addresses
from server.live.guests import Guest, Meeting, Statement, choose
from server.live.host import RoomHost
from server.live.outbox import Outbox, offer
from server.live.rooms import Rooms
from server.wire import frames

MEETINGS_KEPT = 1_000  # for players whose answer may have been lost
MEETINGS_STATED = 100  # the latest of them, which other nodes hear of

log = logging.getLogger(__name__)


@dataclass(slots=True, eq=False)
class _Candidate:
    """Wants to play this variant since then. `asks`: they have asked to meet their partner.

    `partner` is a candidate of this node, or a guest of another. `chosen`: the key of a guest who
    is not a partner yet.
    """

    person: Person
    outbox: Outbox
    variant: Variant
    since: int
    partner: _Candidate | Guest | None = None
    asks: bool = False
    chosen: str | None = None
    key: str = field(default_factory=lambda: secrets.token_urlsafe(9))

    def notify(self, *, on: bool = True, room: RoomId | None = None) -> None:
        partner = self.partner
        person = None if partner is None else partner.person
        asks = partner is not None and partner.asks
        offer("quick", frames.quick(on, person, asks, room), (self.outbox,))

    def as_guest(self) -> Guest:
        chosen = self.chosen if self.partner is None else self.partner.key
        return Guest(self.key, self.person, self.variant.name, self.since, chosen, self.asks)


class Pairing:
    """`on_change` is called when `state` has changed."""

    def __init__(self, rooms: Rooms, addresses: Addresses, *, now: Callable[[], int]) -> None:
        self.on_change: Callable[[], None] = lambda: None
        self._rooms = rooms
        self._addresses = addresses
        self._now = now
        self._number = 0
        self._elsewhere: dict[str, Statement] = {}
        self._opening: dict[PlayerId, asyncio.Task[None]] = {}
        self._candidates: dict[PlayerId, _Candidate] = {}
        self._unpaired: dict[PlayerId, _Candidate] = {}  # of the candidates, longest first
        self._meetings: dict[PlayerId, Meeting] = {}  # by player

    def join(self, person: Person, outbox: Outbox, variant: Variant) -> None:
        """Look for a partner to play this variant with.

        A person who joins again gets another one, if there is any.
        """
        earlier = self._candidates.get(person.id)
        if earlier is not None:
            self._remove(earlier)
            if earlier.outbox is not outbox:
                earlier.notify(on=False)
        candidate = _Candidate(person, outbox, variant, self._now())
        self._candidates[person.id] = candidate
        self._pair(candidate)
        self._look_elsewhere()
        self.on_change()

    def withdraw(self, outbox: Outbox) -> None:
        """Stop looking for a partner. Ignored if the person has joined again elsewhere since."""
        person = outbox.person
        candidate = None if person is None else self._candidates.get(person.id)
        if candidate is not None and candidate.outbox is outbox:
            self._remove(candidate)
            self.on_change()

    async def meet(self, person: Person, partner: str, address: str) -> RoomHost | None:
        """Ask to meet the partner. Returns the room once both have asked, else None.

        The room counts for the `address` of the second to ask. If the two have met already,
        the same room is returned again. Raises `Refused` (`stale`) if this is not their partner.
        """
        candidate = self._candidates.get(person.id)
        other = None if candidate is None else candidate.partner
        if candidate is None or other is None or other.person.id != partner:
            return await self._find_meeting(person.id, partner)
        if other.asks:
            self._addresses.check_room_limits(address, person.id, monotonic())
            host = await self._open(candidate, other)
            self._addresses.add_room(address, host.id)
            return host
        candidate.asks = True
        if isinstance(other, _Candidate):
            other.notify()
        self.on_change()
        return None

    async def _find_meeting(self, player: PlayerId, partner: str) -> RoomHost:
        """The room in which the two have met. The first answer was lost with its connection."""
        known = self._meetings.get(player)
        if known is not None and known.partner == partner:
            return await self._rooms.find(known.room)
        for statement in self._elsewhere.values():
            for meeting in statement.meetings:
                if meeting.partner == player and meeting.player == partner:
                    return await self._rooms.find(meeting.room)
        raise Refused(Reason.STALE)

    async def _open(self, candidate: _Candidate, other: _Candidate | Guest) -> RoomHost:
        if isinstance(other, Guest):
            return await self._open_for_both_nodes(candidate, other)
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

    def _remember(self, player: PlayerId, partner: PlayerId, room: RoomId, key: str = "") -> None:
        self._meetings.pop(player, None)  # so that the latest is the last
        self._meetings[player] = Meeting(player, partner, room, key)
        while len(self._meetings) > MEETINGS_KEPT:
            del self._meetings[next(iter(self._meetings))]

    def _remove(self, candidate: _Candidate) -> None:
        del self._candidates[candidate.person.id]
        self._unpaired.pop(candidate.person.id, None)
        self._unpair(candidate)

    def _unpair(self, candidate: _Candidate) -> None:
        """Part from the partner, who gets the next candidate, if there is any."""
        partner, candidate.partner = candidate.partner, None
        if not isinstance(partner, _Candidate):
            return
        partner.partner, partner.asks = None, False
        if self._candidates.get(partner.person.id) is partner:  # else it is no candidate any more
            self._pair(partner)

    def _pair(self, candidate: _Candidate) -> None:
        """Pair with the candidate that has been unpaired for longest, or wait for the next one."""
        others = (one for one in self._unpaired.values() if one.variant is candidate.variant)
        other = next(others, None)
        if other is not None:
            del self._unpaired[other.person.id]
            candidate.partner, other.partner = other, candidate
            candidate.chosen = other.chosen = None
            other.notify()
        else:
            self._unpaired[candidate.person.id] = candidate
        candidate.notify()

    # ------------------------------------------------------------------------------ other nodes

    def state(self) -> Statement:
        """Who is here, for other nodes."""
        self._number += 1
        meetings = list(islice(reversed(self._meetings.values()), MEETINGS_STATED))
        guests = [candidate.as_guest() for candidate in self._candidates.values()]
        return Statement(self._number, guests, meetings)

    def hear(self, node: str, statement: Statement) -> None:
        """Take in who is on another node."""
        known = self._elsewhere.get(node)
        if known is None or known.number < statement.number:
            self._elsewhere[node] = statement
            if self._candidates:
                self._look_elsewhere()

    def forget(self, node: str, _at: int) -> None:
        """A node is lost, and its guests with it."""
        if self._elsewhere.pop(node, None) is not None:
            self._look_elsewhere()

    def close(self) -> None:
        for task in self._opening.values():
            task.cancel()

    def _look_elsewhere(self) -> None:
        """Bring every candidate up to date with the guests of other nodes."""
        guests = {g.key: g for statement in self._elsewhere.values() for g in statement.guests}
        if not guests and not any(statement.meetings for statement in self._elsewhere.values()):
            self._part_from(guests)
            return
        before = [candidate.as_guest() for candidate in self._candidates.values()]
        self._yield_to(guests)
        self._join_meetings()
        self._part_from(guests)
        self._choose_among(guests)
        if before != [candidate.as_guest() for candidate in self._candidates.values()]:
            self.on_change()

    def _yield_to(self, guests: dict[str, Guest]) -> None:
        """Drop candidates who have joined again on another node since."""
        for guest in guests.values():
            candidate = self._candidates.get(guest.person.id)
            if candidate is not None and candidate.since < guest.since:
                self._remove(candidate)
                candidate.notify(on=False)

    def _join_meetings(self) -> None:
        """End the search of candidates whose partner's node has opened a room for both."""
        for statement in self._elsewhere.values():
            for meeting in statement.meetings:
                candidate = self._candidates.get(meeting.partner)
                partner = None if candidate is None else candidate.partner
                if candidate is not None and isinstance(partner, Guest):
                    is_theirs = candidate.key == meeting.key
                    if is_theirs and partner.person.id == meeting.player:
                        self._end_search(candidate, partner, meeting.room)

    def _part_from(self, guests: dict[str, Guest]) -> None:
        """Part from partners who are gone or have chosen somebody else, and follow the others."""
        for candidate in tuple(self._candidates.values()):
            partner = candidate.partner
            if not isinstance(partner, Guest):
                continue
            newest = guests.get(partner.key)
            if newest is None or newest.partner != candidate.key:
                candidate.partner, candidate.asks, candidate.chosen = None, False, None
                self._pair(candidate)
            elif newest != partner:
                candidate.partner = newest
                candidate.notify()
                if newest.asks and candidate.asks:
                    self._open_soon(candidate, newest)

    def _choose_among(self, guests: dict[str, Guest]) -> None:
        """Choose a guest for each candidate without a partner; both are a pair if it is mutual."""
        self._pair_mutual(guests)
        here = [candidate.as_guest() for candidate in self._candidates.values()]
        chosen = choose([*here, *guests.values()])
        for candidate in self._unpaired.values():
            candidate.chosen = chosen.get(candidate.key)
        self._pair_mutual(guests)

    def _pair_mutual(self, guests: dict[str, Guest]) -> None:
        for candidate in tuple(self._unpaired.values()):
            guest = guests.get(candidate.chosen or "")
            if guest is not None and guest.partner == candidate.key:
                del self._unpaired[candidate.person.id]
                candidate.partner, candidate.chosen = guest, None
                candidate.notify()

    def _open_soon(self, candidate: _Candidate, partner: Guest) -> None:
        async def open_room() -> None:
            try:
                await self._open_for_both_nodes(candidate, partner)
            except Refused as refused:  # the other node may succeed, or the next statement does
                log.info("a room for two nodes cannot be opened: %s", refused)

        player = candidate.person.id
        if player not in self._opening:
            task = asyncio.get_running_loop().create_task(open_room())
            self._opening[player] = task
            task.add_done_callback(lambda _: self._opening.pop(player))

    async def _open_for_both_nodes(self, candidate: _Candidate, partner: Guest) -> RoomHost:
        pair: list[_Candidate | Guest] = sorted([candidate, partner], key=lambda it: it.key)
        id = identity.room_id_for(PlayerId(pair[0].key), pair[1].key)
        seats = pair[0].person, pair[1].person
        host, _ = await self._rooms.open(id, Create(candidate.variant, seats))
        self._end_search(candidate, partner, id)
        self.on_change()
        return host

    def _end_search(self, candidate: _Candidate, partner: Guest, room: RoomId) -> None:
        if self._candidates.get(candidate.person.id) is candidate:
            del self._candidates[candidate.person.id]
            self._unpaired.pop(candidate.person.id, None)
        self._remember(candidate.person.id, partner.person.id, room, partner.key)
        self._remember(partner.person.id, candidate.person.id, room)  # they may come back here
        candidate.partner = partner
        candidate.notify(on=False, room=room)
