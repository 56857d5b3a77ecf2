"""Messages between the nodes that serve the same rooms: the `Bus` protocol, and its form for one.

A bus promises little. A message may be lost, doubled, late or overtaken by another, so each must be
a whole statement that the sender repeats, and nothing durable may depend on one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

Hear = Callable[[bytes], bytes | None]  # gets a message, and returns the answer if it is a question


class Bus(Protocol):
    """A node does not hear what it publishes itself."""

    def publish(self, topic: str, message: bytes) -> None:
        """Send a message to every other node that has subscribed to the topic."""

    def subscribe(self, topic: str, hear: Hear) -> None:
        """Call `hear` with every message about the topic. A second call replaces the first."""

    def unsubscribe(self, topic: str) -> None: ...

    async def ask(self, topic: str, question: bytes) -> bytes | None:
        """The first answer of another node, or None if no other node has subscribed to the topic.

        Raises `Unavailable` if one has, as far as is known, and there is no answer in time.
        """


class Alone(Bus):
    """The bus of a process that is the only one: nobody listens."""

    def publish(self, topic: str, message: bytes) -> None:
        pass

    def subscribe(self, topic: str, hear: Hear) -> None:
        pass

    def unsubscribe(self, topic: str) -> None:
        pass

    async def ask(self, topic: str, question: bytes) -> bytes | None:
        return None
