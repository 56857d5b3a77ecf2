"""The limits of each address, with the time passed in as a number."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count

from server.core.commands import Refused, Whose
from server.core.events import PlayerId
from server.core.room import RoomId
from server.live.addresses import Addresses
from server.live.limits import Limits

HERE, THERE = "192.0.2.1", "192.0.2.2"
ONE, OTHER = RoomId("one"), RoomId("other")
PLAYERS = count()


def connected(addresses: Addresses, address: str, times: int) -> str | None:
    """Why the last of so many connections is turned away, and not counted; None if it is not."""
    for _ in range(times):
        if reason := addresses.reason_against(address):
            return reason
        addresses.add_connection(address)
    return None


def test_an_address_has_a_limited_number_of_connections_at_a_time() -> None:
    addresses = Addresses(Limits(connections_per_address=2))

    assert connected(addresses, HERE, 3) == "address"
    assert connected(addresses, THERE, 1) is None
    addresses.remove_connection(HERE)
    assert connected(addresses, HERE, 1) is None
    assert connected(addresses, HERE, 1) == "address"


def test_all_addresses_together_have_a_limited_number_of_connections() -> None:
    addresses = Addresses(Limits(connections=2))

    for each in (HERE, THERE):
        assert connected(addresses, each, 1) is None
    assert connected(addresses, "192.0.2.3", 1) == "full"
    addresses.remove_connection(THERE)
    assert connected(addresses, "192.0.2.3", 1) is None


def test_once_half_of_all_places_are_taken_an_address_with_many_gets_no_more() -> None:
    addresses = Addresses(Limits(connections=1_000))
    assert connected(addresses, HERE, 499) is None
    assert connected(addresses, THERE, 2) is None

    assert connected(addresses, HERE, 1) == "address"
    assert connected(addresses, THERE, 98) is None
    assert connected(addresses, THERE, 1) == "address"
    for _ in range(300):
        addresses.remove_connection(HERE)
    assert connected(addresses, HERE, 100) is None


def limit_met(addresses: Addresses, address: str, now: float, player: str = "") -> Whose | None:
    """Whose limit forbids this player one more room; each player opens one, if none is named."""
    try:
        addresses.check_room_limits(address, PlayerId(player or str(next(PLAYERS))), now)
    except Refused as refused:
        return refused.whose
    return None


def may_open(addresses: Addresses, address: str, now: float) -> bool:
    return limit_met(addresses, address, now) is None


def test_a_class_of_thirty_opens_four_games_each_in_a_minute_behind_one_address() -> None:
    addresses = Addresses(Limits())

    for number in range(120):
        assert limit_met(addresses, HERE, 0.0, f"pupil {number % 30}") is None
    assert limit_met(addresses, HERE, 0.4, "pupil 0") is Whose.ADDRESS
    assert limit_met(addresses, HERE, 0.6, "pupil 0") is None


def test_a_player_opens_a_limited_number_of_rooms_a_minute_from_any_address() -> None:
    addresses = Addresses(Limits(rooms_per_minute_per_player=2))

    assert [limit_met(addresses, HERE, 0.0, "Ada") for _ in range(2)] == [None, None]
    assert limit_met(addresses, THERE, 0.0, "Ada") is Whose.PLAYER
    assert limit_met(addresses, HERE, 0.0, "Bo") is None
    assert limit_met(addresses, HERE, 31.0, "Ada") is None


def test_a_room_that_is_refused_counts_for_no_rate() -> None:
    addresses = Addresses(Limits(rooms_per_minute=2, rooms_per_minute_per_player=1))
    assert limit_met(addresses, HERE, 0.0, "Ada") is None

    assert [limit_met(addresses, HERE, 0.0, "Ada") for _ in range(9)] == [Whose.PLAYER] * 9
    assert limit_met(addresses, HERE, 0.0, "Bo") is None
    assert limit_met(addresses, HERE, 0.0, "Cy") is Whose.ADDRESS
    assert limit_met(addresses, THERE, 0.0, "Cy") is None


def test_an_address_opens_a_limited_number_of_rooms_a_minute_and_a_day() -> None:
    addresses = Addresses(Limits(rooms_per_minute=2, rooms_per_day=3))

    assert [may_open(addresses, HERE, 0.0) for _ in range(3)] == [True, True, False]
    assert may_open(addresses, THERE, 0.0)
    assert not may_open(addresses, HERE, 29.0)
    assert may_open(addresses, HERE, 31.0)
    assert not may_open(addresses, HERE, 3_600.0)
    assert may_open(addresses, HERE, 8 * 3_600.0 + 1)


def test_an_address_has_a_limited_number_of_rooms_awake() -> None:
    addresses = Addresses(Limits(rooms_open_per_address=1))
    addresses.add_room(HERE, ONE)

    assert not may_open(addresses, HERE, 0.0)
    assert may_open(addresses, THERE, 0.0)
    addresses.remove_room(ONE)
    assert may_open(addresses, HERE, 0.0)


def test_the_rooms_of_an_address_may_be_put_to_sleep_only_when_it_needs_a_place() -> None:
    addresses = Addresses(Limits(rooms_open_per_address=2))
    asked: list[list[RoomId]] = []

    def put_to_sleep(rooms: Iterable[RoomId]) -> None:
        asked.append(sorted(rooms))
        addresses.remove_room(ONE)

    addresses.put_to_sleep = put_to_sleep
    addresses.add_room(HERE, ONE)
    assert may_open(addresses, HERE, 0.0)
    addresses.add_room(HERE, OTHER)

    assert may_open(addresses, HERE, 0.0)
    assert asked == [[ONE, OTHER]]


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

    assert connected(addresses, HERE, 1_000) is None
    assert {limit_met(addresses, HERE, 0.0, "Ada") for _ in range(6_000)} == {None}
