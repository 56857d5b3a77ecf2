"""What the server counts, and the text in which Prometheus reads it.

Counting happens at every move, so it is plain arithmetic here; the client library is asked only
when somebody looks. The registry is handed in with this object, never global.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

BOUNDS = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1.0, 5.0)


class Times:
    """How long something took, counted in buckets."""

    def __init__(self) -> None:
        self._counts = [0] * (len(BOUNDS) + 1)
        self._sum = 0.0

    def observe(self, seconds: float) -> None:
        self._counts[bisect_left(BOUNDS, seconds)] += 1
        self._sum += seconds

    def family(self, name: str, text: str) -> HistogramMetricFamily:
        buckets, total = [], 0
        for bound, count in zip((*map(str, BOUNDS), "+Inf"), self._counts, strict=True):
            total += count
            buckets.append((bound, total))
        return HistogramMetricFamily(name, text, buckets=buckets, sum_value=self._sum)


class Metrics(Collector):
    def __init__(self) -> None:
        self.rooms = 0
        self.connections = 0
        self.commands: Counter[tuple[str, str]] = Counter()
        self.durable = Times()
        self.broadcast = Times()
        self.ai = Times()
        self.ai_queue = 0
        self.ai_replaced = 0
        self._registry = CollectorRegistry()
        self._registry.register(self)

    def text(self) -> bytes:
        return generate_latest(self._registry)

    def collect(self) -> Iterator[Metric]:
        gauge, counter = GaugeMetricFamily, CounterMetricFamily
        yield gauge("noughts_rooms", "Rooms awake in memory", self.rooms)
        yield gauge("noughts_connections", "Open WebSocket connections", self.connections)
        yield self._commands()
        yield self.durable.family(
            "noughts_durable_seconds", "From a decided command to its events being durable"
        )
        yield self.broadcast.family(
            "noughts_broadcast_seconds", "To write a state to the first of those who follow"
        )
        yield self.ai.family("noughts_ai_seconds", "From an AI's turn to its choice, unpaused")
        yield gauge("noughts_ai_queue", "AI choices computed or waiting", self.ai_queue)
        yield counter("noughts_ai_pools_replaced", "AI pools, dead or hanging", self.ai_replaced)

    def _commands(self) -> CounterMetricFamily:
        family = CounterMetricFamily(
            "noughts_commands",
            "Commands by type and answer (accepted, or the reason of the refusal)",
            labels=("command", "answer"),
        )
        for (command, answer), count in self.commands.items():
            family.add_metric((command, answer), count)
        return family
