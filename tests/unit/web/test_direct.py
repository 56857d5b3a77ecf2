"""Real sockets, on both event loops: nothing is lost or reordered, or written to another's file."""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
from collections.abc import Iterator
from select import select

import pytest

from server.live.outbox import Outbox
from server.web.direct import DirectOutbox, NotDirect, new_outbox
from tests.support.outboxes import new_scheduler, tick
from tests.support.wire import Wire

pytestmark = pytest.mark.skipif(os.name != "posix", reason="a socket is a descriptor on POSIX only")

FIRST, STATE = b"first", b"state"


@pytest.fixture(params=["asyncio", "uvloop"])
def runner(request: pytest.FixtureRequest) -> Iterator[asyncio.Runner]:
    library = pytest.importorskip(request.param)
    faults: list[object] = []
    with asyncio.Runner(loop_factory=library.new_event_loop) as runner:
        runner.get_loop().set_exception_handler(lambda _, context: faults.append(context))
        yield runner
        runner.run(tick())
    assert not faults, "in callbacks of the event loop"


class Served(asyncio.Protocol):
    """The server's end of a real socket, which says when it is lost."""

    def __init__(self) -> None:
        self.transport: asyncio.Transport
        self.outbox: Outbox
        self.paused: list[bool] = []
        self.lost: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport  # type: ignore[assignment]  # uvloop's is not one by name
        self.outbox = new_outbox(self.transport, new_scheduler())
        self.outbox.put(FIRST)  # in line; from now on it may write past the transport

    def pause_writing(self) -> None:
        self.paused.append(True)

    def resume_writing(self) -> None:
        self.paused.append(False)

    def connection_lost(self, exc: Exception | None) -> None:
        os.fstat(self.descriptor)  # still ours
        self.outbox.stop()
        self.lost.set_result(None)

    @property
    def descriptor(self) -> int:
        return int(self.transport.get_extra_info("socket").fileno())


async def real_connection() -> tuple[Served, socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        far = socket.create_connection(listening.getsockname(), timeout=10)
        near, _ = listening.accept()
    near.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 16_384)
    _, served = await asyncio.get_running_loop().connect_accepted_socket(Served, near)
    return served, far


def test_what_a_socket_does_not_take_waits_and_all_stays_in_order(runner: asyncio.Runner) -> None:
    async def play() -> None:
        served, far = await real_connection()
        said = [b"%06d" % number * 5_000 for number in range(60)]

        for frame in said[:30]:
            served.outbox.put(frame)
        assert served.transport.get_write_buffer_size() > 65_536, "too little for this socket"
        assert served.paused == [True], "as asyncio pauses any protocol"
        heard = far.recv(60_000)
        while not select([], [served.descriptor], [], 0)[1]:
            heard += far.recv(60_000)  # there is space again, but the transport has not seen it
        for frame in said[30:40]:
            served.outbox.put(frame)
        while served.transport.get_write_buffer_size():
            heard += await asyncio.to_thread(far.recv, 65_536)
        assert served.paused[-1] is False
        for frame in said[40:]:
            served.outbox.put(frame)
        assert served.transport.get_write_buffer_size() > 0
        served.transport.close()
        heard += await asyncio.to_thread(lambda: b"".join(iter(lambda: far.recv(65_536), b"")))

        assert heard == FIRST + b"".join(said)
        far.close()

    runner.run(play())


def test_nothing_is_written_to_a_descriptor_that_was_reused(
    runner: asyncio.Runner,
) -> None:
    async def play() -> None:
        served, far = await real_connection()
        descriptor = served.descriptor
        reading, writing = os.pipe()
        os.set_blocking(reading, False)
        served.transport.pause_reading()
        far.close()

        served.outbox.put(STATE)  # answered with a reset
        served.outbox.put(STATE)  # which the transport finds out
        async with asyncio.timeout(10):
            await served.lost
        await tick()

        os.dup2(writing, descriptor)
        served.outbox.put(STATE)
        with pytest.raises(BlockingIOError):
            os.read(reading, 100)
        for number in (reading, writing, descriptor):
            os.close(number)

    runner.run(play())


class OnSocket(Wire):
    """A wire that has a socket, and perhaps TLS."""

    def __init__(self, end: socket.socket | None, tls: ssl.SSLContext | None = None) -> None:
        super().__init__()
        self._known = {"socket": end, "sslcontext": tls}

    def get_extra_info(self, name: str, default: object = None) -> object:
        return self._known.get(name, default)


def test_it_writes_past_the_transport_while_that_holds_nothing() -> None:
    near, far = socket.socketpair()
    wire = OnSocket(near)
    outbox = new_outbox(wire, new_scheduler())

    outbox.put(FIRST)
    outbox.put(STATE)
    assert (wire.written, far.recv(100)) == ([FIRST], STATE)

    near.setblocking(False)
    outbox.put(bytes(10_000_000))
    assert 0 < sum(map(len, wire.written)) < 10_000_000, "in part"
    wire.held = 1
    outbox.put(STATE)
    wire.held = 0
    outbox.put(FIRST)
    assert wire.written[-2:] == [STATE, FIRST], "in line, since the transport held something"

    outbox.abort()
    outbox.put(STATE)
    assert (wire.aborted, wire.written[-1]) == (True, FIRST)
    for end in (near, far):
        end.close()


def test_without_a_plain_socket_the_transport_writes() -> None:
    near, far = socket.socketpair()
    with near, far:
        for wire in (OnSocket(near, ssl.create_default_context()), OnSocket(None), Wire()):
            with pytest.raises(NotDirect):
                DirectOutbox(wire, new_scheduler())
            outbox = new_outbox(wire, new_scheduler())
            outbox.put(FIRST)
            outbox.put(STATE)
            assert wire.written == [FIRST, STATE]
