"""Quick play: pairs waiting players and opens a room once both have asked to meet."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from server.core.commands import Reason, Refused
from server.core.events import Event, Person, PlayerId
from server.core.room import RoomId
from server.live import pairing as module
from server.live.addresses import Addresses
from server.live.limits import Limits
from server.live.outbox import Outbox
from server.live.pairing import Pairing
from server.store import Unavailable
from server.store.memory import MemoryStore
from tests.support.rooms import ADA, BO, CY, Frame, Wire, connected, new_rooms, tick

DEE = Person(PlayerId("dee-dee-dee-dee-"), "Dee")


class Guest:
    def __init__(self, pairing: Pairing, person: Person) -> None:
        self.person = person
        self.pairing = pairing
        self.outbox: Outbox
        self.wire: Wire
        self.outbox, self.wire = connected(person)

    def join(self) -> Guest:
        self.pairing.join(self.person, self.outbox)
        return self

    def leave(self) -> None:
        self.pairing.leave(self.outbox)

    async def meet(self, other: Person) -> str | None:
        host = await self.pairing.meet(self.person, other.id, "192.0.2.1")
        return None if host is None else host.id

    async def told(self) -> Frame:
        """The last news."""
        await tick()
        return self.wire.of_type("quick")[-1]

    async def partner(self) -> str | None:
        partner = (await self.told())["partner"]
        return None if partner is None else str(partner["name"])


@pytest.fixture
async def pairing() -> Pairing:
    return Pairing(new_rooms(), Addresses(Limits()))


async def test_the_first_player_waits_alone_for_the_second_to_come(
    pairing: Pairing,
) -> None:
    ada = Guest(pairing, ADA).join()
    assert await ada.told() == {
        "type": "quick",
        "on": True,
        "partner": None,
        "asks": False,
        "room": None,
    }

    bo = Guest(pairing, BO).join()

    assert await ada.partner() == "Bo"
    assert await bo.partner() == "Ada"


async def test_two_players_who_both_ask_to_meet_get_one_room(pairing: Pairing) -> None:
    ada, bo = Guest(pairing, ADA).join(), Guest(pairing, BO).join()

    assert await ada.meet(BO) is None
    assert (await bo.told())["asks"] is True
    assert (await ada.told())["asks"] is False

    room = await bo.meet(ADA)

    assert room is not None
    for guest in (ada, bo):
        told = await guest.told()
        assert (told["on"], told["room"]) == (False, room)
    host = await pairing._rooms.find(room)
    assert {seat.name for seat in host.room.seats if isinstance(seat, Person)} == {"Ada", "Bo"}
    assert host.room.status == "playing"


async def test_an_answer_that_was_lost_is_given_again(pairing: Pairing) -> None:
    ada, bo = Guest(pairing, ADA).join(), Guest(pairing, BO).join()
    await ada.meet(BO)
    room = await bo.meet(ADA)
    bo.leave()

    assert await bo.meet(ADA) == room
    assert await ada.meet(BO) == room


async def test_a_lost_answer_is_given_again_also_after_coming_back(pairing: Pairing) -> None:
    """The page says `quick` again after every welcome, before it sends what was not answered."""
    ada, bo = Guest(pairing, ADA).join(), Guest(pairing, BO).join()
    await ada.meet(BO)
    room = await bo.meet(ADA)
    bo.leave()

    assert await Guest(pairing, BO).join().meet(ADA) == room


@pytest.mark.parametrize("other", [CY, ADA])
async def test_only_the_partner_can_be_met(pairing: Pairing, other: Person) -> None:
    ada = Guest(pairing, ADA)
    for _ in range(2):
        with pytest.raises(Refused) as refused:
            await ada.meet(other)
        assert refused.value.reason is Reason.STALE
        ada.join()


async def test_a_player_whose_partner_leaves_gets_the_next_one(pairing: Pairing) -> None:
    ada, bo, cy = (Guest(pairing, person).join() for person in (ADA, BO, CY))
    await ada.meet(BO)
    assert await cy.partner() is None

    ada.leave()

    assert await bo.partner() == "Cy"
    assert (await bo.told())["asks"] is False
    assert await bo.meet(CY) is None
    assert await cy.meet(BO)


async def test_a_player_who_joins_again_gets_somebody_else_if_possible(pairing: Pairing) -> None:
    ada, bo, cy = (Guest(pairing, person).join() for person in (ADA, BO, CY))

    ada.join()

    assert (await bo.partner(), await cy.partner()) == ("Cy", "Bo")
    assert await ada.partner() is None
    dee = Guest(pairing, DEE).join()
    assert (await ada.partner(), await dee.partner()) == ("Dee", "Ada")
    dee.join()
    assert await ada.partner() == "Dee"  # there is nobody else


async def test_a_second_tab_takes_over_and_the_first_is_told(pairing: Pairing) -> None:
    first, second = Guest(pairing, ADA).join(), Guest(pairing, ADA).join()

    assert (await first.told())["on"] is False
    first.leave()  # which changes nothing any more
    bo = Guest(pairing, BO).join()
    assert await bo.partner() == "Ada"
    assert await second.partner() == "Bo"


async def test_a_room_that_cannot_open_leaves_both_where_they_were() -> None:
    pairing = Pairing(new_rooms(capacity=0), Addresses(Limits()))
    ada, bo = Guest(pairing, ADA).join(), Guest(pairing, BO).join()
    await ada.meet(BO)

    with pytest.raises(Refused):
        await bo.meet(ADA)

    pairing._rooms._capacity = 1
    assert await bo.meet(ADA)


async def test_a_partner_who_is_gone_when_the_room_cannot_open_is_not_kept() -> None:
    pairing = Pairing(new_rooms(capacity=0), Addresses(Limits()))
    ada, bo = Guest(pairing, ADA).join(), Guest(pairing, BO).join()
    await ada.meet(BO)
    ada.outbox.is_gone = True

    with pytest.raises(Refused):
        await bo.meet(ADA)

    assert await bo.partner() is None


class Failing(MemoryStore):
    """Cannot write, and takes a second to find out."""

    async def append_and_wait(self, room: RoomId, expected: int, events: Sequence[Event]) -> None:
        await asyncio.sleep(1)
        raise Unavailable


async def test_joining_anew_while_a_room_fails_to_open_keeps_the_partner() -> None:
    pairing = Pairing(new_rooms(Failing()), Addresses(Limits()))
    ada, bo = Guest(pairing, ADA).join(), Guest(pairing, BO).join()
    await ada.meet(BO)

    opening = asyncio.ensure_future(bo.meet(ADA))
    await asyncio.sleep(0.5)
    ada.join()
    with pytest.raises(Refused):
        await opening

    assert (await ada.partner(), await bo.partner()) == ("Bo", "Ada")
    pairing._rooms._store = MemoryStore()
    assert await ada.meet(BO) is None
    assert await bo.meet(ADA)


async def test_only_the_latest_meetings_are_remembered(
    pairing: Pairing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "RECALLED", 2)
    for first, second in ((ADA, BO), (CY, DEE)):
        guests = Guest(pairing, first).join(), Guest(pairing, second).join()
        await guests[0].meet(second)
        await guests[1].meet(first)

    assert await Guest(pairing, CY).meet(DEE)
    with pytest.raises(Refused, match="stale"):
        await Guest(pairing, ADA).meet(BO)


async def test_a_meeting_counts_as_a_room_of_its_address() -> None:
    pairing = Pairing(new_rooms(), Addresses(Limits(rooms_per_minute=1)))
    ada, bo = Guest(pairing, ADA).join(), Guest(pairing, BO).join()
    await ada.meet(BO)
    assert await bo.meet(ADA)
    ada.join()
    bo.join()
    await ada.meet(BO)

    with pytest.raises(Refused) as refused:
        await bo.meet(ADA)
    assert refused.value.reason is Reason.TOO_MANY_ROOMS
