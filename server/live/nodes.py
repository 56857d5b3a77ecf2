"""The other nodes that serve the same rooms: which are alive, and typed messages from and to them.

Every message is a sign of life, and each node sends a beat every second. After three seconds of
silence a node is *lost*: whatever it has said is dropped. Nothing is a counter that could go wrong,
and nothing waits for all nodes.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import TypeVar
from zlib import crc32

import msgspec

from server.bus import Bus

SILENT_FOR = 3_000  # ms after which a node is lost
SKEW = 1_000  # ms by which another node's clock may differ before it is logged

log = logging.getLogger(__name__)

T = TypeVar("T")
Read = Callable[[bytes], tuple[str, T]]  # decodes a message: who sent it, and what it says
_encode = msgspec.json.Encoder().encode


def reader(kind: type[T]) -> Read[T]:
    """Decodes messages of this kind."""
    return msgspec.json.Decoder(tuple[str, kind]).decode  # type: ignore[valid-type]


class Beat(msgspec.Struct):
    """`now`: the sender's clock. `leaving`: this is its last message."""

    now: int
    leaving: bool = False


_read_beat = reader(Beat)


class Nodes:
    """`id`: this node, by a name that no other process has or had.

    The callbacks in `on_lost` get a node that is lost, and the time of its last message.
    """

    def __init__(self, bus: Bus, id: str, *, now: Callable[[], int]) -> None:
        self.id = id
        self.on_lost: list[Callable[[str, int], None]] = []
        self._bus = bus
        self._now = now
        self._heard_at: dict[str, int] = {}
        self._skewed: set[str] = set()
        self.listen("nodes", _read_beat, self._hear_beat)

    @property
    def others(self) -> Iterable[str]:
        """The ids of the other nodes that are alive."""
        return self._heard_at.keys()

    @property
    def is_first(self) -> bool:
        """Whether this node does what one node must do for all."""
        return all(self.id < other for other in self.others)

    def rank(self, task: str, others: Iterable[str]) -> int:
        """This node's place in the order in which it and these others take up a task."""
        own = _share(self.id, task)
        return sum(_share(other, task) < own for other in others)

    def beat(self) -> None:
        """Show that this node is alive, and drop those that are silent. Call it every second."""
        self._send("nodes", Beat(self._now()))
        silent_since = self._now() - SILENT_FOR
        for node in [node for node, at in self._heard_at.items() if at <= silent_since]:
            self._lose(node)

    def leave(self) -> None:
        """Let the others go on without this node at once."""
        self._send("nodes", Beat(self._now(), leaving=True))

    # -------------------------------------------------------------------------------- messages

    def publish(self, topic: str, message: msgspec.Struct) -> None:
        """Send a message to the others, if there are any."""
        if self._heard_at:
            self._send(topic, message)

    def listen(
        self, topic: str, read: Read[T], hear: Callable[[str, T], msgspec.Struct | None]
    ) -> None:
        """Call `hear` with every message about the topic, and with the node that sent it.

        If `hear` returns something, that is the answer to a question.
        """

        def receive(data: bytes) -> bytes | None:
            try:
                node, message = read(data)
            except msgspec.DecodeError:  # of a version that says it in another way
                return None
            self._note(node)
            answer = hear(node, message)
            return None if answer is None else _encode((self.id, answer))

        self._bus.subscribe(topic, receive)

    def ignore(self, topic: str) -> None:
        """Listen no longer."""
        self._bus.unsubscribe(topic)

    async def ask(
        self, topic: str, question: msgspec.Struct, read: Read[T]
    ) -> tuple[str, T] | None:
        """The first answer, and who gave it; None if nobody else listens to the topic.

        Raises `Unavailable` if somebody may listen, and there is no answer in time.
        """
        data = await self._bus.ask(topic, _encode((self.id, question)))
        if data is None:
            return None
        node, answer = read(data)
        self._note(node)
        return node, answer

    def _send(self, topic: str, message: msgspec.Struct) -> None:
        self._bus.publish(topic, _encode((self.id, message)))

    def _note(self, node: str) -> None:
        """The node has just shown that it is alive."""
        self._heard_at[node] = self._now()

    def _hear_beat(self, node: str, beat: Beat) -> None:
        if beat.leaving:
            self._lose(node)
        elif beat.now > self._now() + SKEW and node not in self._skewed:
            # Only the node whose clock is behind can tell: to the other, the beat may be late.
            self._skewed.add(node)
            log.warning("the clock of node %s is ahead by %d ms", node, beat.now - self._now())

    def _lose(self, node: str) -> None:
        at = self._heard_at.pop(node)
        self._skewed.discard(node)
        for notify in self.on_lost:
            notify(node, at)


def _share(node: str, task: str) -> int:
    return crc32(f"{node} {task}".encode())
