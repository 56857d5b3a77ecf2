"""One socket over a wire one can read: its order, its patience, and each way it ends."""

from __future__ import annotations

import asyncio
import gc
import weakref
from time import monotonic
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noughts.messages import Close
from server.core.events import Event
from server.core.room import RoomId
from server.core.rules import Mark
from server.identity import Token, person
from server.live.house import House
from server.live.limits import Limits
from server.live.stalls import Stalls
from server.store.memory import MemoryStore
from server.web.entrance import Entrance
from server.web.proxies import Proxies
from server.web.websocket import WAITING, Phase, Socket, Sockets
from tests.support.bare import BINARY, CLOSE, CONTINUATION, PING, PONG, TEXT, closing, frame
from tests.support.houses import new_house, new_rooms, open_room
from tests.support.outboxes import tick
from tests.support.stores import Slow
from tests.support.wire import Wire

HELLO = frame(TEXT, b'{"type":"hello","protocol":1}')
HER = person(Token("A" * 43), "Ada")
ADAS_HELLO = frame(TEXT, b'{"type":"hello","protocol":1,"token":"%s"}' % (b"A" * 43))
CREATE = frame(TEXT, b'{"type":"create","id":1}')  # takes a task of its own
ASK = frame(TEXT, b'{"type":"ping","id":2}')
WATCH = frame(TEXT, b'{"type":"watch","room":"room"}')


def served(house: House | None = None) -> tuple[Socket, Wire]:
    wire = Wire()
    return Socket(wire, house or new_house(), "192.0.2.1"), wire


def answered(wire: Wire) -> list[Any]:
    return [frame["re"] for frame in wire.frames if "re" in frame]


async def until(wire: Wire, number: int) -> list[Any]:
    """Wait for so many answers."""
    async with asyncio.timeout(10):
        while len(answered(wire)) < number:
            await tick()
    return answered(wire)


async def ticks() -> None:
    for _ in range(9):
        await tick()


class Stuck(MemoryStore):
    """A store that never finds anything."""

    async def load(self, room: RoomId, after: int = 0) -> list[Event]:
        await asyncio.Event().wait()
        return []


# ----------------------------------------------------------------------------------------- order


@pytest.mark.parametrize("in_one", [True, False], ids=["in one chunk", "in chunks of their own"])
async def test_what_comes_while_another_is_answered_waits_its_turn(in_one: bool) -> None:
    socket, wire = served()
    stream = [HELLO, CREATE, ASK, CREATE, ASK]

    for chunk in [b"".join(stream)] if in_one else stream:
        socket.data_received(chunk)

    assert await until(wire, 5) == [None, 1, 2, 1, 2]
    socket.data_received(ASK)
    await tick()
    assert answered(wire)[-1] == 2, "and the fast path is open again"


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(1, 300), max_size=8))
def test_answers_are_the_same_however_the_bytes_are_cut(sizes: list[int]) -> None:
    begun = [frame(TEXT, b'{"type":"ping",', first=0), frame(PING, b"?")]
    rest = [frame(CONTINUATION, b'"id":3}'), CREATE, ASK, ASK, frame(PONG)]
    stream = b"".join([HELLO, ASK, CREATE, ASK, *begun, *rest])

    async def play() -> None:
        socket, wire = served()
        at = 0
        for size in [*sizes, len(stream)]:
            socket.data_received(stream[at : at + size] or frame(PONG))
            at += size
        assert await until(wire, 8) == [None, 2, 1, 2, 3, 1, 2, 2]
        assert b"".join(wire.written).count(b"\x8a\x01?") == 1

    asyncio.run(play())


async def test_a_ping_is_answered_while_a_request_is_under_way_but_not_ahead_of_a_text() -> None:
    socket, wire = served(new_house(Stuck()))
    socket.data_received(HELLO + WATCH + frame(PING, b"1") + ASK + frame(PING, b"2"))
    await tick()

    assert b"\x8a\x011" in b"".join(wire.written)
    assert b"\x8a\x012" not in b"".join(wire.written)


