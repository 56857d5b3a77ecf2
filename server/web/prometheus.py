"""The metrics in the text format of Prometheus, written by its own client library."""

from __future__ import annotations

from collections.abc import Iterator

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from server.metrics import BOUNDS, Metrics, Times


def text(metrics: Metrics) -> bytes:
    registry = CollectorRegistry()
    registry.register(_Collector(metrics))
    return generate_latest(registry)


class _Collector(Collector):
    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics

    def collect(self) -> Iterator[Metric]:
        metrics, gauge, counter = self._metrics, GaugeMetricFamily, CounterMetricFamily
        yield gauge("noughts_rooms", "Rooms awake in memory", metrics.rooms)
        yield gauge("noughts_connections", "Open WebSockets and streams", metrics.connections)
        yield _opened(metrics)
        yield _commands(metrics)
        yield _histogram(
            "noughts_durable_seconds",
            "How long the oldest change of a commit waited until it was durable",
            metrics.durable,
        )
        yield _histogram(
            "noughts_broadcast_seconds",
            "One round of the scheduler that writes to the sockets",
            metrics.broadcast,
        )
        yield _histogram(
            "noughts_ai_seconds", "From an AI's turn to its choice, unpaused", metrics.ai
        )
        yield gauge("noughts_ai_queue", "AI choices computed or waiting", metrics.ai_queue)
        yield counter(
            "noughts_ai_hurried", "AI answers with less search than usual", metrics.ai_hurried
        )
        yield counter("noughts_ai_pools_replaced", "AI pools, dead or hanging", metrics.ai_replaced)


def _opened(metrics: Metrics) -> CounterMetricFamily:
    family = CounterMetricFamily(
        "noughts_rooms_opened", "Rooms opened, by game", labels=("variant",)
    )
    for variant, count in metrics.opened.items():
        family.add_metric((variant,), count)
    return family


def _commands(metrics: Metrics) -> CounterMetricFamily:
    family = CounterMetricFamily(
        "noughts_commands",
        "Requests by type and answer (accepted, or the reason of the refusal)",
        labels=("command", "answer"),
    )
    for command, count in metrics.accepted.items():
        family.add_metric((command, "accepted"), count)
    for (command, reason), count in metrics.refused.items():
        family.add_metric((command, reason), count)
    return family


def _histogram(name: str, help: str, times: Times) -> HistogramMetricFamily:
    buckets, total = [], 0
    for bound, count in zip((*map(str, BOUNDS), "+Inf"), times.counts, strict=True):
        total += count
        buckets.append((bound, total))
    return HistogramMetricFamily(name, help, buckets=buckets, sum_value=times.sum)
