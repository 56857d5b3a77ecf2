"""The line that comes back, against a server that behaves badly on purpose."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Any

import pytest
from websockets.asyncio.server import ServerConnection, serve
from websockets.http11 import Request as Handshake
from websockets.http11 import Response

import noughts
from noughts import line
from noughts.client import Connection

HANG = 20.0  # seconds; only a hang takes so long
WELCOME = {
    "type": "welcome", "protocol": 1, "player": {"id": "me", "name": "Ada"}, "token": "t" * 43,
    "now": 0, "variants": [], "phrases": [], "server": {"version": "9"},
    "limits": {"cover_after": 1, "claim_after": 1, "commands_per_second": 1000,
               "commands_at_once": 1000, "rooms_followed": 64},
}  # fmt: skip
STATE = {
    "type": "state", "room": "r", "public": True, "seq": 2, "game": 1, "board": [None] * 9,
    "variant": {"name": "3x3", "rows": 3, "columns": 3, "line": 3}, "moves": [], "turn": None,
    "status": "waiting", "outcome": None, "score": {"X": 0, "O": 0, "draws": 0}, "rematch": [],
    "seats": {"X": {"kind": "human", "player": "me", "name": "Ada"}, "O": {"kind": "open"}},
    "clock": None,
}  # fmt: skip

Frame = dict[str, Any]
Answering = Callable[["Stub", ServerConnection, Frame], Awaitable[None]]


class Stub:
    """Welcomes everybody and keeps what it was asked; `answer` does the rest."""

    def __init__(self, answer: Answering) -> None:
        self.asked: list[Frame] = []
        self.statuses: list[int] = []  # of the next handshakes, instead of a socket
        self.handshakes = 0
        self.url = ""
        self._answer = answer

    def turn_away(self, socket: ServerConnection, _: Handshake) -> Response | None:
        self.handshakes += 1
        if not self.statuses:
            return None
        status = HTTPStatus(self.statuses.pop(0))
        return socket.respond(status, status.phrase)

    async def handle(self, socket: ServerConnection) -> None:
        async for text in socket:
            request = json.loads(text)
            if request["type"] == "hello":
                await send(socket, WELCOME, re=request.get("id"))
            else:
                self.asked.append(request)
                await self._answer(self, socket, request)


async def send(socket: ServerConnection, frame: Frame, **fields: object) -> None:
    await socket.send(json.dumps(frame | fields))


async def accept(stub: Stub, socket: ServerConnection, request: Frame) -> None:
    """As a server that is well."""
    await send(socket, {"type": "accepted"}, re=request["id"], room="r", seq=2)
    await send(socket, STATE)


@asynccontextmanager
async def connected(answer: Answering = accept) -> AsyncIterator[tuple[Stub, Connection]]:
    async with (
        asyncio.timeout(HANG),
        stubbed(answer) as stub,
        noughts.connect(stub.url, name="Ada") as me,
    ):
        yield stub, me


@asynccontextmanager
async def stubbed(answer: Answering = accept) -> AsyncIterator[Stub]:
    stub = Stub(answer)
    async with serve(
        stub.handle, "127.0.0.1", 0, process_request=stub.turn_away, close_timeout=0.1
    ) as server:
        stub.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        yield stub


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FIRST_WAIT", "LONGEST_WAIT", "POLITE_FIRST", "ASK_AGAIN"):
        monkeypatch.setattr(line, name, 0.02)


@pytest.mark.parametrize("reason", ["retry", "too_fast", "draining"])
async def test_a_server_that_cannot_just_now_is_asked_again(reason: str) -> None:
    async def answer(stub: Stub, socket: ServerConnection, request: Frame) -> None:
        if len(stub.asked) < 3:
            await send(
                socket, {"type": "refused"}, re=request["id"], reason=reason, text="Not now."
            )
        else:
            await accept(stub, socket, request)

    async with connected(answer) as (stub, me):
        room = await me.create()

        assert room.state.seq == 2
        assert [request["nonce"] for request in stub.asked] == [stub.asked[0]["nonce"]] * 3


async def test_what_was_not_answered_is_asked_again_on_the_next_connection() -> None:
    async def answer(stub: Stub, socket: ServerConnection, request: Frame) -> None:
        if len(stub.asked) == 1:
            await socket.close(1012)
        else:
            await accept(stub, socket, request)

    async with connected(answer) as (stub, me):
        await me.create()

        assert stub.handshakes == 2
        first, second = stub.asked
        assert first == second


async def test_standing_orders_come_first_on_the_next_connection() -> None:
    async def answer(stub: Stub, socket: ServerConnection, request: Frame) -> None:
        if request["type"] == "resign" and stub.handshakes == 1:
            await socket.close(1012)
        elif request["type"] != "lobby":
            await accept(stub, socket, request)

    async with connected(answer) as (stub, me):
        room = await me.watch("r")

        async def read() -> None:
            await anext(me.lobby())

        reading = asyncio.create_task(read())
        while len(stub.asked) < 2:
            await asyncio.sleep(0.01)
        await room.resign()
        reading.cancel()

        assert [it["type"] for it in stub.asked][-4:] == ["resign", "watch", "lobby", "resign"]


async def test_after_1008_it_never_comes_back() -> None:
    async def answer(stub: Stub, socket: ServerConnection, request: Frame) -> None:
        if request["type"] == "resign":
            await socket.close(1008, "too many frames")
        else:
            await accept(stub, socket, request)

    async with connected(answer) as (stub, me):
        room = await me.watch("r")
        states = aiter(room.states())
        await anext(states)
        with pytest.raises(noughts.Unreachable, match="has closed the connection: too many frames"):
            await room.resign()
        with pytest.raises(noughts.Unreachable):
            await anext(states)
        with pytest.raises(noughts.Unreachable):
            await me.create()
        await asyncio.sleep(0.2)

        assert stub.handshakes == 1


async def test_an_address_that_is_banned_stays_away() -> None:
    async def answer(stub: Stub, socket: ServerConnection, request: Frame) -> None:
        stub.statuses = [403]
        await socket.close(1012)

    async with connected(answer) as (stub, me):
        with pytest.raises(noughts.Unreachable, match="let this address in"):
            await me.watch("r")
        await asyncio.sleep(0.2)

        assert stub.handshakes == 2


@pytest.mark.parametrize(
    ("status", "text"),
    [(403, "let this address in"), (404, "of Noughts?"), (429, "too many"), (503, "full")],
)
async def test_a_handshake_that_is_refused_at_first_has_a_sentence(status: int, text: str) -> None:
    async with stubbed() as stub:
        stub.statuses = [status]
        with pytest.raises(noughts.Unreachable, match=text) as problem:
            async with noughts.connect(stub.url):
                pass
        assert problem.value.is_final == (status == 403)
        assert problem.value.is_polite == (status != 403)


async def test_a_server_that_is_full_for_a_while_is_tried_again() -> None:
    async def answer(stub: Stub, socket: ServerConnection, request: Frame) -> None:
        if len(stub.asked) == 1:
            stub.statuses = [503, 404, 429, 502]
            await socket.close(1012)
        else:
            await accept(stub, socket, request)

    async with connected(answer) as (stub, me):
        await me.watch("r")

        assert stub.handshakes == 6


def test_a_polite_wait_is_longer_and_no_wait_grows_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.undo()
    polite = [line._wait(attempt, is_polite=True) for attempt in range(3000)]
    others = [line._wait(attempt, is_polite=False) for attempt in range(3000)]

    assert min(polite) >= 2.5
    assert max(polite) <= 60
    assert max(others[:3]) <= 1
    assert max(others) <= 1.5


async def test_a_hello_that_is_refused_is_a_refusal() -> None:
    async def refuse(socket: ServerConnection) -> None:
        refusal = {"type": "refused", "reason": "unsupported_protocol", "text": "Another one."}
        await socket.recv()
        await send(socket, refusal, re=None)

    async with serve(refuse, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(noughts.Refused, match="Another one") as refused:
            async with noughts.connect(f"http://127.0.0.1:{port}"):
                pass

    assert refused.value.reason == "unsupported_protocol"


async def test_frames_of_a_newer_server_do_no_harm() -> None:
    async def answer(stub: Stub, socket: ServerConnection, request: Frame) -> None:
        await send(socket, {"type": "fireworks", "room": "r"})
        await send(socket, {"type": "accepted"}, re=request["id"], room="r", seq=2, more=True)
        await send(socket, STATE, weather="fine")

    async with connected(answer) as (_, me):
        room = await me.watch("r")

        assert room.state.seq == 2


async def test_a_line_that_nobody_answers_on_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line, "PING_EVERY", 0.05)
    monkeypatch.setattr(line, "PONG_WITHIN", 0.05)

    async def answer(stub: Stub, socket: ServerConnection, request: Frame) -> None:
        if stub.handshakes == 1:
            socket.transport.pause_reading()  # nothing is read, and so nothing answered
        else:
            await accept(stub, socket, request)

    async with connected(answer) as (stub, me):
        await me.watch("r")

        assert stub.handshakes == 2


async def test_leaving_ends_what_is_under_way() -> None:
    async def answer(stub: Stub, socket: ServerConnection, request: Frame) -> None:
        pass

    async with connected(answer) as (stub, me):
        asking = asyncio.create_task(me.create())
        while not stub.asked:
            await asyncio.sleep(0.01)
    with pytest.raises(noughts.Unreachable, match="This program has closed"):
        await asking


async def test_a_command_that_nobody_waits_for_any_more_is_not_asked_again() -> None:
    async def answer(stub: Stub, socket: ServerConnection, request: Frame) -> None:
        if request["type"] == "watch":
            await socket.close(1012)
        await accept(stub, socket, request) if request["type"] == "create" else None

    async with connected(answer) as (stub, me):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await me.watch("r")
        asked = len(stub.asked)
        await me.create()

        assert [it["type"] for it in stub.asked[asked:]] == ["create"]


async def test_a_room_that_the_operator_removes_ends_with_what_they_say() -> None:
    async def answer(stub: Stub, socket: ServerConnection, request: Frame) -> None:
        await accept(stub, socket, request)
        if request["type"] == "say":
            await send(socket, {"type": "closed", "room": "r", "text": "Cheating."})

    async with connected(answer) as (_, me):
        room = await me.watch("r")
        await room.say("oops")
        with pytest.raises(noughts.Refused, match="Cheating") as refused:
            async for _ in room.states():
                pass
        assert refused.value.reason == "no_such_room"
