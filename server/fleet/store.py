"""Logs in an engine that several nodes share (`server/fleet/engine.py`).

What other nodes append is heard from the engine, and passed on if it is newer than the head
(`heads.py`). Such a message may be missed. So the store compares its heads with the engine whenever
it has a reason to, and every few seconds without one, and reads what is missing: the tail of a log,
never all of it.
"""

from __future__ import annotations

import asyncio
import logging
from bisect import bisect_right
from functools import partial

from server import codec
from server.core.events import Event
from server.core.room import RoomId
from server.fleet.appends import GIVE_UP_AFTER, SILENT_FOR, Appends
from server.fleet.engine import Engine, Message
from server.fleet.heads import TOMBSTONE, Head, Stored, read
from server.metrics import Times
from server.store import Conflict, Done, Entry, Heard, Store, Take, Unavailable, tail_of

LOADS = 16  # logs that are read at a time
READS = 20  # attempts to read a message that a replica does not have yet
READ_AGAIN_AFTER = 0.05  # seconds between two of them
COMPARE_EVERY = 5.0  # seconds
RECOVERED_AFTER = GIVE_UP_AFTER + 1  # seconds without a failure, of which each append takes some
PAGE = 1_000  # rooms that are compared in one request

log = logging.getLogger(__name__)


