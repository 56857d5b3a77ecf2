"""NATS JetStream as the engine of a fleet, through its asyncio client `nats-py`.

A room's log is a subject in one of eight streams, `PREFIX.log.K.ROOM`. What JetStream has stored it
repeats as plain messages under `PREFIX.new.K.ROOM`, for the nodes that follow the room. The bus is
plain messages under `PREFIX.bus.TOPIC`. `docs/fleet.md` says how to run the servers.

With `sync_interval: always` a message is on disk before it is acknowledged, on most of the servers
that keep a copy. A client cannot see that setting.
"""

from __future__ import annotations

import asyncio
import base64
import json
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial
from itertools import count
from typing import Any
from zlib import crc32

import msgspec
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription
from nats.errors import Error, NoRespondersError, SlowConsumerError
from nats.errors import TimeoutError as NatsTimeout

from server.bus import Hear
from server.core.room import RoomId
from server.fleet.address import Address, read_address
from server.fleet.engine import Answer, Engine, Follow, Message, Refusal
from server.store import CannotOpen, Conflict, Unavailable

OLDEST = (2, 12)  # the first version whose servers can do all that is needed here
STREAMS = 8  # several, because each writes on its own, and a dead server stops only some
CONNECT_WITHIN = 2.0  # seconds for each server
DIAL_WITHIN = 5.0  # seconds for all attempts with one server
RECONNECT_AFTER = 0.25  # seconds between two attempts
PING_EVERY = 2  # seconds; a line on which two are unanswered is dead
ANSWER_WITHIN = 1.0  # seconds
CLOSE_WITHIN = 1.5  # seconds for what is still to be sent, and again for the client
START_WITHIN = 30.0  # seconds for a cluster that has just been started to be ready
STREAM_WITHIN = 10.0  # seconds for a stream to be made, with an election
BATCH = 1_000  # messages in one request
TOMBSTONE_FOR = "1h"
WRONG_LAST = 10071  # the room has another last message than the one that was named
NOT_FOUND = 10037  # the room has no message
NOT_CLUSTERED = 10074  # this server is alone, and cannot keep several copies
NOT_YET = {10005, 10008, 10009}  # too few servers are there, or they have not elected a leader
REPLIES = 100_000  # that are waited for at most

log = logging.getLogger(__name__)

Plain = dict[str, Any]
Receive = Callable[[Msg], Awaitable[None]]

NO_CONNECTION = (Error, OSError, TimeoutError)


class _NotYet(Unavailable):
    """The servers are still starting."""


class _Error(msgspec.Struct):
    err_code: int = 0


class _Acknowledged(msgspec.Struct):
    seq: int = 0
    error: _Error | None = None


_decode = msgspec.json.Decoder(_Acknowledged).decode


async def connect(url: str) -> NatsEngine:
    """Connect, and make the streams if they are missing; `CannotOpen` if that cannot be done."""
    address = read_address(url)
    engine = NatsEngine(address)
    where = ", ".join(address.servers)
    try:
        await engine.dial()
    except (*NO_CONNECTION, ValueError, ImportError) as problem:
        reason = engine.last_error or problem
        text = str(reason) or type(reason).__name__
        raise CannotOpen(f"no NATS server can be used at {where}: {text}") from problem
    try:
        await _start(engine, address.replicas)
    except Unavailable as problem:
        await engine.close()
        raise CannotOpen(f"JetStream at {where} cannot be used: {problem}") from problem
    except CannotOpen:
        await engine.close()
        raise
    log.info("NATS at %s; its servers need sync_interval: always in their jetstream block", where)
    return engine


async def _start(engine: NatsEngine, replicas: int) -> None:
    """Start it as soon as the servers are ready. Raises `Unavailable` and `CannotOpen`."""
    reason: Unavailable = _NotYet("it does not answer")
    try:
        async with asyncio.timeout(START_WITHIN):
            while True:
                try:
                    await engine.start(replicas)
                    return
                except _NotYet as problem:
                    reason = problem
                    await asyncio.sleep(RECONNECT_AFTER)
    except TimeoutError:
        raise reason from None


