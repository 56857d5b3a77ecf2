"""A bus between the nodes of one test: everything arrives, in order, a turn of the loop later."""

from __future__ import annotations

import asyncio

from server.bus import Bus, Hear
from server.store import Unavailable


class Exchange:
    """What the buses of several nodes share. `is_silent`: questions get no answer in time."""

    def __init__(self) -> None:
        self.buses: list[PromptBus] = []
        self.is_silent = False

    def new_bus(self) -> PromptBus:
        bus = PromptBus(self)
        self.buses.append(bus)
        return bus

    def listeners(self, topic: str, sender: PromptBus) -> list[Hear]:
        return [bus.hears[topic] for bus in self.buses if bus is not sender and topic in bus.hears]


class PromptBus(Bus):
    """`sent`: the topics of all messages."""

    def __init__(self, exchange: Exchange) -> None:
        self.hears: dict[str, Hear] = {}
        self.sent: list[str] = []
        self._exchange = exchange

    def publish(self, topic: str, message: bytes) -> None:
        self.sent.append(topic)
        for hear in self._exchange.listeners(topic, self):
            asyncio.get_running_loop().call_soon(hear, message)

    def subscribe(self, topic: str, hear: Hear) -> None:
        self.hears[topic] = hear

    def unsubscribe(self, topic: str) -> None:
        self.hears.pop(topic, None)

    async def ask(self, topic: str, question: bytes) -> bytes | None:
        await asyncio.sleep(0)
        if self._exchange.is_silent:
            raise Unavailable("nobody answers")
        answers = [hear(question) for hear in self._exchange.listeners(topic, self)]
        return next((answer for answer in answers if answer is not None), None)
