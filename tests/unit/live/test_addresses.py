"""The limits of each address, with the time passed in as a number."""

from __future__ import annotations

from server.core.commands import Reason, Refused
from server.core.room import RoomId
from server.live.addresses import Addresses
from server.live.limits import Limits

HERE, THERE = "192.0.2.1", "192.0.2.2"
ONE, OTHER = RoomId("one"), RoomId("other")


def test_an_address_has_a_limited_number_of_connections_at_a_time() -> None:
    addresses = Addresses(Limits(connections_per_address=2))

    assert [addresses.add_connection(HERE) for _ in range(3)] == [True, True, False]
    assert addresses.add_connection(THERE)
    addresses.remove_connection(HERE)
    assert addresses.add_connection(HERE)
    assert not addresses.add_connection(HERE)


def test_all_addresses_together_have_a_limited_number_of_connections() -> None:
    addresses = Addresses(Limits(connections=2))

    assert [addresses.add_connection(each) for each in (HERE, THERE, "192.0.2.3")] == [
        True,
        True,
        False,
    ]
    addresses.remove_connection(THERE)
    assert addresses.add_connection("192.0.2.3")


def may_open(addresses: Addresses, address: str, now: float) -> bool:
    try:
        addresses.check_room_limits(address, now)
    except Refused as refused:
        return refused.reason is not Reason.TOO_MANY_ROOMS
    return True


def test_an_address_opens_a_limited_number_of_rooms_a_minute() -> None:
    addresses = Addresses(Limits(rooms_per_minute=2))

    assert [may_open(addresses, HERE, 0.0) for _ in range(3)] == [True, True, False]
    assert may_open(addresses, THERE, 0.0)
    assert not may_open(addresses, HERE, 29.0)
    assert may_open(addresses, HERE, 31.0)


def test_an_address_has_a_limited_number_of_rooms_awake() -> None:
    addresses = Addresses(Limits(rooms_open_per_address=1))
    addresses.add_room(HERE, ONE)

    assert not may_open(addresses, HERE, 0.0)
    assert may_open(addresses, THERE, 0.0)
    addresses.remove_room(ONE)
    assert may_open(addresses, HERE, 0.0)


def test_a_sleeping_room_frees_one_place() -> None:
    addresses = Addresses(Limits(rooms_open_per_address=2))
    for room in (ONE, OTHER):
        addresses.add_room(HERE, room)
    assert not may_open(addresses, HERE, 0.0)

    addresses.remove_room(ONE)
    assert may_open(addresses, HERE, 0.0)
    addresses.add_room(HERE, ONE)
    assert not may_open(addresses, HERE, 0.0)


def test_a_room_that_sleeps_twice_or_was_never_counted_frees_no_place() -> None:
    addresses = Addresses(Limits(rooms_open_per_address=1))
    addresses.remove_room(ONE)
    addresses.add_room(HERE, ONE)
    addresses.remove_room(ONE)
    addresses.remove_room(ONE)

    addresses.add_room(HERE, ONE)

    assert not may_open(addresses, HERE, 0.0)


def test_an_address_that_has_used_up_its_rate_is_not_forgotten() -> None:
    addresses = Addresses(Limits(rooms_per_minute=1))
    assert may_open(addresses, HERE, 100.0)

    for number in range(1_500):
        assert may_open(addresses, f"2001:db8::{number:x}", 100.0)

    assert not may_open(addresses, HERE, 100.0)


def test_no_address_has_too_many_connections_or_rooms_without_limits() -> None:
    addresses = Addresses(Limits().lift())

    assert all(addresses.add_connection(HERE) for _ in range(200))
    assert all(may_open(addresses, HERE, 0.0) for _ in range(200))
