"""One line to a server that comes back by itself. Knows no rooms.

A request waits in `_asked` until it is answered, and its id in `_queue` until it is written. After
a reconnect everything that is not answered is written again: the server carries a repeated command
out once. What has to be asked after each hello is written first.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections import deque
from collections.abc import Iterable
from typing import NamedTuple, Protocol

from msgspec.structs import replace
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from noughts.address import Address
from noughts.dialling import WAITED_OUT, dial, lost
from noughts.errors import Error, Refused, Unreachable
from noughts.messages import Frame, Hello, Request, Welcome, encode
from noughts.messages import Refused as RefusedFrame
from noughts.pace import Pace
from noughts.reading import read_frame

FIRST_WAIT = 0.25  # seconds; doubled with each failure, and a random part of it is waited
LONGEST_WAIT = 1.5  # after a restart everybody is back soon
POLITE_FIRST = 5.0  # the same, if the server asks for patience
POLITE_WAIT = 60.0
ASK_AGAIN = 1.0  # seconds after `retry`, `too_fast` or `draining`
PING_EVERY = 5.0
PONG_WITHIN = 5.0  # else the line is dead, although nobody has closed it

Answer = Frame
log = logging.getLogger("noughts")


class _Asked(NamedTuple):
    """`answer` is None if nobody waits for it. A standing request is not kept for the next line."""

    request: Request
    answer: asyncio.Future[Answer] | None
    is_standing: bool = False


class Listener(Protocol):
    """At the near end of the line. It hears also of refusals that the line waits out."""

    def hear(self, frame: Frame, request: Request | None) -> None:
        """A frame, and the request it answers."""

    def standing(self) -> Iterable[Request]:
        """What to ask after each hello but the first."""

    def lose(self, problem: Unreachable) -> None:
        """There will be no other connection."""


class Line:
    """Call `open` once, then `ask` or `tell` at any time."""

    def __init__(self, address: Address, hello: Hello, listener: Listener) -> None:
        self.address = address
        self.ended: Unreachable | None = None
        self._hello = hello
        self._listener = listener
        self._last_id = 0
        self._asked: dict[int, _Asked] = {}
        self._queue: deque[int] = deque()
        self._is_queued = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Connect for the first time. Raises `Unreachable`, or `Refused` if hello is."""
        socket, welcome = await self._dial()
        self._task = asyncio.create_task(self._keep(socket, welcome))
        self._greeted(welcome)

    async def close(self) -> None:
        """Leave. Requests under way end with `Unreachable`."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        self._end(Unreachable("This program has closed the connection.", is_final=True))

    async def ask(self, request: Request) -> Answer:
        """The answer, however often the line is lost until it comes. Raises `Refused`."""
        if self.ended is not None:
            raise self.ended
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        id = self._submit(_Asked(request, answer))
        try:
            return await answer
        finally:
            self._asked.pop(id, None)

    def tell(self, request: Request) -> None:
        """Ask, and do not wait for the answer. Lost with the line."""
        if self.ended is None:
            self._submit(_Asked(request, None, is_standing=True))

    # ------------------------------------------------------------------------------- requests

    def _submit(self, asked: _Asked) -> int:
        self._last_id += 1
        id = self._last_id
        self._asked[id] = asked._replace(request=replace(asked.request, id=id))
        self._enqueue(id)
        return id

    def _enqueue(self, id: int) -> None:
        if id in self._asked and id not in self._queue:
            self._queue.append(id)
            self._is_queued.set()

    def _greeted(self, welcome: Welcome) -> None:
        """Queue everything for a new connection, standing orders first."""
        kept = {id: asked for id, asked in self._asked.items() if not asked.is_standing}
        self._asked = {}
        self._queue.clear()
        self._listener.hear(welcome, None)
        for request in self._listener.standing():
            self._submit(_Asked(request, None, is_standing=True))
        self._asked |= kept
        for id in kept:
            self._enqueue(id)

    def _take(self, data: bytes) -> None:
        """Take a frame in."""
        frame = read_frame(data)
        if frame is None:
            return
        id = getattr(frame, "re", None)
        asked = self._asked.get(id) if isinstance(id, int) else None
        if asked is not None and isinstance(id, int):
            if isinstance(frame, RefusedFrame) and frame.reason in WAITED_OUT:
                log.info("%s Asked again soon.", frame.text)
                asyncio.get_running_loop().call_later(ASK_AGAIN, self._enqueue, id)
                self._listener.hear(frame, asked.request)
                return
            del self._asked[id]
        self._listener.hear(frame, None if asked is None else asked.request)
        if asked is not None and asked.answer is not None and not asked.answer.done():
            if isinstance(frame, RefusedFrame):
                asked.answer.set_exception(Refused(frame.reason, frame.text))
            else:
                asked.answer.set_result(frame)

    # ----------------------------------------------------------------------------- connections

    async def _keep(self, socket: ClientConnection, welcome: Welcome) -> None:
        """Serve one connection after the other."""
        try:
            while not (problem := await self._serve(socket, welcome)).is_final:
                log.info("%s", problem)
                socket, welcome = await self._dial_again(problem)
                self._greeted(welcome)
            self._end(problem)
        except Error as final:
            self._end(Unreachable(str(final), is_final=True))
        except Exception as fault:
            log.exception("The connection has ended.")
            self._end(Unreachable(f"The connection has ended: {fault!r}.", is_final=True))

    async def _serve(self, socket: ClientConnection, welcome: Welcome) -> Unreachable:
        """Read and write until the connection is lost. Returns why it is."""
        helpers = [
            asyncio.create_task(self._write(socket, welcome)),
            asyncio.create_task(_check(socket)),
        ]
        try:
            while True:
                self._take(await socket.recv(decode=False))
        except ConnectionClosed:
            return lost(self.address, socket)
        finally:
            for helper in helpers:
                helper.cancel()
            await asyncio.gather(*helpers, return_exceptions=True)
            await socket.close()

    async def _write(self, socket: ClientConnection, welcome: Welcome) -> None:
        """Write what is queued, no faster than the server allows."""
        now = asyncio.get_running_loop().time
        limits = welcome.limits
        pace = Pace.within(limits.commands_per_second, limits.commands_at_once, now())
        pace.take(now())  # hello
        while True:
            while self._queue:
                asked = self._asked.get(self._queue.popleft())
                if asked is not None:
                    await asyncio.sleep(pace.take(now()))
                    await socket.send(encode(asked.request), text=True)
            self._is_queued.clear()
            await self._is_queued.wait()

    async def _dial(self) -> tuple[ClientConnection, Welcome]:
        return await dial(self.address, self._hello)

    async def _dial_again(self, problem: Unreachable) -> tuple[ClientConnection, Welcome]:
        """Try until the server answers. Raises `Refused` or a final `Unreachable`."""
        attempt = 0
        while True:
            await asyncio.sleep(_wait(attempt, is_polite=problem.is_polite))
            attempt += 1
            try:
                return await self._dial()
            except Unreachable as failed:
                problem = failed
                if problem.is_final:
                    raise
                log.info("%s Tried again soon.", problem)

    def _end(self, problem: Unreachable) -> None:
        if self.ended is not None:
            return
        self.ended = problem
        for asked in self._asked.values():
            if asked.answer is not None and not asked.answer.done():
                asked.answer.set_exception(problem)
        self._asked.clear()
        self._listener.lose(problem)


def _wait(attempt: int, *, is_polite: bool) -> float:
    """Seconds until the next attempt, at random: after a restart not all come at once."""
    grown = 2.0 ** min(attempt, 10)
    if is_polite:
        return random.uniform(0.5, 1) * min(POLITE_WAIT, POLITE_FIRST * grown)
    return random.uniform(0, 1) * min(LONGEST_WAIT, FIRST_WAIT * grown)


async def _check(socket: ClientConnection) -> None:
    """Ping. A line without an answer is dropped at once: a dead one answers no close either."""
    while True:
        await asyncio.sleep(PING_EVERY)
        try:
            async with asyncio.timeout(PONG_WITHIN):
                await (await socket.ping())
        except TimeoutError:
            socket.transport.abort()
        except ConnectionClosed:
            return
