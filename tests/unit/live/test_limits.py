"""How much one peer or one address may ask for, with the time passed in as a number."""

from __future__ import annotations

import pytest

from server.core.commands import Reason, Refused
from server.core.room import RoomId
from server.live.limits import Addresses, Bucket, Limits, Strikes

HERE, THERE = "192.0.2.1", "192.0.2.2"
ONE = RoomId("one")


def test_a_bucket_gives_so_many_at_once_and_then_at_its_rate() -> None:
    bucket = Bucket(per_second=10, at_once=20)

    assert [bucket.take(1000.0) for _ in range(21)] == [True] * 20 + [False]
    assert not bucket.take(1000.05)
    assert bucket.take(1000.11)
    assert not bucket.take(1000.11)


def test_a_bucket_never_holds_more_than_its_size() -> None:
    bucket = Bucket(per_second=10, at_once=3)
    bucket.take(0.0)

    assert not bucket.is_full(0.0)
    assert bucket.is_full(99_999.0)
    assert [bucket.take(99_999.0) for _ in range(4)] == [True, True, True, False]


def test_the_tenth_strike_within_a_minute_is_one_too_many() -> None:
    strikes = Strikes(allowed=10)

    assert [strikes.add(float(second)) for second in range(10)] == [False] * 9 + [True]


def test_strikes_are_forgotten_after_a_minute() -> None:
    strikes = Strikes(allowed=3)

    assert [strikes.add(now) for now in (0.0, 1.0, 60.5, 61.5)] == [False] * 4
    assert strikes.add(62.0)


def test_an_address_has_so_many_connections_and_gets_them_back() -> None:
    addresses = Addresses(Limits(connections_per_address=2))

    assert [addresses.connect(HERE) for _ in range(3)] == [True, True, False]
    assert addresses.connect(THERE)
    addresses.disconnect(HERE)
    assert addresses.connect(HERE)
    assert not addresses.connect(HERE)


def test_all_addresses_together_have_so_many_connections() -> None:
    addresses = Addresses(Limits(connections=2))

    assert [addresses.connect(each) for each in (HERE, THERE, "192.0.2.3")] == [True, True, False]
    addresses.disconnect(THERE)
    assert addresses.connect("192.0.2.3")


def may_open(addresses: Addresses, address: str, now: float) -> bool:
    try:
        addresses.may_open_room(address, now)
    except Refused as refused:
        return refused.reason is not Reason.TOO_MANY_ROOMS
    return True


def test_an_address_opens_so_many_rooms_a_minute() -> None:
    addresses = Addresses(Limits(rooms_per_minute=2))

    assert [may_open(addresses, HERE, 0.0) for _ in range(3)] == [True, True, False]
    assert may_open(addresses, THERE, 0.0)
    assert not may_open(addresses, HERE, 29.0)
    assert may_open(addresses, HERE, 31.0)


def test_an_address_has_so_many_rooms_open_until_they_sleep() -> None:
    addresses = Addresses(Limits(rooms_open_per_address=1))
    addresses.room_opened(HERE, ONE)

    assert not may_open(addresses, HERE, 0.0)
    assert may_open(addresses, THERE, 0.0)
    addresses.room_slept(ONE)
    assert may_open(addresses, HERE, 0.0)


def test_a_room_that_sleeps_twice_or_was_never_counted_counts_for_nothing() -> None:
    addresses = Addresses(Limits(rooms_open_per_address=1))
    addresses.room_slept(ONE)
    addresses.room_opened(HERE, ONE)
    addresses.room_slept(ONE)
    addresses.room_slept(ONE)

    addresses.room_opened(HERE, ONE)

    assert not may_open(addresses, HERE, 0.0)


def test_forgetting_quiet_addresses_forgives_nobody() -> None:
    addresses = Addresses(Limits(rooms_per_minute=1))
    assert may_open(addresses, HERE, 100.0)

    for number in range(1_500):
        assert may_open(addresses, f"2001:db8::{number:x}", 100.0)

    assert not may_open(addresses, HERE, 100.0)


def test_without_limits_rates_and_counts_for_each_address_are_lifted_and_the_rest_stays() -> None:
    usual, lifted = Limits(), Limits().lifted()

    for name in ("malformed_per_minute", "rooms_followed", "hello", "connections", "rooms_awake"):
        assert getattr(lifted, name) == getattr(usual, name)
    addresses = Addresses(lifted)
    assert all(addresses.connect(HERE) for _ in range(200))
    assert all(may_open(addresses, HERE, 0.0) for _ in range(200))
    bucket = Bucket(lifted.commands_per_second, lifted.commands_at_once)
    assert all(bucket.take(0.0) for _ in range(2_000))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("malformed_per_minute", 10),
        ("too_fast_per_minute", 100),
        ("rooms_followed", 64),
        ("hello", 10),
    ],
)
def test_the_limits_of_the_protocol_are_the_usual_ones(name: str, value: int) -> None:
    assert getattr(Limits(), name) == value
