"""Quick play between nodes."""

from __future__ import annotations

import asyncio

import pytest

from server.core.commands import Refused
from server.core.events import Person
from server.core.rules import CLASSIC, DROP, Variant
from server.live.house import House
from tests.support.fleets import Fleet
from tests.support.outboxes import connected
from tests.support.people import ADA, BO, CY
from tests.support.wire import Frame


class Guest:
    def __init__(self, house: House, person: Person, variant: Variant = CLASSIC) -> None:
        self.house = house
        self.person = person
        self.outbox, self.wire = connected(person, house.scheduler)
        house.pairing.join(person, self.outbox, variant)

    async def frame(self) -> Frame:
        await asyncio.sleep(0)
        return self.wire.of_type("quick")[-1]

    async def partner(self) -> str | None:
        partner = (await self.frame())["partner"]
        return None if partner is None else str(partner["name"])

    async def meet(self, other: Person) -> str | None:
        host = await self.house.pairing.meet(self.person, other.id, "192.0.2.1")
        return None if host is None else str(host.id)


async def two_nodes() -> tuple[Fleet, House, House]:
    fleet = Fleet()
    ann, bob = fleet.new_node("ann"), fleet.new_node("bob")
    await fleet.seconds(2)
    return fleet, ann, bob


async def test_players_on_two_nodes_are_paired_at_once_and_meet_in_one_room() -> None:
    _, ann, bob = await two_nodes()
    ada, bo = Guest(ann, ADA), Guest(bob, BO)
    await asyncio.sleep(0.2)
    assert (await ada.partner(), await bo.partner()) == ("Bo", "Ada")

    assert await ada.meet(BO) is None
    await asyncio.sleep(0.2)
    assert (await bo.frame())["asks"] is True
    room = await bo.meet(ADA)
    await asyncio.sleep(0.2)

    assert room is not None
    for guest in (ada, bo):
        frame = await guest.frame()
        assert (frame["on"], frame["room"]) == (False, room)
    seats = (await ann.rooms.find(room)).room.seats
    assert {seat.name for seat in seats if isinstance(seat, Person)} == {"Ada", "Bo"}
    assert (await bob.rooms.find(room)).room.seats == seats


async def test_two_who_have_met_before_meet_in_another_room_the_next_time() -> None:
    fleet, ann, bob = await two_nodes()
    rooms = []
    for _ in range(2):
        ada, bo = Guest(ann, ADA), Guest(bob, BO)
        await fleet.seconds(2)
        assert (await ada.frame())["on"] is True
        await ada.meet(BO)
        await fleet.seconds(1)
        rooms.append(await bo.meet(ADA))
        await fleet.seconds(1)
        assert (await ada.frame())["room"] == rooms[-1]

    assert None not in rooms
    assert len(set(rooms)) == 2


async def test_two_who_ask_at_the_same_moment_meet_in_one_room() -> None:
    fleet, ann, bob = await two_nodes()
    ada, bo = Guest(ann, ADA), Guest(bob, BO)
    await asyncio.sleep(0.2)

    met = await asyncio.gather(ada.meet(BO), bo.meet(ADA))
    assert not any(met)
    await fleet.seconds(2)

    rooms = {(await guest.frame())["room"] for guest in (ada, bo)}
    assert len(rooms) == 1
    assert None not in rooms


async def test_players_of_one_node_are_paired_with_each_other_and_the_third_with_another_node() -> (
    None
):
    fleet, ann, bob = await two_nodes()
    ada, bo = Guest(ann, ADA), Guest(ann, BO)
    cy, drop = Guest(bob, CY), Guest(bob, Person(CY.id, "Drop"), DROP)
    await fleet.seconds(2)
    assert (await ada.partner(), await bo.partner()) == ("Bo", "Ada")
    assert await cy.partner() is None
    assert await drop.partner() is None

    ann.pairing.withdraw(bo.outbox)
    bob.pairing.withdraw(drop.outbox)
    again = Guest(bob, CY)
    await fleet.seconds(2)

    assert (await ada.partner(), await again.partner()) == ("Cy", "Ada")


@pytest.mark.parametrize("how", ["withdraws", "is lost"])
async def test_a_player_whose_partner_goes_waits_for_the_next(how: str) -> None:
    fleet, ann, bob = await two_nodes()
    ada, bo = Guest(ann, ADA), Guest(bob, BO)
    await fleet.seconds(1)
    if how == "withdraws":
        bob.pairing.withdraw(bo.outbox)
    else:
        fleet.kill("bob")
    await fleet.seconds(5)
    assert await ada.partner() is None

    cy = Guest(ann, CY)
    assert (await ada.partner(), await cy.partner()) == ("Cy", "Ada")


async def test_a_player_who_joins_on_another_node_is_looked_for_there_only() -> None:
    fleet, ann, bob = await two_nodes()
    first = Guest(ann, ADA)
    await fleet.seconds(1)
    Guest(bob, ADA)
    await fleet.seconds(1)

    assert (await first.frame())["on"] is False


async def test_an_answer_that_was_lost_with_its_node_is_given_again_by_the_other() -> None:
    fleet, ann, bob = await two_nodes()
    ada, bo = Guest(ann, ADA), Guest(bob, BO)
    await asyncio.sleep(0.2)
    await ada.meet(BO)
    await asyncio.sleep(0.2)
    room = await bo.meet(ADA)
    await fleet.seconds(1)
    fleet.kill("bob")

    assert await Guest(ann, BO).meet(ADA) == room
    with pytest.raises(Refused, match="stale"):
        await Guest(ann, BO).meet(CY)


async def test_many_guests_on_three_nodes_with_a_bad_bus_are_all_paired() -> None:
    fleet, ann, bob = await two_nodes()
    cid = fleet.new_node("cid")
    fleet.hub.loss = 0.2
    guests = []
    for number in range(11):
        house = (ann, bob, cid)[number % 3]
        person = Person(ADA.id.__class__(f"p{number}"), f"P{number}")
        guests.append(Guest(house, person))
        await fleet.seconds(0.3)
    await fleet.seconds(20)

    partners = {guest.person.name: await guest.partner() for guest in guests}
    paired = {name: partner for name, partner in partners.items() if partner is not None}
    assert len(paired) == 10
    assert all(paired[partner] == name for name, partner in paired.items())
