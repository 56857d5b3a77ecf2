"""What the server counts, in a registry of its own that is handed in, never global."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

QUICK = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1.0, 5.0)


class Metrics:
    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.rooms = Gauge("noughts_rooms", "Rooms awake in memory", registry=self.registry)
        self.connections = Gauge(
            "noughts_connections", "Open WebSocket connections", registry=self.registry
        )
        self.commands = Counter(
            "noughts_commands",
            "Commands by type and answer (accepted, or the reason of the refusal)",
            ("command", "answer"),
            registry=self.registry,
        )
        self.durable = Histogram(
            "noughts_durable_seconds",
            "From a decided command to its events being durable",
            buckets=QUICK,
            registry=self.registry,
        )
        self.broadcast = Histogram(
            "noughts_broadcast_seconds",
            "To write one state to everybody who follows the room",
            buckets=QUICK,
            registry=self.registry,
        )
        self.ai = Histogram(
            "noughts_ai_seconds",
            "From an AI's turn to its choice, without the pause",
            buckets=QUICK,
            registry=self.registry,
        )
        self.ai_queue = Gauge(
            "noughts_ai_queue", "AI choices being computed or waiting", registry=self.registry
        )
        self.ai_replaced = Counter(
            "noughts_ai_pools_replaced", "Dead or hanging AI pools", registry=self.registry
        )

    def text(self) -> bytes:
        return generate_latest(self.registry)
