"""What is known of the logs in the engine that several nodes share.

A message in it holds the events of one append, and says how many the log has before them, as
`{"n": 3, "e": [...]}`: its first event is number 3. The engine compares sequences, not lengths. So
for each room that is followed there is a *head*: a length that the log is known to have had, and
the sequence of the message that made it so. A head is never wrong, it can only be old.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from server import codec
from server.core.events import Event
from server.store import Heard

TOMBSTONE = b'{"n":0,"e":[]}'  # what is left of a room that was removed


class Stored(msgspec.Struct):
    """A message: the number of its first event, and its events."""

    n: int
    e: list[codec.Plain]

    @property
    def length(self) -> int:
        """How long the log is with this message; 0 for a tombstone."""
        return self.n + len(self.e) - 1 if self.n else 0

    def events(self) -> list[Event]:
        return [codec.decode(plain) for plain in self.e]


read = msgspec.json.Decoder(Stored).decode


def write(expected: int, events: Sequence[Event]) -> bytes:
    return b'{"n":%d,"e":[%b]}' % (expected + 1, ",".join(map(codec.write, events)).encode())


class Head:
    """A length of a log and the sequence of its last message then, and the same one step before."""

    __slots__ = ("before", "heard", "length", "sequence")

    def __init__(self, heard: Heard) -> None:
        self.heard = heard
        self.length = -1  # unknown
        self.sequence = -1
        self.before = (0, 0)

    def advance(self, length: int, sequence: int) -> None:
        if sequence > self.sequence:
            self.before = self.length, self.sequence
            self.length, self.sequence = length, sequence

    def sequence_at(self, length: int) -> int | None:
        """The sequence at which the log had this length, if it is remembered."""
        if length == self.length:
            return self.sequence
        return self.before[1] if length == self.before[0] else None
