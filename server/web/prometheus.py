"""The metrics in the text format of Prometheus, written by its own client library.

Every count that can occur is there from the start, at 0: `rate()` does not see the first rise of a
series that begins with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from noughts import __version__
from noughts.messages import Close
from server.core.rules import VARIANTS, Ending
from server.live.peer import UNREADABLE
from server.metrics import BOUNDS, HANDSHAKES, KINDS, Metrics, Times
from server.web.process import usage
from server.wire.answers import COMMANDS, reasons_of

Labels = tuple[str, ...]


def text(metrics: Metrics) -> bytes:
    registry = CollectorRegistry()
    registry.register(_Collector(metrics))
    return generate_latest(registry)


class _Collector(Collector):
    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics

    def collect(self) -> Iterator[Metric]:
        metrics, gauge, counter = self._metrics, GaugeMetricFamily, CounterMetricFamily
        yield _build_info()
        yield gauge("noughts_rooms", "Rooms awake in memory", metrics.rooms)
        yield gauge("noughts_connections", "Open WebSockets and streams", metrics.connections)
        yield _opened(metrics)
        yield _finished(metrics)
        joins = metrics.accepted.get("hello", 0)
        yield counter("noughts_joins", "Players who have said hello", joins)
        yield _commands(metrics)
        yield _turned_away(metrics)
        yield counter(
            "noughts_connections_aborted", "Connections closed unread, too many", metrics.aborted
        )
        yield _closed(metrics)
        yield gauge("noughts_bans", "Addresses and networks that may not connect", metrics.bans())
        yield from self._times()
        yield gauge("noughts_ai_queue", "AI choices computed or waiting", metrics.ai_queue)
        yield counter(
            "noughts_ai_hurried", "AI answers with less search than usual", metrics.ai_hurried
        )
        yield counter("noughts_ai_pools_replaced", "AI pools, dead or hanging", metrics.ai_replaced)
        refusing = int(metrics.is_refusing())
        yield gauge("noughts_store_refusing", "1 while writing to the store fails", refusing)
        yield _store_sizes(metrics)
        yield from _process(metrics)

    def _times(self) -> Iterator[Metric]:
        yield _histogram(
            "noughts_durable_seconds",
            "How long the oldest change of a commit waited until it was durable",
            self._metrics.durable,
        )
        yield _histogram(
            "noughts_broadcast_seconds",
            "One round of the scheduler that writes to the sockets",
            self._metrics.broadcast,
        )
        yield _histogram(
            "noughts_ai_seconds", "From an AI's turn to its choice, unpaused", self._metrics.ai
        )


def _counter(
    name: str,
    help: str,
    labels: Labels,
    usual: Iterable[Labels],
    counts: Iterable[tuple[Labels, int]],
) -> CounterMetricFamily:
    """A counter with its labels: those that are usual, also at 0, and all that were counted."""
    family = CounterMetricFamily(name, help, labels=labels)
    for values, count in (dict.fromkeys(usual, 0) | dict(counts)).items():
        family.add_metric(values, count)
    return family


def _build_info() -> GaugeMetricFamily:
    family = GaugeMetricFamily("noughts_build_info", "The version", labels=("version",))
    family.add_metric((__version__,), 1)
    return family


def _opened(metrics: Metrics) -> CounterMetricFamily:
    opened = [((variant,), count) for variant, count in metrics.opened.items()]
    usual = [(variant,) for variant in VARIANTS]
    return _counter("noughts_rooms_opened", "Rooms opened, by game", ("variant",), usual, opened)


def _finished(metrics: Metrics) -> CounterMetricFamily:
    usual = [
        (variant, ending.value, kind)
        for variant in VARIANTS
        for ending in Ending
        for kind in KINDS
        if ending is not Ending.LIMIT or VARIANTS[variant].limit
    ]
    return _counter(
        "noughts_games_finished",
        "Games that have ended, by game, how they ended, and who played",
        ("variant", "outcome", "players"),
        usual,
        metrics.finished.items(),
    )


def _commands(metrics: Metrics) -> CounterMetricFamily:
    accepted = [((command, "accepted"), count) for command, count in metrics.accepted.items()]
    usual = [(command, "accepted") for command in COMMANDS]
    usual += [(command, reason.value) for command in COMMANDS for reason in reasons_of(command)]
    usual.append((UNREADABLE, "malformed"))
    return _counter(
        "noughts_commands",
        "Requests by type and answer (accepted, or the reason of the refusal)",
        ("command", "answer"),
        usual,
        [*accepted, *metrics.refused.items()],
    )


def _turned_away(metrics: Metrics) -> CounterMetricFamily:
    counts = [((why, str(status)), count) for (why, status), count in metrics.turned_away.items()]
    return _counter(
        "noughts_handshakes_refused",
        "Handshakes of WebSockets that were turned away",
        ("reason", "status"),
        [(reason, str(status)) for reason, status in HANDSHAKES.items()],
        counts,
    )


def _closed(metrics: Metrics) -> CounterMetricFamily:
    counts = [((str(int(code)),), count) for code, count in metrics.closed.items()]
    usual = [(str(code.value),) for code in Close]
    return _counter(
        "noughts_sockets_closed", "Sockets by their close code", ("code",), usual, counts
    )


def _store_sizes(metrics: Metrics) -> GaugeMetricFamily:
    family = GaugeMetricFamily("noughts_store_bytes", "Files of the store", labels=("file",))
    for file, size in metrics.store_sizes().items():
        family.add_metric((file,), size)
    return family


def _process(metrics: Metrics) -> Iterator[Metric]:
    """The usual names, so that dashboards for any program show them."""
    start = "process_start_time_seconds"
    yield GaugeMetricFamily(start, "When the process started, in Unix time", metrics.started)
    for name, value in usage().items():
        kind = CounterMetricFamily if name.endswith("_total") else GaugeMetricFamily
        yield kind(name.removesuffix("_total"), "Of the server's own process", value)


def _histogram(name: str, help: str, times: Times) -> HistogramMetricFamily:
    buckets, total = [], 0
    for bound, count in zip((*map(str, BOUNDS), "+Inf"), times.counts, strict=True):
        total += count
        buckets.append((bound, total))
    return HistogramMetricFamily(name, help, buckets=buckets, sum_value=times.sum)