class NatsEngine(Engine):
    """Calls that do not wait are carried out in their order by one task.

    The client reconnects by itself, but after some errors it closes for good. Then a new one takes
    its place.
    """

    def __init__(self, address: Address) -> None:
        self.last_error: Exception | None = None
        self._address = address
        self._prefix = address.prefix
        self._client = Client()
        self._version = (0, 0)
        self._is_closing = False
        self._look: Callable[[], None] = lambda: None
        self._jobs: list[Callable[[], Awaitable[None]]] = []
        self._has_jobs = asyncio.Event()
        self._worker = asyncio.get_running_loop().create_task(self._work())
        self._redialling: asyncio.Task[None] | None = None
        self._receivers: dict[str, Receive] = {}  # by subject
        self._subscriptions: dict[str, Subscription] = {}
        self._inbox = self._client.new_inbox()
        self._replies: dict[str, Callable[[Msg], None]] = {}  # by the last part of their subject
        self._numbers = count()

    async def dial(self) -> None:
        """Connect to one of the servers, with each of them tried a few times."""
        address, client = self._address, Client()
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
        self._version = version.major, version.minor
        # From now on it never gives up, and forgets no server that was down so far.
        client.options["max_reconnect_attempts"] = -1
        client.set_server_pool(address.servers)
        self._client = client
        self._subscriptions.clear()
        for subject, receive in self._receivers.items():
            self._subscriptions[subject] = await client.subscribe(subject, cb=receive)

    async def start(self, replicas: int) -> None:
        """Make what is missing. Raises `Unavailable`, and `CannotOpen` if it cannot be made."""
        if self._version < OLDEST:
            raise CannotOpen("this NATS server is too old: at least 2.12 is needed")
        self._subscribe(f"{self._inbox}.*", self._hear_reply)
        self._subscribe("$JS.EVENT.ADVISORY.STREAM.LEADER_ELECTED.*", self._hear_election)
        if "error" in await self._request("$JS.API.INFO", {}):
            raise Unavailable("it is not enabled for this account")
        await self._make_stream("PROBE", [f"{self._prefix}.probe"], replicas, max_msgs=1)
        for number in range(STREAMS):
            await self._make_stream(
                str(number),
                [f"{self._prefix}.log.{number}.>"],
                replicas,
                allow_direct=True,
                allow_rollup_hdrs=True,
                allow_msg_ttl=True,
                republish={
                    "src": f"{self._prefix}.log.{number}.>",
                    "dest": f"{self._prefix}.new.{number}.>",
                },
            )

    async def _make_stream(
        self, name: str, subjects: list[str], replicas: int, **options: object
    ) -> None:
        name = self._stream(name)
        if "error" not in await self._request(f"$JS.API.STREAM.INFO.{name}", {}):
            return
        error: Plain = {}
        for copies in (replicas,) if replicas else (3, 1):
            config = {"name": name, "subjects": subjects, "num_replicas": copies, **options}
            made = await self._request(f"$JS.API.STREAM.CREATE.{name}", config, STREAM_WITHIN)
            error = made.get("error", {})
            if error.get("err_code") != NOT_CLUSTERED:
                break
        if error.get("err_code") in NOT_YET:
            raise _NotYet(error.get("description", ""))
        if error:
            raise CannotOpen(f"the stream {name} cannot be made: {error.get('description')}")

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
                self._look()
                return

    # ------------------------------------------------------------------------------------- logs

    def append(
        self, room: RoomId, last: int, data: bytes, answer: Callable[[Answer], None]
    ) -> None:
        headers = {"Nats-Expected-Last-Subject-Sequence": str(last)}
        reply = self._expect(lambda message: self._end_append(token, message, answer))
        token = reply.rpartition(".")[2]
        self._do(lambda: self._client.publish(self._log(room), data, reply, headers))

    def _end_append(self, token: str, message: Msg, answer: Callable[[Answer], None]) -> None:
        self._replies.pop(token, None)
        answer(_read_answer(message))

    async def replace(self, room: RoomId, last: int, data: bytes) -> None:
        headers = {
            "Nats-Expected-Last-Subject-Sequence": str(last),
            "Nats-Rollup": "sub",
            "Nats-TTL": TOMBSTONE_FOR,
        }
        answer = _read_answer(await self._send_and_wait(self._log(room), data, headers))
        if answer is Refusal.CONFLICT:
            raise Conflict(room)
        if answer is Refusal.AGAIN:
            raise Unavailable("the engine cannot write at present")

    async def probe(self) -> None:
        answer = _read_answer(await self._send_and_wait(f"{self._prefix}.probe", b"", None))
        if not isinstance(answer, int):
            raise Unavailable("the engine cannot write at present")

    async def last(self, room: RoomId) -> Message | None:
        subject = self._log(room)
        stream = f"$JS.API.STREAM.MSG.GET.{self._stream_of(room)}"
        found = await self._request(stream, {"last_by_subj": subject})
        if "error" in found:
            if found["error"].get("err_code") == NOT_FOUND:
                return None
            raise Unavailable(found["error"].get("description", ""))
        message = found["message"]
        return Message(message["seq"], base64.b64decode(message["data"]))

    async def read(self, room: RoomId, after: int) -> list[Message]:
        found: list[Message] = []
        while True:
            body = {"seq": after + 1, "next_by_subj": self._log(room), "batch": BATCH}
            page = [message for _, message in await self._collect(self._stream_of(room), body)]
            found += page
            if len(page) < BATCH:
                return found
            after = page[-1].sequence

    async def lasts(self, rooms: Sequence[RoomId]) -> dict[RoomId, Message]:
        by_stream: dict[str, list[str]] = {}
        for room in rooms:
            by_stream.setdefault(self._stream_of(room), []).append(self._log(room))
        found: dict[RoomId, Message] = {}
        for stream, subjects in by_stream.items():
            body = {"multi_last": subjects, "batch": BATCH}
            for subject, message in await self._collect(stream, body):
                found[RoomId(subject.rpartition(".")[2])] = message
        return found

    async def rooms(self) -> list[RoomId]:
        found: list[RoomId] = []
        for number in range(STREAMS):
            listed, total = 0, 1
            while listed < total:
                body = {"subjects_filter": f"{self._prefix}.log.{number}.>", "offset": listed}
                page = await self._request(f"$JS.API.STREAM.INFO.{self._stream(number)}", body)
                if "error" in page:
                    raise Unavailable(page["error"].get("description", ""))
                subjects = page["state"].get("subjects") or {}
                found += [RoomId(subject.rpartition(".")[2]) for subject in subjects]
                listed, total = listed + len(subjects), page.get("total", 0)
                if not subjects:
                    break
        return sorted(found)

    def follow(self, room: RoomId, hear: Follow) -> None:
        async def receive(message: Msg) -> None:
            assert message.headers is not None
            hear(int(message.headers["Nats-Sequence"]), message.data)

        self._subscribe(self._new(room), receive)

    def unfollow(self, room: RoomId) -> None:
        self._do(partial(self._end_subscription, self._new(room)))

    def on_doubt(self, look: Callable[[], None]) -> None:
        self._look = look

    async def note_reconnect(self) -> None:
        self._look()

    async def _note_error(self, problem: Exception) -> None:
        """Something went wrong in the client. If messages were dropped, look for them."""
        self.last_error = problem
        if isinstance(problem, SlowConsumerError):
            self._look()
        elif not isinstance(problem, Error | OSError | TimeoutError):
            log.error("our fault: a message could not be handled", exc_info=problem)

    # -------------------------------------------------------------------------------------- bus

    def publish(self, topic: str, message: bytes) -> None:
        self._do(lambda: self._client.publish(self._bus(topic), message))

    def subscribe(self, topic: str, hear: Hear) -> None:
        async def receive(message: Msg) -> None:
            answer = hear(message.data)
            if answer is not None and message.reply:
                await message.respond(answer)

        self._subscribe(self._bus(topic), receive)

    def unsubscribe(self, topic: str) -> None:
        self._do(partial(self._end_subscription, self._bus(topic)))

    async def ask(self, topic: str, question: bytes) -> bytes | None:
        try:
            answer = await self._client.request(self._bus(topic), question, ANSWER_WITHIN)
        except NoRespondersError:
            return None
        except Error as problem:
            raise Unavailable(str(problem)) from problem
        return answer.data

    # ------------------------------------------------------------------------------------- names

    def _stream(self, name: object) -> str:
        return f"{self._prefix.upper()}_{name}"

    def _stream_of(self, room: RoomId) -> str:
        return self._stream(number_of(room))

    def _log(self, room: RoomId) -> str:
        return f"{self._prefix}.log.{number_of(room)}.{room}"

    def _new(self, room: RoomId) -> str:
        return f"{self._prefix}.new.{number_of(room)}.{room}"

    def _bus(self, topic: str) -> str:
        return f"{self._prefix}.bus.{topic}"

    # ----------------------------------------------------------------------------------- sending

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

    def _subscribe(self, subject: str, receive: Receive) -> None:
        async def begin() -> None:
            await self._end_subscription(subject)
            self._receivers[subject] = receive
            self._subscriptions[subject] = await self._client.subscribe(subject, cb=receive)

        self._do(begin)

    async def _end_subscription(self, subject: str) -> None:
        self._receivers.pop(subject, None)
        subscription = self._subscriptions.pop(subject, None)
        if subscription is not None:
            await subscription.unsubscribe()

    # ----------------------------------------------------------------------------------- replies

    def _expect(self, receive: Callable[[Msg], None]) -> str:
        """A subject for replies. One that is never used is forgotten after many others."""
        token = str(next(self._numbers))
        self._replies[token] = receive
        if len(self._replies) > REPLIES:
            del self._replies[next(iter(self._replies))]
        return f"{self._inbox}.{token}"

    async def _hear_reply(self, message: Msg) -> None:
        receive = self._replies.get(message.subject.rpartition(".")[2])
        if receive is not None:
            receive(message)

    async def _hear_election(self, message: Msg) -> None:
        self._look()

    async def _send_and_wait(
        self, subject: str, data: bytes, headers: dict[str, str] | None
    ) -> Msg:
        try:
            return await self._client.request(subject, data, ANSWER_WITHIN, headers=headers)
        except Error as problem:
            raise Unavailable(str(problem)) from problem

    async def _request(self, subject: str, body: Plain, within: float = ANSWER_WITHIN) -> Plain:
        """Ask JetStream for something."""
        try:
            message = await self._client.request(subject, json.dumps(body).encode(), within)
        except NoRespondersError as problem:
            raise Unavailable("no server has JetStream") from problem
        except NatsTimeout as problem:
            raise _NotYet("it does not answer") from problem
        except Error as problem:
            raise Unavailable(str(problem) or type(problem).__name__) from problem
        answer: Plain = json.loads(message.data)
        return answer

    async def _collect(self, stream: str, body: Plain) -> list[tuple[str, Message]]:
        """The messages that a direct request is answered with, and their subjects."""
        received: asyncio.Queue[Msg] = asyncio.Queue()
        reply = self._expect(received.put_nowait)
        found: list[tuple[str, Message]] = []
        try:
            subject = f"$JS.API.DIRECT.GET.{stream}"
            await self._client.publish(subject, json.dumps(body).encode(), reply)
            while True:
                message = await asyncio.wait_for(received.get(), ANSWER_WITHIN)
                headers = message.headers or {}
                status = headers.get("Status")
                if status in ("204", "404"):  # the end, or nothing at all
                    return found
                if status is not None:
                    raise Unavailable(headers.get("Description", status))
                sequence = int(headers["Nats-Sequence"])
                found.append((headers["Nats-Subject"], Message(sequence, message.data)))
        except (Error, TimeoutError) as problem:
            raise Unavailable("a log cannot be read") from problem
        finally:
            self._replies.pop(reply.rpartition(".")[2], None)


async def _end_in_time(task: asyncio.Task[None]) -> None:
    """Wait for a task, but not for ever: the client may hang, and may swallow a cancellation."""
    await asyncio.wait({task}, timeout=CLOSE_WITHIN)
    task.cancel()


def number_of(room: RoomId) -> int:
    """The number of the stream that a room is in."""
    return crc32(room.encode()) % STREAMS


def _read_answer(message: Msg) -> Answer:
    """What JetStream says about a message that was sent to it."""
    if not message.data:  # nobody is there to store it: a status, such as 503
        return Refusal.AGAIN
    answer = _decode(message.data)
    if answer.error is None:
        return answer.seq
    return Refusal.CONFLICT if answer.error.err_code == WRONG_LAST else Refusal.AGAIN
