"""Rates as arithmetic, with the time passed in as a number."""

from __future__ import annotations

import pytest

from noughts import shapes
from server.live.limits import Bucket, Limits, Strikes


def test_a_bucket_allows_a_burst_and_then_its_rate() -> None:
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
    strikes = Strikes(limit=10)

    assert [strikes.add(float(second)) for second in range(10)] == [False] * 9 + [True]


def test_strikes_are_forgotten_after_a_minute() -> None:
    strikes = Strikes(limit=3)

    assert [strikes.add(now) for now in (0.0, 1.0, 60.5, 61.5)] == [False] * 4
    assert strikes.add(62.0)


def test_no_limits_lifts_the_rates_and_keeps_the_rest() -> None:
    usual, lifted = Limits(), Limits().lift()

    for name in ("malformed_per_minute", "rooms_followed", "hello", "connections", "rooms_awake"):
        assert getattr(lifted, name) == getattr(usual, name)
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


def test_limits_are_sent_to_a_client_as_whole_numbers() -> None:
    sent = Limits(commands_per_second=1.5).to_shape()

    assert sent == shapes.Limits(
        cover_after=20_000,
        claim_after=30_000,
        commands_per_second=1,
        commands_at_once=20,
        rooms_followed=64,
    )
    assert type(sent.commands_per_second) is int
