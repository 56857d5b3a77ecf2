"""A draft of a room: commands that are decided but not yet durable, as events and answers.

Pure: no event loop, no store, no clock. The host opens a draft on the room as the store has it and
carries commands out on it, each against the room as the one before will leave it. The events then
become durable in one append, and every command gets the answer it was given here.

>>> from server.core.commands import Create, Play
>>> from server.core.events import Person
>>> from server.core.evolve import replay
>>> from server.core.rules import CLASSIC
>>> create = Create(CLASSIC, (Person("ada", "Ada"), Person("bo", "Bo")))
>>> draft = Draft(replay(decide(None, create, now=0)))
>>> draft.carry_out(Play("ada", cell=4, ply=0), now=1_000)
Accepted()
>>> draft.carry_out(Play("bo", cell=4, ply=1), now=1_000)
Refusal(reason=<Reason.CELL_TAKEN: 'cell_taken'>)
>>> draft.events
(MovePlayed(at=1000, mark=<Mark.X: 0>, cell=4),)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec import Struct

from server.core.commands import Command, Expire, Reason, Refused
from server.core.decide import decide
from server.core.events import Event
from server.core.evolve import evolve
from server.core.record import Record
from server.core.room import Room


class Accepted(Record):
    """The room is as asked, and that is durable. Asking again changes nothing."""


class Refusal(Record):
    """The command was declined. It has changed nothing."""

    reason: Reason


class Fault(Record, gc=True):  # an exception can lead back to whoever holds it
    """Our own mistake; the caller learns no details, the log does."""

    problem: Exception


Answer = Accepted | Refusal | Fault
ACCEPTED: Final = Accepted()


Reply = Callable[[Answer], None]  # gets the answer to one command


class Draft(Struct):  # made at every move, so in C
    """`room` is the room with `events` folded in.

    `replies` holds each command with the answer that its reply gets once these are durable.
    """

    room: Room
    events: tuple[Event, ...] = ()
    replies: list[tuple[Command, Reply, Answer]] = []

    def carry_out(self, command: Command, now: int) -> Answer:
        """Fold in what `command` leads to, and return the answer it gets once that is durable.

        Time in a log never runs backwards: if `now` is before the last event, that instant counts.
        If a flag has fallen by then, the game ends on time before the command is looked at.
        """
        if now < self.room.changed:
            now = self.room.changed
        if self.room.clock is not None:
            self._add(decide(self.room, Expire(), now))
        try:
            events = decide(self.room, command, now)
        except Refused as refused:
            return Refusal(refused.reason)
        self._add(events)
        return ACCEPTED

    def _add(self, events: tuple[Event, ...]) -> None:
        """Add all of them or, if one cannot be folded, none."""
        room = self.room
        for event in events:
            room = evolve(room, event)
        self.room = room
        self.events += events
