"""Quick play: pairs waiting players and opens a room once both have asked to meet."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from server.core.commands import Reason, Refused
from server.core.events import Event, Person, PlayerId
from server.core.room import RoomId
from server.core.rules import CLASSIC, DROP, Variant
from server.live import pairing as module
from server.live.addresses import Addresses
from server.live.limits import Limits
from server.live.outbox import Outbox
from server.live.pairing import Pairing
from server.store import Unavailable
from server.store.memory import MemoryStore
from tests.support.houses import new_rooms
from tests.support.outboxes import connected, tick
from tests.support.people import ADA, BO, CY
from tests.support.wire import Frame, Wire

DEE = Person(PlayerId("dee-dee-dee-dee-"), "Dee")


class Candidate:
    def __init__(self, pairing: Pairing, person: Person) -> None:
        self.person = person
        self.pairing = pairing
        self.outbox: Outbox
        self.wire: Wire
        self.outbox, self.wire = connected(person)

    def join(self, variant: Variant = CLASSIC) -> Candidate:
        self.pairing.join(self.person, self.outbox, variant)
        return self

    def withdraw(self) -> None:
        self.pairing.withdraw(self.outbox)

    async def meet(self, other: Person) -> str | None:
        host = await self.pairing.meet(self.person, other.id, "192.0.2.1")
        return None if host is None else host.id

    async def last_frame(self) -> Frame:
        """The last `quick` frame."""
        await tick()
        return self.wire.of_type("quick")[-1]

    async def partner(self) -> str | None:
        partner = (await self.last_frame())["partner"]
        return None if partner is None else str(partner["name"])


@pytest.fixture
async def pairing() -> Pairing:
    return Pairing(new_rooms(), Addresses(Limits()), now=lambda: 0)


async def test_the_first_player_waits_alone_for_the_second_to_come(
    pairing: Pairing,
) -> None:
    ada = Candidate(pairing, ADA).join()
    assert await ada.last_frame() == {
        "type": "quick",
        "on": True,
        "partner": None,
        "asks": False,
        "room": None,
    }

    bo = Candidate(pairing, BO).join()

    assert await ada.partner() == "Bo"
    assert await bo.partner() == "Ada"


async def test_two_players_who_both_ask_to_meet_get_one_room(pairing: Pairing) -> None:
    ada, bo = Candidate(pairing, ADA).join(), Candidate(pairing, BO).join()

    assert await ada.meet(BO) is None
    assert (await bo.last_frame())["asks"] is True
    assert (await ada.last_frame())["asks"] is False

    room = await bo.meet(ADA)

    assert room is not None
    for candidate in (ada, bo):
        frame = await candidate.last_frame()
        assert (frame["on"], frame["room"]) == (False, room)
    host = await pairing._rooms.find(room)
    assert {seat.name for seat in host.room.seats if isinstance(seat, Person)} == {"Ada", "Bo"}
    assert host.room.status == "playing"


async def test_an_answer_that_was_lost_is_given_again(pairing: Pairing) -> None:
    ada, bo = Candidate(pairing, ADA).join(), Candidate(pairing, BO).join()
    await ada.meet(BO)
    room = await bo.meet(ADA)
    bo.withdraw()

    assert await bo.meet(ADA) == room
    assert await ada.meet(BO) == room


async def test_a_lost_answer_is_given_again_after_a_reconnect(pairing: Pairing) -> None:
    """The page says `quick` again after every welcome, before it sends what was not answered."""
    ada, bo = Candidate(pairing, ADA).join(), Candidate(pairing, BO).join()
    await ada.meet(BO)
    room = await bo.meet(ADA)
    bo.withdraw()

    assert await Candidate(pairing, BO).join().meet(ADA) == room


@pytest.mark.parametrize("other", [CY, ADA])
async def test_only_the_partner_can_be_met(pairing: Pairing, other: Person) -> None:
    ada = Candidate(pairing, ADA)
    for _ in range(2):
        with pytest.raises(Refused) as refused:
            await ada.meet(other)
        assert refused.value.reason is Reason.STALE
        ada.join()


async def test_a_player_whose_partner_withdraws_gets_the_next_one(pairing: Pairing) -> None:
    ada, bo, cy = (Candidate(pairing, person).join() for person in (ADA, BO, CY))
    await ada.meet(BO)
    assert await cy.partner() is None

    ada.withdraw()

    assert await bo.partner() == "Cy"
    assert (await bo.last_frame())["asks"] is False
    assert await bo.meet(CY) is None
    assert await cy.meet(BO)


async def test_a_player_who_joins_again_gets_somebody_else_if_possible(pairing: Pairing) -> None:
    ada, bo, cy = (Candidate(pairing, person).join() for person in (ADA, BO, CY))

    ada.join()

    assert (await bo.partner(), await cy.partner()) == ("Cy", "Bo")
    assert await ada.partner() is None
    dee = Candidate(pairing, DEE).join()
    assert (await ada.partner(), await dee.partner()) == ("Dee", "Ada")
    dee.join()
    assert await ada.partner() == "Dee"  # nobody else is waiting


async def test_a_second_tab_takes_over_and_the_first_is_notified(pairing: Pairing) -> None:
    first, second = Candidate(pairing, ADA).join(), Candidate(pairing, ADA).join()

    assert (await first.last_frame())["on"] is False
    first.withdraw()  # changes nothing any more
    bo = Candidate(pairing, BO).join()
    assert await bo.partner() == "Ada"
    assert await second.partner() == "Bo"


async def test_both_players_keep_waiting_if_the_room_cannot_be_opened() -> None:
    pairing = Pairing(new_rooms(capacity=0), Addresses(Limits()), now=lambda: 0)
    ada, bo = Candidate(pairing, ADA).join(), Candidate(pairing, BO).join()
    await ada.meet(BO)

    with pytest.raises(Refused):
        await bo.meet(ADA)

    pairing._rooms._capacity = 1
    assert await bo.meet(ADA)


async def test_a_partner_who_has_gone_is_dropped_if_the_room_cannot_be_opened() -> None:
    pairing = Pairing(new_rooms(capacity=0), Addresses(Limits()), now=lambda: 0)
    ada, bo = Candidate(pairing, ADA).join(), Candidate(pairing, BO).join()
    await ada.meet(BO)
    ada.outbox.is_gone = True

    with pytest.raises(Refused):
        await bo.meet(ADA)

    assert await bo.partner() is None


class Failing(MemoryStore):
    """Fails to write after a second."""

    async def append_and_wait(self, room: RoomId, expected: int, events: Sequence[Event]) -> None:
        await asyncio.sleep(1)
        raise Unavailable


async def test_a_player_who_joins_again_while_a_room_fails_to_open_keeps_the_partner() -> None:
    pairing = Pairing(new_rooms(Failing()), Addresses(Limits()), now=lambda: 0)
    ada, bo = Candidate(pairing, ADA).join(), Candidate(pairing, BO).join()
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


async def test_two_players_who_both_join_again_while_a_room_fails_to_open_keep_each_other() -> None:
    pairing = Pairing(new_rooms(Failing()), Addresses(Limits()), now=lambda: 0)
    ada, bo = Candidate(pairing, ADA).join(), Candidate(pairing, BO).join()
    await ada.meet(BO)

    opening = asyncio.ensure_future(bo.meet(ADA))
    await asyncio.sleep(0.5)
    ada.join()
    second_tab = Candidate(pairing, BO).join()
    with pytest.raises(Refused):
        await opening

    cy = Candidate(pairing, CY).join()
    assert (await ada.partner(), await second_tab.partner()) == ("Bo", "Ada")
    assert await cy.partner() is None
    assert (await bo.last_frame())["on"] is False


async def test_only_the_latest_meetings_are_remembered(
    pairing: Pairing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MEETINGS_KEPT", 2)
    for first, second in ((ADA, BO), (CY, DEE)):
        candidates = Candidate(pairing, first).join(), Candidate(pairing, second).join()
        await candidates[0].meet(second)
        await candidates[1].meet(first)

    assert await Candidate(pairing, CY).meet(DEE)
    with pytest.raises(Refused, match="stale"):
        await Candidate(pairing, ADA).meet(BO)


async def test_a_meeting_counts_as_a_room_of_its_address() -> None:
    pairing = Pairing(new_rooms(), Addresses(Limits(rooms_per_minute=1)), now=lambda: 0)
    ada, bo = Candidate(pairing, ADA).join(), Candidate(pairing, BO).join()
    await ada.meet(BO)
    assert await bo.meet(ADA)
    ada.join()
    bo.join()
    await ada.meet(BO)

    with pytest.raises(Refused) as refused:
        await bo.meet(ADA)
    assert refused.value.reason is Reason.TOO_MANY_ROOMS


async def test_players_are_paired_within_a_game_and_meet_in_a_room_with_it(
    pairing: Pairing,
) -> None:
    ada = Candidate(pairing, ADA).join(DROP)
    bo = Candidate(pairing, BO).join()
    assert (await ada.partner(), await bo.partner()) == (None, None)

    cy = Candidate(pairing, CY).join(DROP)

    assert (await ada.partner(), await cy.partner()) == ("Cy", "Ada")
    assert await ada.meet(CY) is None
    host = await pairing.meet(CY, ADA.id, "192.0.2.1")
    assert host is not None
    assert host.room.variant is DROP
    assert await bo.partner() is None


async def test_a_player_who_changes_the_game_leaves_the_partner_to_others(pairing: Pairing) -> None:
    ada, bo = Candidate(pairing, ADA).join(), Candidate(pairing, BO).join()

    ada.join(DROP)

    assert (await ada.partner(), await bo.partner()) == (None, None)
