"""docs/protocol.md §5: a room as a stream of lines, for spectators without a WebSocket."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import time
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from tests.support.bare import HANG
from tests.support.dialling import Player, dialled, seated_pair
from tests.support.fetching import fetch
from tests.support.serving import Served, serving
from tests.support.streaming import Reader, reading

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_reader_gets_the_state_now_and_after_every_change(
    server: Served, ada: Player, bob: Player
) -> None:
    room = await seated_pair(ada, bob)
    async with reading(server, room) as reader:
        assert reader.head.startswith("HTTP/1.1 200")
        assert "Content-Type: application/x-ndjson\r\n" in reader.head
        assert await reader.state() == fetch(server, f"/api/rooms/{room}").json
        for ply, cell in enumerate((4, 0, 8)):
            answer = await (ada, bob)[ply % 2].accept("play", room=room, cell=cell, ply=ply)
            state = await reader.state()
            assert (state["seq"], state["moves"][-1]) == (answer["seq"], cell)


async def test_a_reader_is_a_watcher_for_as_long_as_it_reads(server: Served, ada: Player) -> None:
    room = await ada.create()
    await ada.until(lambda frame: frame["type"] == "presence")
    async with reading(server, room) as one, reading(server, room) as other:
        await ada.until(lambda frame: frame.get("watchers") == 2)
        one.peer.reset()
        await ada.until(lambda frame: frame.get("watchers") == 1)
        assert (await other.state())["room"] == room
    await ada.until(lambda frame: frame.get("watchers") == 0)


async def test_only_states_reach_a_reader(server: Served, ada: Player, bob: Player) -> None:
    room = await seated_pair(ada, bob)
    async with reading(server, room) as reader:
        first = await reader.state()
        await ada.accept("say", room=room, phrase="wow")
        answer = await ada.accept("play", room=room, cell=0, ply=0)
        assert first["seq"] + 1 == (await reader.state())["seq"] == answer["seq"]


async def test_a_private_room_and_one_that_sleeps_can_be_read(tmp_path: Path) -> None:
    async with serving(tmp_path, store=f"sqlite:{tmp_path}/rooms.db") as server:
        async with dialled(server.ws) as ada:
            room = await ada.create(public=False)
        assert await server.stop() == 0
    again = serving(tmp_path, store=f"sqlite:{tmp_path}/rooms.db")
    async with again as server, reading(server, room) as reader:
        assert (await reader.state())["public"] is False


@pytest.mark.parametrize("room", ["AAAAAAAAAAAAAAAA", "%00", "x" * 300])
async def test_an_unknown_room_has_no_stream_and_the_answer_says_why(
    server: Served, room: str
) -> None:
    answer = fetch(server, f"/api/rooms/{room}/stream")

    assert (answer.status, answer.json) == (404, {"reason": "no_such_room"})


async def test_a_method_other_than_get_is_refused_and_head_ends_at_once(
    server: Served, ada: Player
) -> None:
    room = await ada.create()
    assert fetch(server, f"/api/rooms/{room}/stream", "POST").status == 405
    answer = fetch(server, f"/api/rooms/{room}/stream", "HEAD")
    assert (answer.status, answer.body) == (200, b"")
    assert answer.headers["content-type"] == "application/x-ndjson"


async def test_an_old_client_gets_plain_lines_until_the_connection_ends(
    server: Served, ada: Player, bob: Player
) -> None:
    room = await seated_pair(ada, bob)
    async with reading(server, room, version="1.0") as reader:
        assert "chunked" not in reader.head
        async with asyncio.timeout(HANG):
            assert json.loads(await reader.peer.reader.readline())["moves"] == []
            await ada.accept("play", room=room, cell=4, ply=0)
            assert json.loads(await reader.peer.reader.readline())["moves"] == [4]


async def test_bytes_behind_the_request_are_ignored(server: Served, ada: Player) -> None:
    room = await ada.create()
    async with reading(server, room) as reader:
        reader.peer.write(b"GET /healthz HTTP/1.1\r\n\r\n" * 1000)
        await reader.state()
        answer = await ada.accept("seat_ai", room=room, seat="O", level="easy")
        assert (await reader.state_at(answer["seq"]))["status"] == "playing"


async def test_curl_shows_each_state_as_it_comes(server: Served, ada: Player, bob: Player) -> None:
    if shutil.which("curl") is None:
        pytest.skip("there is no curl on this machine")
    room = await seated_pair(ada, bob)
    curl = await asyncio.create_subprocess_exec(
        "curl", "-sN", f"{server.url}/api/rooms/{room}/stream", stdout=asyncio.subprocess.PIPE
    )
    assert curl.stdout is not None
    try:
        async with asyncio.timeout(HANG):
            assert json.loads(await curl.stdout.readline())["moves"] == []
            await ada.accept("play", room=room, cell=2, ply=0)
            assert json.loads(await curl.stdout.readline())["moves"] == [2]
    finally:
        curl.kill()
        await curl.wait()


async def test_streams_end_cleanly_and_at_once_when_the_server_stops(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(serving(tmp_path, "--no-limits"))
        ada = await stack.enter_async_context(dialled(server.ws))
        room = await ada.create()
        readers = [await stack.enter_async_context(reading(server, room)) for _ in range(20)]
        lazy = await stack.enter_async_context(reading(server, room))
        lazy.peer.stop_reading()
        for reader in readers:
            await reader.state()
        begin = time.monotonic()
        stopped = asyncio.create_task(server.stop())
        for reader in readers:
            assert await reader.chunk() == b""
        assert await stopped == 0
        assert time.monotonic() - begin < 5
        assert "Traceback" not in server.log


async def test_streams_and_sockets_of_an_address_count_together(tmp_path: Path) -> None:
    served = serving(tmp_path, "--limit", "connections_per_address=3")
    async with served as server, dialled(server.ws) as ada:
        room = await ada.create()
        async with reading(server, room), reading(server, room) as other:
            answer = fetch(server, f"/api/rooms/{room}/stream")
            assert (answer.status, answer.json["reason"]) == (429, "too_many_connections")
            assert answer.json["text"].endswith(".")
            other.peer.reset()
            while fetch(server, f"/api/rooms/{room}/stream", "HEAD").status != 200:
                await asyncio.sleep(0.02)


async def test_a_full_server_opens_no_stream(tmp_path: Path) -> None:
    served = serving(tmp_path, "--limit", "connections=1")
    async with served as server, dialled(server.ws) as ada:
        answer = fetch(server, f"/api/rooms/{await ada.create()}/stream")
        assert (answer.status, answer.json["reason"]) == (503, "full")


async def gauge(server: Served, name: str) -> float:
    found = re.search(rf"^{name} (\S+)$", fetch(server, "/metrics").text, re.MULTILINE)
    assert found is not None
    return float(found[1])


async def test_a_quiet_room_is_shown_again_and_a_reader_that_reads_nothing_is_dropped(
    tmp_path: Path,
) -> None:
    options = ("--limit", "ping=0.4", "--limit", "patience=0.5", "--limit", "outbox_bytes=2048")
    async with serving(tmp_path, *options, "--no-limits") as server:
        async with dialled(server.ws) as ada:
            room = await ada.create(variant="ultimate")
        async with reading(server, room) as reader:
            assert await reader.state() == await reader.state()
        async with reading(server, room, window=2048) as lazy, asyncio.timeout(60):
            lazy.peer.stop_reading()
            while await gauge(server, "noughts_connections"):
                await asyncio.sleep(0.1)


async def test_a_slow_reader_misses_states_but_not_the_last_one(tmp_path: Path) -> None:
    options = ("--no-limits", "--limit", "outbox_bytes=2048", "--limit", "patience=60")
    async with serving(tmp_path, *options) as server, dialled(server.ws) as ada:
        seats = {"X": "me", "O": "me"}
        room = await ada.create(variant="vanishing", seats=seats)
        async with reading(server, room, window=2048) as reader:
            reader.peer.stop_reading()
            for _ in range(30):
                cells = [0, 1, 2, 3, 4, 5, 7, 6, 8, 0]
                state = await ada.watch(room)
                for ply, cell in enumerate(cells, len(state["moves"])):
                    await ada.ask("play", room=room, cell=cell, ply=ply)
                if (await ada.watch(room))["status"] == "over":
                    await ada.accept("rematch", room=room)
            last = (await ada.watch(room))["seq"]
            seqs = await seqs_of(reader, last)
            assert seqs == sorted(seqs)
            assert last not in seqs[:-1]
            assert len(seqs) < last


async def seqs_of(reader: Reader, last: int) -> list[int]:
    transport = reader.peer.writer.transport
    assert isinstance(transport, asyncio.Transport)
    transport.resume_reading()
    seqs: list[int] = []
    while not seqs or seqs[-1] < last:
        seqs.append((await reader.state())["seq"])
    return seqs
