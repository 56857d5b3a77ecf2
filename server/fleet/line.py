"""One line to the NATS servers, through the asyncio client `nats-py`. It comes back by itself.

What is to be sent is sent in its order by one task, so a caller need not wait. While there is no
connection it is lost, like a message on the way. The client reconnects on its own, but after some
errors it closes for good: then a new client takes its place, with the same subscriptions.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from itertools import count

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription
from nats.errors import Error, NoRespondersError, SlowConsumerError
from nats.errors import TimeoutError as NatsTimeout

from server.fleet.address import Address
from server.store import Unavailable

CONNECT_WITHIN = 2.0  # seconds for each server
DIAL_WITHIN = 5.0  # seconds for all attempts with one server
RECONNECT_AFTER = 0.25  # seconds between two attempts
PING_EVERY = 2  # seconds; a line on which two are unanswered is dead
ANSWER_WITHIN = 1.0  # seconds
CLOSE_WITHIN = 1.5  # seconds for what is still to be sent, and again for the client
REPLIES = 100_000  # that are waited for at most

log = logging.getLogger(__name__)

Receive = Callable[[Msg], Awaitable[None]]

NO_CONNECTION = (Error, OSError, TimeoutError)


class NobodyListens(Unavailable):
    """No program has subscribed to the subject of a request."""


class NoAnswer(Unavailable):
    """Somebody may have got the request, and has not answered in time."""


class _Client(Client):
    """Never goes on without TLS if that is wanted: the next line has the token."""

    def _connect_command(self) -> bytes:
        if "tls" in self.options and not self._server_info.get("tls_required"):
            raise Error("the server does not use TLS")
        return super()._connect_command()


class Line:
    """`on_doubt` is called when messages may have been lost, such as after a reconnect."""

    def __init__(self, address: Address, on_doubt: Callable[[], None]) -> None:
        self.last_error: Exception | None = None
        self.version = (0, 0)  # of the server
        self._address = address
        self._on_doubt = on_doubt
        self._client = _Client()
        self._is_closing = False
        self._jobs: list[Callable[[], Awaitable[None]]] = []
        self._has_jobs = asyncio.Event()
        self._worker = asyncio.get_running_loop().create_task(self._work())
        self._redialling: asyncio.Task[None] | None = None
        self._receivers: dict[str, Receive] = {}  # by subject
        self._subscriptions: dict[str, Subscription] = {}
        self._inbox = self._client.new_inbox()
        self._replies: dict[str, Callable[[Msg], None]] = {}  # by their subject
        self._numbers = count()

    # ------------------------------------------------------------------------------- connection

    async def dial(self) -> None:
        """Connect to one of the servers, with each of them tried a few times.

        Raises one of NO_CONNECTION, or ValueError or ImportError if the options make no sense.
        """
        address, client = self._address, _Client()
        within = DIAL_WITHIN * len(address.servers)  # a failed TLS handshake would wait for ever
        async with asyncio.timeout(within):
            await client.connect(
                address.servers,
                name="noughts",
                token=address.token,
                user_credentials=address.credentials,
                tls=address.tls,
                no_echo=True,
                skip_subject_validation=True,  # ours are made from ids that were checked
                connect_timeout=CONNECT_WITHIN,  # type: ignore[arg-type]
                reconnect_time_wait=RECONNECT_AFTER,  # type: ignore[arg-type]
                max_reconnect_attempts=1,
                ping_interval=PING_EVERY,
                pending_size=0,  # nothing is kept for later while there is no connection
                error_cb=self._note_error,
                reconnected_cb=self.note_reconnect,
                closed_cb=partial(self._note_closed, client),
            )
        version = client.connected_server_version
        self.version = version.major, version.minor
        # From now on it never gives up, and forgets no server that was down so far.
        client.options["max_reconnect_attempts"] = -1
        client.set_server_pool(address.servers)
        self._client = client
        self._subscriptions.clear()
        self._receivers[f"{self._inbox}.*"] = self._hear_reply
        for subject in tuple(self._receivers):
            if subject not in self._subscriptions:
                await self._begin_subscription(subject)

    async def close(self) -> None:
        """Send what is still to be sent, and end."""
        self._is_closing = True
        self._has_jobs.set()
        await _end_in_time(self._worker)
        if self._redialling is not None:
            self._redialling.cancel()
        await _end_in_time(asyncio.ensure_future(self._hang_up()))

    async def _hang_up(self) -> None:
        with suppress(*NO_CONNECTION):
            await self._client.flush(1)
        await self._client.close()

    async def note_reconnect(self) -> None:
        self._on_doubt()

    async def _note_error(self, problem: Exception) -> None:
        """Something went wrong in the client. If messages were dropped, look for them."""
        self.last_error = problem
        if isinstance(problem, SlowConsumerError):
            self._on_doubt()
        elif not isinstance(problem, NO_CONNECTION):
            log.error("our fault: a message could not be handled", exc_info=problem)

    async def _note_closed(self, client: Client) -> None:
        if client is self._client and not self._is_closing:
            self._redialling = asyncio.get_running_loop().create_task(self._dial_again())

    async def _dial_again(self) -> None:
        while not self._is_closing:
            try:
                await self.dial()
            except NO_CONNECTION:
                await asyncio.sleep(RECONNECT_AFTER)
            else:
                self._on_doubt()
                return

    # ----------------------------------------------------------------------------------- sending

    def send(
        self, subject: str, data: bytes, *, reply: str = "", headers: dict[str, str] | None = None
    ) -> None:
        self._do(lambda: self._client.publish(subject, data, reply, headers))

    def _do(self, job: Callable[[], Awaitable[None]]) -> None:
        self._jobs.append(job)
        self._has_jobs.set()

    async def _work(self) -> None:
        while not self._is_closing or self._jobs:
            await self._has_jobs.wait()
            self._has_jobs.clear()
            while self._jobs:
                jobs, self._jobs = self._jobs, []
                for job in jobs:
                    try:
                        await job()
                    except Error:  # no connection at present: as if it were lost on the way
                        continue
                    except Exception:
                        log.exception("our fault: nothing can be sent to the engine")

    # ------------------------------------------------------------------------------ subscriptions

    def subscribe(self, subject: str, receive: Receive) -> None:
        async def begin() -> None:
            with suppress(Error):  # the client has closed, and the next one will not know of it
                await self._end_subscription(subject)
            self._receivers[subject] = receive
            await self._begin_subscription(subject)

        self._do(begin)

    def unsubscribe(self, subject: str) -> None:
        self._do(partial(self._end_subscription, subject))

    async def _begin_subscription(self, subject: str) -> None:
        """Subscribe, unless it has ended. That, and a new client, may come in between."""
        client, receive = self._client, self._receivers.get(subject)
        if receive is None:
            return
        subscription = await client.subscribe(subject, cb=receive)
        if client is self._client and receive is self._receivers.get(subject):
            self._subscriptions[subject] = subscription
        else:
            await subscription.unsubscribe()

    async def _end_subscription(self, subject: str) -> None:
        self._receivers.pop(subject, None)
        subscription = self._subscriptions.pop(subject, None)
        if subscription is not None:
            await subscription.unsubscribe()

    # ----------------------------------------------------------------------------------- replies

    async def request(
        self,
        subject: str,
        data: bytes,
        *,
        headers: dict[str, str] | None = None,
        within: float = ANSWER_WITHIN,
    ) -> Msg:
        """The first reply. Raises `NobodyListens`, `NoAnswer` or another `Unavailable`."""
        try:
            return await self._client.request(subject, data, within, headers=headers)
        except NoRespondersError as problem:
            raise NobodyListens("nobody is there to answer") from problem
        except NatsTimeout as problem:
            raise NoAnswer("it does not answer") from problem
        except Error as problem:
            raise Unavailable(str(problem) or type(problem).__name__) from problem

    def expect(self, receive: Callable[[Msg], None]) -> str:
        """A subject for replies, until `forget`. Of too many, the oldest is forgotten."""
        reply = f"{self._inbox}.{next(self._numbers)}"
        self._replies[reply] = receive
        if len(self._replies) > REPLIES:
            self.forget(next(iter(self._replies)))
        return reply

    def forget(self, reply: str) -> None:
        self._replies.pop(reply, None)

    async def _hear_reply(self, message: Msg) -> None:
        receive = self._replies.get(message.subject)
        if receive is not None:
            receive(message)


async def _end_in_time(task: asyncio.Task[None]) -> None:
    """Wait for a task, but not for ever: the client may hang, and may swallow a cancellation."""
    await asyncio.wait({task}, timeout=CLOSE_WITHIN)
    task.cancel()
