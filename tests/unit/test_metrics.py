"""Durations are counted in buckets, and each `Metrics` has its own counts."""

from __future__ import annotations

import pytest

from server.metrics import BOUNDS, Metrics, Times


@pytest.mark.parametrize(
    ("seconds", "bucket"),
    [
        (0.0, 0),
        (BOUNDS[0], 0),  # a bound belongs to its own bucket, as in Prometheus
        (BOUNDS[0] * 1.01, 1),
        (BOUNDS[-1], len(BOUNDS) - 1),
        (BOUNDS[-1] * 1.01, len(BOUNDS)),
    ],
)
def test_a_duration_is_counted_in_the_first_bucket_that_holds_it(
    seconds: float, bucket: int
) -> None:
    times = Times()

    times.observe(seconds)

    assert [number for number, count in enumerate(times.counts) if count] == [bucket]


def test_the_sum_of_all_durations_is_kept() -> None:
    times = Times()

    for seconds in (0.25, 0.5, 60.0):
        times.observe(seconds)

    assert (sum(times.counts), times.sum) == (3, 60.75)


def test_the_bounds_rise() -> None:
    assert list(BOUNDS) == sorted(set(BOUNDS))


def test_two_servers_in_one_process_share_no_counts() -> None:
    ours, theirs = Metrics(), Metrics()

    ours.accepted["play"] += 1
    ours.refused["play", "stale"] += 1
    ours.durable.observe(1.0)

    assert (theirs.accepted, theirs.refused, theirs.durable.sum) == ({}, {}, 0.0)
