"""The engine and the bus of a simulated fleet: late, doubled, lost, silent, forgetful, and away.

A `Hub` survives the nodes; a `FakeEngine` is the connection of one node to it.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from contextvars import copy_context
from random import Random
from typing import TypeVar

import msgspec

from server.bus import Hear
from server.core.events import Event
from server.core.room import RoomId
from server.fleet.engine import Answer, Engine, Follow, Message, Refusal
from server.fleet.heads import Stored
from server.store import Conflict, Unavailable
from tests.ordeals.simulation.disk import Told

PATIENCE = 1.0  # seconds until a question without an answer fails

T = TypeVar("T")

_read = msgspec.json.Decoder(Stored).decode


class Hub:
    """What all nodes share: the logs, who listens, and the chances of a fault."""

    def __init__(self, dice: Random, seen: Counter[str]) -> None:
        self.logs: dict[RoomId, list[Message]] = {}
        self.engines: list[FakeEngine] = []
        self.dice = dice
        self.seen = seen
        self.loop = asyncio.get_running_loop()
        self.slowest = dice.choice((0.01, 0.1))  # seconds for one way
        self.crash = dice.choice((0.0, 0.02, 0.06))  # chance per append
        self.trouble = dice.choice((0.0, 0.03, 0.1))  # of each fault of the engine
        self.loss = dice.choice((0.0, 0.02, 0.05))  # of each message on the bus
        self.away_until = 0.0
        self._sequence = 0

    def heal(self) -> None:
        self.crash = self.trouble = self.loss = 0.0
        for engine in self.engines:
            engine.is_cut = False

    def is_faulty(self) -> bool:
        return self.dice.random() < self.trouble

    def delay(self) -> float:
        way = self.slowest * self.dice.random() ** 3
        return max(0.0, self.away_until - self.loop.time()) + way

    def stop_for(self, seconds: float) -> None:
        """The engine stands still: what reaches it meanwhile is dealt with later."""
        self.seen["times the engine stood still"] += 1
        self.away_until = self.loop.time() + seconds
        for engine in self.engines:
            self.loop.call_later(seconds + self.dice.random(), engine.doubt)

    def events(self, room: RoomId) -> list[Event]:
        found: list[Event] = []
        for message in self.logs.get(room, ()):
            found += _read(message.data).events()
        return found

    def store(self, room: RoomId, last: int, data: bytes) -> Answer:
        log = self.logs.setdefault(room, [])
        if (log[-1].sequence if log else 0) != last:
            self.seen["conflicts"] += 1
            return Refusal.CONFLICT
        if self.is_faulty():
            self.seen["conflicts that are none"] += 1
            return Refusal.AGAIN
        self._sequence += 1
        log.append(Message(self._sequence, data))
        for engine in self.engines:
            self._republish(engine, room, log[-1])
        return self._sequence

    def replace(self, room: RoomId, last: int, data: bytes) -> None:
        """Only operators remove rooms here, so this is as safe as it gets."""
        log = self.logs.get(room, [])
        if not log or log[-1].sequence != last:
            raise Conflict(room)
        self._sequence += 1
        self.logs[room] = [Message(self._sequence, data)]
        for engine in self.engines:
            self._republish(engine, room, self.logs[room][-1])

    def _republish(self, engine: FakeEngine, room: RoomId, message: Message) -> None:
        if self.is_faulty():
            self.seen["messages not republished"] += 1
            return
        for _ in range(1 + self.is_faulty()):
            self.loop.call_later(self.delay(), engine.hear_log, room, message)

    def deliver(self, sender: FakeEngine, topic: str, message: bytes) -> None:
        for engine in self.engines:
            if engine is sender or topic not in engine.hears:
                continue
            if self.dice.random() < self.loss:
                self.seen["bus messages lost"] += 1
                continue
            for _ in range(1 + (self.dice.random() < self.loss)):
                late = self.dice.choice((0.0, 0.5)) if self.loss else 0.0
                delay = self.delay() + late * self.dice.random()
                self.loop.call_later(delay, engine.hear, topic, message)


class FakeEngine(Engine):
    """`die` ends the node with the name of the place. `told` is called for each message stored."""

    def __init__(self, hub: Hub, die: Callable[[str], None], told: Told) -> None:
        self.is_dead = False
        self.is_cut = False
        self.hears: dict[str, Hear] = {}
        self._follows: dict[RoomId, Follow] = {}
        self._hub = hub
        self._die = die
        self._told = told
        self._look: Callable[[], None] = lambda: None
        self._context = copy_context()  # that of the node's process
        hub.engines.append(self)

    def _run(self, function: Callable[..., T], *arguments: object) -> T:
        return self._context.copy().run(function, *arguments)

    @property
    def is_off(self) -> bool:
        return self.is_dead or self.is_cut

    def cut_for(self, seconds: float) -> None:
        """This node does not reach the engine, nor the other nodes."""
        self._hub.seen["nodes cut off"] += 1
        self.is_cut = True
        self._hub.loop.call_later(seconds, self._mend)

    def _mend(self) -> None:
        self.is_cut = False
        self.doubt()

    def doubt(self) -> None:
        if not self.is_dead:
            self._run(self._look)

    # ------------------------------------------------------------------------------------- logs

    def append(
        self, room: RoomId, last: int, data: bytes, answer: Callable[[Answer], None]
    ) -> None:
        hub = self._hub
        if self.is_off:
            return
        crashes = hub.dice.random() < hub.crash
        point = hub.dice.choice(("asked", "committed", "told", "written")) if crashes else ""
        if point == "asked":
            self._die(point)
        elif hub.is_faulty():
            hub.seen["appends lost"] += 1
        else:
            since = hub.loop.time()
            hub.loop.call_later(hub.delay(), self._store, room, last, data, answer, point, since)

    def _store(
        self,
        room: RoomId,
        last: int,
        data: bytes,
        answer: Callable[[Answer], None],
        point: str,
        since: float,
    ) -> None:
        """The message has reached the engine, even if its node is dead by now."""
        hub = self._hub
        result = hub.store(room, last, data)
        events = _read(data).events()
        self._told(events, None if isinstance(result, int) else Conflict(result.name), since)
        if point == "committed":
            self._die(point)
            return
        if hub.is_faulty():
            hub.seen["answers lost"] += 1
            return
        late = hub.dice.uniform(0.3, 3.0) if hub.is_faulty() else 0.0
        hub.seen["answers that were late"] += bool(late)
        for _ in range(1 + hub.is_faulty()):
            hub.loop.call_later(hub.delay() + late, self._answer, answer, result, point)

    def _answer(self, answer: Callable[[Answer], None], result: Answer, point: str) -> None:
        if self.is_off:
            return
        self._run(answer, result)
        if point == "told":
            self._die(point)
        elif point == "written":
            self._hub.loop.call_soon(self._die, point)

    async def last(self, room: RoomId) -> Message | None:
        await self._reach()
        log = self._hub.logs.get(room)
        found = log[-1] if log else None
        await self._reach()
        return found

    async def read(self, room: RoomId, after: int) -> list[Message]:
        await self._reach()
        log = [m for m in self._hub.logs.get(room, ()) if m.sequence > after]
        if self._hub.is_faulty():
            self._hub.seen["reads from a replica that is behind"] += 1
            log = log[: self._hub.dice.randrange(len(log) + 1)]
        await self._reach()
        return log

    async def lasts(self, rooms: Sequence[RoomId]) -> dict[RoomId, Message]:
        await self._reach()
        logs = self._hub.logs
        return {room: logs[room][-1] for room in rooms if logs.get(room)}

    async def _reach(self) -> None:
        """One way to the engine or back."""
        delay = self._hub.delay()
        if self.is_off or delay > PATIENCE or self._hub.is_faulty():
            await asyncio.sleep(PATIENCE)
            raise Unavailable("no answer")
        await asyncio.sleep(delay)

    async def replace(self, room: RoomId, last: int, data: bytes) -> None:
        await self._reach()
        self._hub.replace(room, last, data)
        await self._reach()

    async def rooms(self) -> list[RoomId]:
        return []  # no room is ever purged here

    async def probe(self) -> None:
        await self._reach()

    def follow(self, room: RoomId, hear: Follow) -> None:
        self._follows[room] = hear

    def unfollow(self, room: RoomId) -> None:
        self._follows.pop(room, None)

    def hear_log(self, room: RoomId, message: Message) -> None:
        if not self.is_off and room in self._follows:
            self._run(self._follows[room], *message)

    def on_doubt(self, look: Callable[[], None]) -> None:
        self._look = look

    async def close(self) -> None:
        self.is_dead = True

    # -------------------------------------------------------------------------------------- bus

    def publish(self, topic: str, message: bytes) -> None:
        if not self.is_off:
            self._hub.deliver(self, topic, message)

    def subscribe(self, topic: str, hear: Hear) -> None:
        self.hears[topic] = hear

    def unsubscribe(self, topic: str) -> None:
        self.hears.pop(topic, None)

    def hear(self, topic: str, message: bytes) -> None:
        if not self.is_off and topic in self.hears:
            self._run(self.hears[topic], message)

    async def ask(self, topic: str, question: bytes) -> bytes | None:
        """As an engine does: at once if nobody has subscribed, else the first answer."""
        await self._reach()
        hub = self._hub
        others = [e for e in hub.engines if e is not self and not e.is_dead and topic in e.hears]
        if not others:
            return None
        for engine in others:
            if not engine.is_cut and hub.dice.random() >= hub.loss:
                answer = engine._run(engine.hears[topic], question)
                await self._reach()
                return answer
        hub.seen["questions without an answer"] += 1
        await asyncio.sleep(PATIENCE)
        raise Unavailable("no answer")
