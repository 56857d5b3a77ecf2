"""NATS JetStream as the engine of a fleet.

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
from collections.abc import Callable, Sequence
from typing import Any
from zlib import crc32

import msgspec
from nats.aio.msg import Msg

from server.bus import Hear
from server.core.room import RoomId
from server.fleet.address import Address, read_address
from server.fleet.engine import Answer, Engine, Follow, Message, Refusal
from server.fleet.line import (
    ANSWER_WITHIN,
    NO_CONNECTION,
    RECONNECT_AFTER,
    Line,
    NoAnswer,
    NobodyListens,
)
from server.store import CannotOpen, Conflict, Unavailable

OLDEST = (2, 12)  # the first version whose servers can do all that is needed here
STREAMS = 8  # several, because each writes on its own, and a dead server stops only some
START_WITHIN = 30.0  # seconds for a cluster that has just been started to be ready
STREAM_WITHIN = 10.0  # seconds for a stream to be made, with an election
BATCH = 1_000  # messages in one request
TOMBSTONE_FOR = "1h"
WRONG_LAST = 10071  # the room has another last message than the one that was named
NOT_FOUND = 10037  # the room has no message
NOT_CLUSTERED = 10074  # this server is alone, and cannot keep several copies
NOT_YET = {10005, 10008, 10009}  # too few servers are there, or they have not elected a leader

log = logging.getLogger(__name__)

Plain = dict[str, Any]


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
        await engine.line.dial()
    except (*NO_CONNECTION, ValueError, ImportError) as problem:
        reason = engine.line.last_error or problem
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
    reason: Unavailable = NoAnswer("it does not answer")
    try:
        async with asyncio.timeout(START_WITHIN):
            while True:
                try:
                    await engine.start(replicas)
                    return
                except (_NotYet, NoAnswer) as problem:
                    reason = problem
                    await asyncio.sleep(RECONNECT_AFTER)
    except TimeoutError:
        raise reason from None


class NatsEngine(Engine):
    def __init__(self, address: Address) -> None:
        self.line = Line(address, lambda: self._look())
        self._prefix = address.prefix
        self._look: Callable[[], None] = lambda: None

    async def start(self, replicas: int) -> None:
        """Make what is missing. Raises `Unavailable`, and `CannotOpen` if it cannot be made."""
        if self.line.version < OLDEST:
            raise CannotOpen("this NATS server is too old: at least 2.12 is needed")
        self.line.subscribe("$JS.EVENT.ADVISORY.STREAM.LEADER_ELECTED.*", self._hear_election)
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
        found = await self._request(f"$JS.API.STREAM.INFO.{name}", {})
        if "error" not in found:
            _check_stream(name, found["config"], subjects, replicas)
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
        await self.line.close()

    # ------------------------------------------------------------------------------------- logs

    def append(
        self, room: RoomId, last: int, data: bytes, answer: Callable[[Answer], None]
    ) -> None:
        def end(message: Msg) -> None:
            self.line.forget(reply)
            answer(_read_answer(message))

        reply = self.line.expect(end)
        headers = {"Nats-Expected-Last-Subject-Sequence": str(last)}
        self.line.send(self._log(room), data, reply=reply, headers=headers)

    async def replace(self, room: RoomId, last: int, data: bytes) -> None:
        headers = {
            "Nats-Expected-Last-Subject-Sequence": str(last),
            "Nats-Rollup": "sub",
            "Nats-TTL": TOMBSTONE_FOR,
        }
        answer = _read_answer(await self.line.request(self._log(room), data, headers=headers))
        if answer is Refusal.CONFLICT:
            raise Conflict(room)
        if answer is Refusal.AGAIN:
            raise Unavailable("the engine cannot write at present")

    async def probe(self) -> None:
        answer = _read_answer(await self.line.request(f"{self._prefix}.probe", b""))
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

        self.line.subscribe(self._new(room), receive)

    def unfollow(self, room: RoomId) -> None:
        self.line.unsubscribe(self._new(room))

    def on_doubt(self, look: Callable[[], None]) -> None:
        self._look = look

    async def _hear_election(self, _: Msg) -> None:
        self._look()

    # -------------------------------------------------------------------------------------- bus

    def publish(self, topic: str, message: bytes) -> None:
        self.line.send(self._bus(topic), message)

    def subscribe(self, topic: str, hear: Hear) -> None:
        async def receive(message: Msg) -> None:
            answer = hear(message.data)
            if answer is not None and message.reply:
                await message.respond(answer)

        self.line.subscribe(self._bus(topic), receive)

    def unsubscribe(self, topic: str) -> None:
        self.line.unsubscribe(self._bus(topic))

    async def ask(self, topic: str, question: bytes) -> bytes | None:
        try:
            return (await self.line.request(self._bus(topic), question)).data
        except NobodyListens:
            return None

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

    # ---------------------------------------------------------------------------------- requests

    async def _request(self, subject: str, body: Plain, within: float = ANSWER_WITHIN) -> Plain:
        """Ask JetStream for something."""
        try:
            message = await self.line.request(subject, json.dumps(body).encode(), within=within)
        except NobodyListens as problem:
            raise Unavailable("no server has JetStream") from problem
        answer: Plain = json.loads(message.data)
        return answer

    async def _collect(self, stream: str, body: Plain) -> list[tuple[str, Message]]:
        """The messages that a direct request is answered with, and their subjects."""
        received: asyncio.Queue[Msg] = asyncio.Queue()
        reply = self.line.expect(received.put_nowait)
        found: list[tuple[str, Message]] = []
        try:
            self.line.send(f"$JS.API.DIRECT.GET.{stream}", json.dumps(body).encode(), reply=reply)
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
        except TimeoutError as problem:
            raise Unavailable("a log cannot be read") from problem
        finally:
            self.line.forget(reply)


def _check_stream(name: str, config: Plain, subjects: list[str], replicas: int) -> None:
    """Raise `CannotOpen` if a stream that is there would not keep what it should."""
    if config.get("subjects") != subjects:
        theirs = ", ".join(config.get("subjects") or ["others"])
        raise CannotOpen(f"the stream {name} is for {theirs} and not {subjects[0]}")
    if config["num_replicas"] < replicas:
        copies = config["num_replicas"]
        raise CannotOpen(f"the stream {name} keeps {copies} copies and not {replicas}")


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
