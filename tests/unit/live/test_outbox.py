from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Iterator
from select import select

import pytest

from server.live.outbox import Connection, Ticker, offer, pass_on
from server.metrics import Times
from server.wire.frames import text_frame
from tests.support.rooms import ADA, CY, connected, tick

ANSWER, STATE, NEWER = (text_frame(b'{"type":"%s"}' % name) for name in (b"a", b"s", b"n"))


def size_of(number: int) -> bytes:
    return text_frame(b'{"type":"%s"}' % (b"x" * number))


async def test_an_answer_and_the_state_behind_it_are_one_write() -> None:
    connection, wire = connected(ADA)

    offer("room", STATE, [connection])
    connection.send(ANSWER)
    await tick()

    assert wire.written == [ANSWER + STATE]


async def test_of_two_states_in_one_tick_only_the_newer_is_written() -> None:
    connection, wire = connected(ADA)

    offer("room", STATE, [connection])
    offer("room", NEWER, [connection])
    await tick()

    assert wire.written == [NEWER]


async def test_a_crowd_is_written_to_in_slices_and_others_get_their_turn() -> None:
    ticker, wires = Ticker(Times()), []
    for _ in range(600):
        connection, wire = connected(ADA, ticker)
        offer("room", STATE, [connection])
        wires.append(wire)

    served = []
    for _ in range(3):
        await tick()
        served.append(sum(bool(wire.written) for wire in wires))

    assert served == [250, 500, 600]


async def test_small_frames_of_one_tick_are_one_write() -> None:
    connection, wire = connected(ADA)

    connection.send(ANSWER)
    connection.send(STATE)
    assert wire.written == []
    await asyncio.sleep(0)

    assert wire.written == [ANSWER + STATE]


async def test_a_peer_that_is_behind_gets_only_the_newest_state_of_each_room() -> None:
    connection, wire = connected(ADA, behind=100)
    wire.stalled = True
    offer("room", size_of(200), [connection])
    await tick()
    assert connection.is_behind

    offer("room", STATE, [connection])
    offer("other", STATE, [connection])
    connection.send(ANSWER)
    offer("room", NEWER, [connection])
    assert len(wire.written) == 1
    wire.stalled, wire.held = False, 0
    await asyncio.sleep(0.15)

    assert not connection.is_behind
    assert wire.written[1:] == [ANSWER + NEWER + STATE]


async def test_a_peer_without_progress_is_aborted() -> None:
    connection, wire = connected(ADA, behind=100, patience=1)
    wire.stalled = True
    offer("room", size_of(200), [connection])
    await tick()

    await asyncio.sleep(0.1)
    assert not wire.aborted
    async with asyncio.timeout(5):
        while not wire.aborted:
            await asyncio.sleep(0.02)

    offer("room", STATE, [connection])
    connection.send(ANSWER)
    await asyncio.sleep(0.1)
    assert len(wire.written) == 1


async def test_a_peer_that_reads_slowly_but_reads_is_kept() -> None:
    connection, wire = connected(ADA, behind=100, patience=1)
    wire.stalled = True
    offer("room", size_of(5_000), [connection])
    await tick()

    for _ in range(25):
        wire.held -= 100
        await asyncio.sleep(0.06)

    assert not wire.aborted


async def test_a_peer_that_is_behind_and_asks_on_is_aborted_before_its_answers_pile_up() -> None:
    connection, wire = connected(ADA, behind=100)
    wire.stalled = True
    offer("room", size_of(200), [connection])
    await tick()

    for _ in range(64):
        connection.send(ANSWER)
    assert not wire.aborted
    connection.send(ANSWER)

    assert wire.aborted


async def test_nothing_is_written_to_a_socket_that_is_closing() -> None:
    connection, wire = connected(ADA)
    wire.aborted = True

    offer("room", STATE, [connection])
    connection.send(ANSWER)
    await asyncio.sleep(0)

    assert wire.written == []


async def test_nothing_follows_the_last_word() -> None:
    connection, wire = connected(ADA)
    connection.send(ANSWER)

    connection.finish()
    offer("room", STATE, [connection])
    connection.send(ANSWER)
    await asyncio.sleep(0)

    assert wire.written == [ANSWER]


async def test_a_crowd_is_written_to_at_once_but_not_who_is_behind() -> None:
    reading, wire = connected(CY, behind=100)
    stalled, full = connected(CY, behind=100)
    gone, closed = connected(CY, behind=100)
    full.stalled, full.held = True, 98
    closed.aborted = True

    for number in (b"1", b"2", b"3"):
        pass_on("room", b"\x81\x01" + number, [stalled, gone, reading])

    assert wire.written == [b"\x81\x011", b"\x81\x012", b"\x81\x013"]
    assert (full.written, stalled.is_behind) == ([b"\x81\x011"], True)
    assert closed.written == []
    full.stalled, full.held = False, 0
    async with asyncio.timeout(10):
        while stalled.is_behind:
            await asyncio.sleep(0.01)
    assert full.written[1:] == [b"\x81\x013"], "only the newest"


@pytest.fixture(params=["asyncio", "uvloop"])
def runner(request: pytest.FixtureRequest) -> Iterator[asyncio.Runner]:
    library = pytest.importorskip(request.param)
    with asyncio.Runner(loop_factory=library.new_event_loop) as runner:
        yield runner


class Served(asyncio.Protocol):
    """The server's end of a real socket, which says when it is lost."""

    def __init__(self) -> None:
        self.transport: asyncio.Transport
        self.connection: Connection
        self.lost: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport  # type: ignore[assignment]  # uvloop's is not one by name
        self.connection = Connection(
            self.transport, Ticker(Times()), descriptor=self.descriptor, behind=1_000_000_000
        )
        self.connection.write(ANSWER)  # in line; from now on it may write past the transport

    def connection_lost(self, exc: Exception | None) -> None:
        os.fstat(self.descriptor)  # still ours
        self.connection.lost()
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
            served.connection.write(frame)
        assert served.transport.get_write_buffer_size() > 0, "too little for this socket"
        heard = far.recv(60_000)
        while not select([], [served.descriptor], [], 0)[1]:
            heard += far.recv(60_000)  # there is space again, but the transport has not seen it
        for frame in said[30:40]:
            served.connection.write(frame)
        while served.transport.get_write_buffer_size():
            heard += await asyncio.to_thread(far.recv, 65_536)
        for frame in said[40:]:
            served.connection.write(frame)
        served.transport.close()
        heard += await asyncio.to_thread(lambda: b"".join(iter(lambda: far.recv(65_536), b"")))

        assert heard == ANSWER + b"".join(said)
        far.close()

    runner.run(play())


def test_nothing_is_written_to_a_descriptor_that_is_somebody_elses(runner: asyncio.Runner) -> None:
    async def play() -> None:
        served, far = await real_connection()
        descriptor = served.descriptor
        reading, writing = os.pipe()
        os.set_blocking(reading, False)
        served.transport.pause_reading()
        far.close()

        served.connection.write(STATE)  # answered with a reset
        served.connection.write(STATE)  # which the transport finds out
        async with asyncio.timeout(10):
            await served.lost
        await tick()

        os.dup2(writing, descriptor)
        served.connection.write(STATE)
        with pytest.raises(BlockingIOError):
            os.read(reading, 100)
        for number in (reading, writing, descriptor):
            os.close(number)

    runner.run(play())