async def test_too_much_that_waits_stops_the_transport_until_it_has_been_answered() -> None:
    store = Slow()
    await open_room(new_rooms(store))
    socket, wire = served(new_house(store))
    socket.data_received(HELLO + WATCH)
    many = frame(PONG, bytes(125))  # each one more to handle, and none to answer

    socket.data_received(ASK)
    socket.data_received(many)
    assert not wire.paused
    socket.data_received(ASK * (WAITING // len(ASK)))
    assert wire.paused

    async with asyncio.timeout(10):
        while wire.paused:
            await tick()
    assert answered(wire)[:3] == [None, None, 2]


async def test_bytes_that_come_one_by_one_are_read() -> None:
    socket, wire = served()
    for byte in HELLO + frame(TEXT, b'{"type":"ping","id":9}'.ljust(200)) + ASK:
        socket.data_received(bytes((byte,)))

    assert await until(wire, 3) == [None, 9, 2]


async def test_a_whole_text_in_the_middle_of_another_is_no_request() -> None:
    socket, wire = served()
    socket.data_received(HELLO + frame(TEXT, b'{"type":"ping",', first=0))

    socket.data_received(ASK)

    assert (answered(wire), wire.close_code) == ([None], 1002)


# ----------------------------------------------------------------------------------------- ending


async def test_the_peers_close_frame_is_answered_behind_all_that_came_before_it() -> None:
    socket, wire = served()

    socket.data_received(HELLO + CREATE + ASK + closing(1000) + ASK)

    assert await until(wire, 3) == [None, 1, 2]
    assert (wire.close_code, wire.closed, wire.aborted) == (1000, True, False)


async def test_what_arrives_after_our_close_is_not_carried_out() -> None:
    house = new_house()
    socket, _ = served(house)
    socket.data_received(HELLO)
    socket.close(Close.RESTARTING, "restarting")

    for stream in (CREATE, CREATE + CREATE, CREATE[:9], CREATE[9:]):
        socket.data_received(stream)
        await ticks()

    assert len(house.rooms) == 0


async def test_our_close_waits_for_the_peers_before_the_connection_is_closed() -> None:
    socket, wire = served()
    socket.data_received(HELLO + frame(BINARY, b"x") + ASK)
    await tick()
    assert (wire.close_code, wire.closed) == (1003, False)

    socket.data_received(ASK)
    socket.data_received(ASK + frame(TEXT, b"and on", first=0))
    assert not wire.closed
    socket.data_received(frame(CLOSE)[:3])
    socket.data_received(frame(CLOSE)[3:])

    assert wire.closed
    assert answered(wire) == [None], "nothing is answered any more"
    socket.connection_lost(None)
    assert socket.lost.done()


async def test_behind_a_broken_frame_nothing_can_be_read_so_the_connection_is_closed() -> None:
    socket, wire = served()

    socket.data_received(HELLO + ASK + frame(3) + ASK)

    assert answered(wire) == [None, 2]
    assert (wire.close_code, wire.closed) == (1002, True)


async def test_the_last_straw_ends_it_once() -> None:
    socket, wire = served()
    socket.data_received(HELLO)

    for _ in range(15):
        socket.data_received(frame(TEXT, b"nonsense"))
    await tick()

    assert len(wire.of_type("refused")) == 10
    assert b"".join(wire.written).count(b"\x88") == 1
    assert wire.close_code == 1008


async def test_what_is_being_answered_is_answered_before_a_restart() -> None:
    socket, wire = served()
    socket.data_received(HELLO + CREATE + ASK)

    socket.close(Close.RESTARTING, "restarting")
    socket.close(Close.RESTARTING, "restarting")
    await until(wire, 2)
    await tick()

    assert answered(wire) == [None, 1], "and what waited is not"
    assert wire.close_code == 1012


async def test_a_socket_that_ends_follows_nothing_any_more() -> None:
    house = new_house()
    host = await open_room(house.rooms)
    socket, _ = served(house)
    socket.data_received(HELLO + WATCH)
    await ticks()
    assert host.audience

    socket.close(Close.RESTARTING, "restarting")

    assert not host.audience


async def test_a_request_that_takes_too_long_does_not_hold_up_the_goodbye(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("server.web.websocket.ANSWER_WITHIN", 0.01)
    socket, wire = served(new_house(Stuck()))
    socket.data_received(HELLO + WATCH)

    socket.close(Close.RESTARTING, "restarting")
    async with asyncio.timeout(10):
        while not wire.close_code:
            await asyncio.sleep(0.01)

    assert (wire.close_code, wire.aborted) == (1012, False)


@pytest.mark.parametrize("ending", [b"", closing(1000)], ids=["we close", "the peer closes"])
async def test_a_peer_that_does_not_take_the_goodbye_is_aborted(
    monkeypatch: pytest.MonkeyPatch, ending: bytes
) -> None:
    monkeypatch.setattr("server.web.websocket.CLOSE_WITHIN", 0.01)
    socket, wire = served()

    socket.data_received(HELLO + ending)
    socket.close(Close.RESTARTING, "restarting")
    assert not wire.aborted

    async with asyncio.timeout(10):
        while not wire.aborted:
            await asyncio.sleep(0.01)


async def test_without_a_hello_it_is_closed_with_1008(monkeypatch: pytest.MonkeyPatch) -> None:
    silent, wire = served()
    greeting, other = served()
    greeting.data_received(HELLO)

    for socket in (silent, greeting):
        socket._miss_hello()

    await tick()
    assert (wire.close_code, other.close_code) == (1008, None)


async def test_a_hello_may_be_late_if_our_own_loop_stood_still(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    house = new_house()
    socket, wire = served(house)
    house.stalls.measure(monotonic() - 60.0)
    monkeypatch.setattr("server.web.websocket.FORGIVEN", 0.001)

    socket._miss_hello()
    await tick()
    assert wire.close_code is None

    house.stalls = Stalls()  # it is over
    async with asyncio.timeout(10):
        while wire.close_code is None:
            await asyncio.sleep(0.01)


async def test_our_own_fault_closes_with_1011_and_is_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    socket, wire = served()
    monkeypatch.setattr("server.live.peer.Peer.handle", lambda *_: 1 / 0)

    socket.data_received(HELLO)

    assert wire.close_code == 1011
    assert "our fault" in caplog.text
    assert "ZeroDivisionError" in caplog.text


async def test_our_fault_is_logged_also_when_the_peer_has_gone(
    caplog: pytest.LogCaptureFixture,
) -> None:
    socket, wire = served()
    socket.connection_lost(None)

    socket._continue(ZeroDivisionError())
    await tick()

    assert "our fault" in caplog.text
    assert wire.written == []


async def test_a_peer_that_is_lost_before_a_room_is_found_does_not_follow_it() -> None:
    store = Slow()
    await open_room(new_rooms(store))
    house = new_house(store)
    socket, wire = served(house)
    socket.data_received(HELLO + WATCH)
    await tick()

    socket.connection_lost(None)
    async with asyncio.timeout(10):
        while socket._peer.is_busy:
            await asyncio.sleep(0.01)

    [host] = house.rooms
    assert not host.audience
    assert answered(wire) == [None]


async def test_when_the_connection_is_lost_aiohttp_hears_of_it_and_nothing_is_left() -> None:
    class Handler(asyncio.Protocol):
        lost_with: list[Exception | None] = []  # noqa: RUF012

        def connection_lost(self, exc: Exception | None) -> None:
            self.lost_with.append(exc)

    wire, problem = Wire(), ConnectionResetError()
    wire.set_protocol(Handler())
    socket = Socket(wire, new_house(), "192.0.2.1")
    socket.data_received(HELLO)
    await tick()

    socket.connection_lost(problem)

    assert socket.lost.done()
    assert socket._phase is Phase.CLOSED
    assert Handler.lost_with == [problem]
    assert not wire.aborted, "asyncio would lose it twice"
    remembered = weakref.ref(socket.lost)
    wire.set_protocol(Handler())
    del socket
    await tick()
    gc.collect()
    assert remembered() is None, "no timer keeps it"


async def test_a_quiet_peer_is_pinged_once_and_then_aborted() -> None:
    socket, wire = served()
    socket.data_received(HELLO)
    await tick()
    ping = socket._limits.ping

    for quiet in (0.5, 0.8, 0.9, 1.1):
        socket.check(socket.heard + quiet * ping)
        await tick()
    assert (b"".join(wire.written).count(b"\x89\x00"), wire.aborted) == (1, False)
    socket.check(socket.heard + 1.25 * ping)

    assert wire.aborted


PINGED = b"\x89\x00"  # by the server


def pings(wire: Wire) -> int:
    return b"".join(wire.written).count(PINGED)


async def test_a_page_that_pings_and_falls_silent_is_asked_soon_and_only_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [1_000.0]
    monkeypatch.setattr("server.web.websocket.monotonic", lambda: now[0])
    socket, wire = served()
    socket.data_received(HELLO + ASK)

    async def pings_after(silence: float) -> int:
        now[0] = socket.heard + silence * socket._limits.quiet
        socket.check(now[0])
        await tick()
        return pings(wire)

    assert await pings_after(0.9) == 0
    assert await pings_after(1.1) == 1
    assert await pings_after(1.2) == 1
    socket.data_received(frame(PONG))  # a hidden page answers, and pings no more for a while
    assert await pings_after(1.1) == 1
    socket.data_received(ASK)
    assert await pings_after(1.1) == 2


async def test_who_never_pings_is_not_asked_early() -> None:
    socket, wire = served()
    socket.data_received(HELLO)

    socket.check(socket.heard + 1.5 * socket._limits.quiet)
    await tick()

    assert pings(wire) == 0


async def test_a_missing_pong_makes_a_player_absent_until_they_are_heard_again() -> None:
    house = new_house(limits=Limits(pong=0.01))
    host = await open_room(house.rooms, HER)
    socket, wire = served(house)
    socket.data_received(ADAS_HELLO + WATCH + ASK)
    await ticks()
    assert host.audience.is_online(Mark.X)

    socket.heard -= 1.1 * socket._limits.quiet
    socket.check(monotonic())
    await asyncio.sleep(0.02)
    assert not host.audience.is_online(Mark.X)
    assert not wire.aborted

    socket.data_received(frame(PONG))
    assert socket.is_absent
    socket.check(monotonic())
    assert host.audience.is_online(Mark.X)


async def test_a_pong_in_time_changes_nothing() -> None:
    house = new_house(limits=Limits(pong=0.02))
    host = await open_room(house.rooms, HER)
    socket, _ = served(house)
    socket.data_received(ADAS_HELLO + WATCH + ASK)
    await ticks()

    socket.heard -= 1.1 * socket._limits.quiet
    socket.check(monotonic())
    await asyncio.sleep(0.005)
    socket.data_received(frame(PONG))
    await asyncio.sleep(0.03)

    assert host.audience.is_online(Mark.X)


async def test_nobody_is_aborted_or_absent_because_our_own_loop_stood_still(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    house = new_house(limits=Limits(pong=0.01))
    sockets = Sockets(house, Entrance(house, (), Proxies(())))
    quiet, asked = served(house)[0], served(house)[0]
    sockets._open |= {quiet, asked}
    for socket in sockets._open:
        socket.data_received(HELLO + ASK)
    asked.heard -= 1.1 * house.limits.quiet
    now = monotonic()
    house.stalls.measure(now)
    asked.check(now)

    monkeypatch.setattr("server.web.websocket.monotonic", lambda: now + 60.0)
    await asyncio.sleep(0.02)  # the pong is late, and so are we
    assert not asked.is_absent
    sockets.sweep()

    assert (quiet.is_absent, asked.is_absent) == (False, False)
    assert not any(socket._transport.is_closing() for socket in sockets._open)
    assert now + 60.0 - quiet.heard < 1.0
    assert asked._pinged > asked.heard, "it has still not answered"


async def test_the_sweep_looks_at_whoever_is_silent_however_short_the_limits_are() -> None:
    for limits in (Limits(), Limits(ping=3.0)):
        house = new_house(limits=limits)
        sockets = Sockets(house, Entrance(house, (), Proxies(())))
        socket, wire = served(house)
        sockets._open.add(socket)
        socket.data_received(HELLO)
        socket.heard -= 0.8 * limits.ping
        sockets.sweep()
        await tick()
        assert pings(wire) == 1


async def test_a_request_that_ends_with_a_fault_does_not_hold_the_close_up() -> None:
    socket, wire = served()
    socket.data_received(HELLO)
    socket._peer.is_busy = True
    socket.close(Close.RESTARTING, "restarting")
    await tick()
    assert wire.close_code is None, "the request under way may still be answered"

    socket._peer.is_busy = False
    socket._continue(ZeroDivisionError())
    await tick()

    assert wire.close_code == 1012


async def test_a_restart_does_not_wait_long_for_a_peer_that_never_answers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("server.web.websocket.RESTART_WITHIN", 0.01)
    house = new_house()
    sockets, wire = Sockets(house, Entrance(house, (), Proxies(()))), Wire()
    socket = Socket(wire, house, "192.0.2.1")
    sockets._open.add(socket)

    closing = asyncio.create_task(sockets.close())
    await asyncio.sleep(0.05)
    assert (wire.close_code, wire.closed, wire.aborted) == (1012, True, False)
    socket.connection_lost(None)

    await closing