class FleetStore(Store):
    """`took` observes how long each append waited until it was durable."""

    is_shared = True

    def __init__(self, engine: Engine, took: Times) -> None:
        self._engine = engine
        self._heads: dict[RoomId, Head] = {}
        self._appends = Appends(engine, self._heads, took, self._note)
        self._loading = asyncio.Semaphore(LOADS)
        self._listed: list[RoomId] = []
        self._is_closing = False
        self._is_away = False  # the engine does not answer, and that was logged
        self._recovery: asyncio.TimerHandle | None = None  # runs since it answers again
        self._doubts = asyncio.Event()
        self._comparing = asyncio.get_running_loop().create_task(self._keep_comparing())
        engine.on_doubt(self._doubt)

    # ---------------------------------------------------------------------------------- writing

    def append(self, room: RoomId, expected: int, take: Take, done: Done) -> None:
        self._appends.begin(room, expected, take, done)

    def _doubt(self) -> None:
        """Messages may have been missed, ours or others': send and look again at once."""
        self._doubts.set()
        self._appends.send_again()

    def _note(self, is_away: bool) -> None:
        """Log it when the engine stops answering, and when it has answered everything for a while.

        An engine of several servers may be away for some rooms only.
        """
        if is_away:
            self._doubts.set()  # the message may have been stored
            self._stop_recovery()
            if not self._is_away:
                self._is_away = True
                log.warning("the engine does not answer")
        elif self._is_away and self._recovery is None:
            loop = asyncio.get_running_loop()
            self._recovery = loop.call_later(RECOVERED_AFTER, self._end_recovery)

    def _stop_recovery(self) -> None:
        if self._recovery is not None:
            self._recovery.cancel()
            self._recovery = None

    def _end_recovery(self) -> None:
        self._recovery, self._is_away = None, False
        log.warning("the engine answers again")

    @property
    def is_refusing(self) -> bool:
        return self._is_away

    async def remove(self, room: RoomId, expected: int) -> None:
        last = await self._engine.last(room)
        if last is None or not expected or read(last.data).length != expected:
            raise Conflict(room)
        await self._engine.replace(room, last.sequence, TOMBSTONE)

    async def can_write(self) -> bool:
        try:
            await self._engine.probe()
        except Unavailable:
            self._note(is_away=True)
            return False
        self._note(is_away=False)
        return True

    # ---------------------------------------------------------------------------------- reading

    async def load(self, room: RoomId, after: int = 0) -> list[Event]:
        async with self._loading:
            try:
                return await self._load(room, after)
            except codec.Unreadable as problem:
                log.warning("cannot read from the store: %s", problem)
                raise Unavailable(str(problem)) from problem
            except Unavailable:
                if self._is_away:
                    self._note(is_away=True)  # that is not over yet
                raise

    async def _load(self, room: RoomId, after: int) -> list[Event]:
        last = await self._engine.last(room)
        head = self._heads.get(room)
        if last is None:
            if head is not None:
                head.advance(0, 0)
            return tail_of([], room, after)
        begin = head.sequence_at(after) if head is not None and after else None
        length, events = (0, []) if begin is None else (after, list[Event]())
        for stored in await self._read_up_to(room, length, begin or 0, last):
            if stored.n <= 1:  # the room was removed before this message, or by it
                length, events = 0, []
            if stored.n > length + 1:
                raise codec.Unreadable(f"the log of room {room} is not whole")
            events += stored.events()
            length = stored.length
        if head is not None:
            head.advance(length, last.sequence)
        if length < after:
            raise Conflict(room)
        return events[len(events) - (length - after) :]

    async def _read_up_to(
        self, room: RoomId, length: int, sequence: int, last: Message
    ) -> list[Stored]:
        """The messages behind this sequence, at which the log had this length, up to `last`."""
        stored = read(last.data)
        if last.sequence <= sequence:
            return []
        if stored.n <= 1 or stored.n == length + 1:
            return [stored]
        for _ in range(READS):
            found = await self._engine.read(room, sequence)
            older = [read(message.data) for message in found if message.sequence < last.sequence]
            if older and older[-1].length + 1 == stored.n:
                return [*older, stored]
            await asyncio.sleep(READ_AGAIN_AFTER)  # a replica does not have all of it yet
        raise Unavailable(f"the log of room {room} cannot be read to its end")

    async def rooms(self, after: str = "", limit: int = 1_000) -> list[Entry]:
        if not after:
            self._listed = await self._engine.rooms()  # once for all pages
        listed = self._listed
        entries: list[Entry] = []
        begin = bisect_right(listed, after)
        while begin < len(listed) and len(entries) < limit:
            page = listed[begin : begin + limit]
            begin += limit
            for room, message in sorted((await self._engine.lasts(page)).items()):
                stored = read(message.data)
                if stored.n:
                    entries.append(Entry(room, stored.length, stored.events()[-1].at))
        return entries[:limit]

    # -------------------------------------------------------------------------------- following

    def follow(self, room: RoomId, heard: Heard) -> None:
        if room not in self._heads:
            self._heads[room] = Head(heard)
            self._engine.follow(room, partial(self._hear_message, room))
        else:
            self._heads[room].heard = heard

    def unfollow(self, room: RoomId) -> None:
        if self._heads.pop(room, None) is not None:
            self._engine.unfollow(room)

    def _hear_message(self, room: RoomId, sequence: int, data: bytes) -> None:
        head = self._heads.get(room)
        if head is None or sequence <= head.sequence:
            return
        stored = read(data)
        try:
            events = stored.events()
        except codec.Unreadable as problem:  # a newer version may have written it
            log.warning("cannot read from the store: %s", problem)
            events = []
        if stored.n == head.length + 1 or not stored.n:
            head.advance(stored.length, sequence)
        head.heard(stored.length, events)

    async def _keep_comparing(self) -> None:
        """Look for messages that were missed, at every doubt and every few seconds."""
        while not self._is_closing:  # a library below may swallow the cancellation of this task
            try:
                async with asyncio.timeout(COMPARE_EVERY):
                    await self._doubts.wait()
            except TimeoutError:
                pass
            self._doubts.clear()
            try:
                await self._compare()
            except Unavailable:
                self._doubts.set()
                await asyncio.sleep(SILENT_FOR)
            except Exception:
                log.exception("our fault: logs could not be compared with the engine")

    async def _compare(self) -> None:
        rooms = [room for room, head in self._heads.items() if head.length >= 0]
        for begin in range(0, len(rooms), PAGE):
            newest = await self._engine.lasts(rooms[begin : begin + PAGE])
            for room, message in newest.items():
                head = self._heads.get(room)
                if head is not None and 0 <= head.sequence < message.sequence:
                    await self._catch_up(room, head)

    async def _catch_up(self, room: RoomId, head: Head) -> None:
        length = head.length
        try:
            events = await self.load(room, length)
        except Conflict:
            if not await self.load(room):  # it was removed
                head.heard(0, ())
            return
        if events:
            head.heard(length + len(events), events)

    async def close(self) -> None:
        """Wait for the appends under way, then end."""
        self._is_closing = True
        await self._appends.close()
        self._stop_recovery()
        self._comparing.cancel()
        await asyncio.gather(self._comparing, return_exceptions=True)
        await self._engine.close()
