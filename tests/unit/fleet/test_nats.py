"""NATS as the engine, with a real server. The contract of the store is in `store/test_store.py`."""

from __future__ import annotations

import asyncio
import shutil
import signal
import subprocess
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest

from server.core.events import Event
from server.fleet.nats import NatsEngine, connect
from server.fleet.store import FleetStore
from server.metrics import Times
from server.store import CannotOpen, Unavailable
from tests.support.engines import (
    PROGRAM,
    NatsServer,
    address,
    free_ports,
    nats_cluster,
    nats_server,
)
from tests.support.logs import OPENED, OTHER, ROOM, SEATED, move
from tests.support.secrets import make_certificate, make_credentials

HANG = 20.0  # seconds; only a hang takes so long


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[NatsServer]:
    async with nats_server(tmp_path) as started:
        yield started


@pytest.fixture
async def engines(server: NatsServer) -> AsyncIterator[tuple[NatsEngine, NatsEngine]]:
    """The engines of two nodes."""
    both = await connect(address(server)), await connect(address(server))
    yield both
    for engine in both:
        await engine.close()


class Scene:
    """The stores of two nodes. `heard`: what the second one was told about the room."""

    def __init__(self, engines: tuple[NatsEngine, NatsEngine]) -> None:
        self.heard: list[Event] = []
        self.changed = asyncio.Event()
        self.stores = [FleetStore(engine, Times()) for engine in engines]

    @classmethod
    async def new(cls, engines: tuple[NatsEngine, NatsEngine]) -> Scene:
        scene = cls(engines)
        scene.stores[1].follow(ROOM, scene.hear)
        assert await scene.stores[1].load(ROOM) == []
        return scene

    def hear(self, length: int, events: object) -> None:
        assert isinstance(events, list)
        self.heard = [*self.heard[: length - len(events)], *events]
        self.changed.set()

    async def until_heard(self, log: list[Event]) -> None:
        async with asyncio.timeout(HANG):
            while self.heard != log:
                self.changed.clear()
                await self.changed.wait()


async def test_what_one_node_appends_the_other_hears(
    engines: tuple[NatsEngine, NatsEngine],
) -> None:
    scene = await Scene.new(engines)
    ann, bob = scene.stores

    await ann.append_and_wait(ROOM, 0, [OPENED, SEATED])
    await ann.append_and_wait(ROOM, 2, [move(0)])
    await scene.until_heard([OPENED, SEATED, move(0)])

    assert await bob.load(ROOM) == scene.heard
    await bob.append_and_wait(ROOM, 3, [move(1)])
    assert await ann.load(ROOM, 3) == [move(1)]


async def test_what_was_appended_while_a_node_was_not_connected_is_heard_afterwards(
    server: NatsServer, engines: tuple[NatsEngine, NatsEngine]
) -> None:
    scene = await Scene.new(engines)
    ann, bob = scene.stores
    await ann.append_and_wait(ROOM, 0, [OPENED])
    await scene.until_heard([OPENED])
    assert await bob.load(ROOM) == [OPENED]
    engines[1].unfollow(ROOM)  # as if nothing were delivered any more

    await ann.append_and_wait(ROOM, 1, [SEATED])
    await engines[1].line.note_reconnect()

    await scene.until_heard([OPENED, SEATED])


async def test_all_survives_a_killed_server_and_is_written_again_once_it_is_back(
    server: NatsServer, engines: tuple[NatsEngine, NatsEngine]
) -> None:
    ann, bob = (await Scene.new(engines)).stores
    await ann.append_and_wait(ROOM, 0, [OPENED, SEATED])
    await server.end(signal.SIGKILL)
    with pytest.raises(Unavailable):
        await ann.append_and_wait(ROOM, 2, [move(0)])
    assert not await bob.can_write()

    await server.start()
    async with asyncio.timeout(HANG):
        while not await bob.can_write():
            await asyncio.sleep(0.05)

    found = await bob.load(ROOM)
    assert found in ([OPENED, SEATED], [OPENED, SEATED, move(0)])
    await bob.append_and_wait(ROOM, len(found), [move(1)])


async def test_a_client_that_has_closed_for_good_is_replaced(
    engines: tuple[NatsEngine, NatsEngine],
) -> None:
    scene = await Scene.new(engines)
    ann, bob = scene.stores
    await ann.append_and_wait(ROOM, 0, [OPENED])
    await scene.until_heard([OPENED])
    await bob.load(ROOM)

    await engines[1].line._client.close()  # as it does after some errors of the server
    await ann.append_and_wait(ROOM, 1, [SEATED])

    await scene.until_heard([OPENED, SEATED])
    async with asyncio.timeout(HANG):
        while not await bob.can_write():
            await asyncio.sleep(0.05)
    await ann.append_and_wait(ROOM, 2, [move(0)])
    await scene.until_heard([OPENED, SEATED, move(0)])


async def test_a_question_is_answered_or_it_is_known_at_once_that_nobody_listens(
    engines: tuple[NatsEngine, NatsEngine],
) -> None:
    ann, bob = engines
    assert await ann.ask("room.x", b"?") is None
    bob.subscribe("room.x", lambda question: question * 2)
    await bob.probe()

    assert await ann.ask("room.x", b"?") == b"??"
    assert await bob.ask("room.x", b"?") is None  # a node does not hear itself
    bob.unsubscribe("room.x")
    is_asked = True
    async with asyncio.timeout(HANG):
        while is_asked:
            with suppress(Unavailable):  # a question may be under way at that moment
                is_asked = await ann.ask("room.x", b"?") is not None


async def test_a_question_to_a_node_that_hangs_is_unavailable(
    engines: tuple[NatsEngine, NatsEngine],
) -> None:
    engines[1].subscribe("room.x", lambda _: None)
    await engines[1].probe()

    with pytest.raises(Unavailable):
        await engines[0].ask("room.x", b"?")


async def test_two_installations_share_a_server_and_no_room(server: NatsServer) -> None:
    one = FleetStore(await connect(address(server, options="?prefix=one")), Times())
    two = FleetStore(await connect(address(server, options="?prefix=two&replicas=1")), Times())

    await one.append_and_wait(ROOM, 0, [OPENED])
    await two.append_and_wait(OTHER, 0, [OPENED])

    assert [entry.room for entry in await one.rooms()] == [ROOM]
    assert [entry.room for entry in await two.rooms()] == [OTHER]
    assert await one.load(OTHER) == []
    await one.close()
    await two.close()


async def test_a_log_of_many_messages_is_read_whole(
    engines: tuple[NatsEngine, NatsEngine], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.fleet.nats.BATCH", 7)
    ann, bob = (await Scene.new(engines)).stores
    moves = [move(number % 9) for number in range(40)]
    for length, event in enumerate(moves):
        await ann.append_and_wait(OTHER, length, [event])

    assert await bob.load(OTHER) == moves
    assert await bob.load(OTHER, 30) == moves[30:]


async def test_an_address_where_nobody_listens_is_explained_in_one_sentence() -> None:
    [port] = free_ports(1)

    with pytest.raises(CannotOpen, match=f"no NATS server can be used at .*{port}") as problem:
        await connect(f"nats://127.0.0.1:{port}")

    assert "\n" not in str(problem.value)


async def test_a_server_without_jetstream_is_explained(tmp_path: Path) -> None:
    [port] = free_ports(1)
    server = NatsServer(tmp_path, "plain", port, jetstream=False)
    await server.start()

    try:
        with pytest.raises(CannotOpen, match="no server has JetStream"):
            await connect(address(server))
    finally:
        await server.end()


async def test_a_token_is_needed_where_the_server_wants_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    [port] = free_ports(1)
    server = NatsServer(tmp_path, "closed", port, "authorization { token: secret }")
    await server.start()

    try:
        with pytest.raises(CannotOpen, match="no NATS server can be used"):
            await connect(address(server))
        monkeypatch.setenv("NATS_TOKEN", "secret")
        await (await connect(address(server))).close()
    finally:
        await server.end()


async def test_credentials_in_a_file_are_enough_and_needed(tmp_path: Path) -> None:
    [port] = free_ports(1)
    server = NatsServer(tmp_path, "signed", port, make_credentials(tmp_path / "user.creds"))
    await server.start()

    try:
        with pytest.raises(CannotOpen, match="no NATS server can be used"):
            await connect(address(server))
        engine = await connect(address(server, options=f"?creds={tmp_path}/user.creds"))
        await engine.probe()
        await engine.close()
    finally:
        await server.end()


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is missing")
async def test_a_server_with_tls_is_trusted_if_its_authority_is(tmp_path: Path) -> None:
    certificate, key = make_certificate(tmp_path)
    [port] = free_ports(1)
    tls = f'tls {{ cert_file: "{certificate}", key_file: "{key}" }}'
    server = NatsServer(tmp_path, "safe", port, tls)
    await server.start()

    try:
        with pytest.raises(CannotOpen, match="certificate"):
            await connect(address(server, options="?tls=1"))
        engine = await connect(address(server, options=f"?ca={certificate}"))
        await engine.probe()
        await engine.close()
    finally:
        await server.end()


async def test_no_secret_is_sent_to_a_server_without_tls_if_tls_is_wanted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NATS_TOKEN", "secret")
    received: list[bytes] = []

    async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b'INFO {"server_id":"x","version":"2.15.0","max_payload":1000}\r\n')
        received.append(await reader.read())
        writer.close()

    async with await asyncio.start_server(greet, "127.0.0.1", 0) as listening:
        port = listening.sockets[0].getsockname()[1]
        with pytest.raises(CannotOpen, match="does not use TLS"):
            await connect(f"nats://127.0.0.1:{port}?tls=1")

    assert not any(received)


async def test_a_node_waits_for_a_cluster_that_is_still_starting(tmp_path: Path) -> None:
    async with nats_cluster(tmp_path) as servers:
        for server in servers[1:]:
            await server.end()
        connecting = asyncio.create_task(connect(address(*servers)))
        await asyncio.sleep(1.5)  # longer than one question may take
        assert not connecting.done()

        for server in servers[1:]:
            await server.start()
        engine = await connecting
        await engine.probe()
        await engine.close()


async def test_a_server_that_is_too_old_is_explained(
    server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.fleet.nats.OLDEST", (99, 0))

    with pytest.raises(CannotOpen, match="too old"):
        await connect(address(server))


async def test_more_copies_than_there_are_servers_are_refused(server: NatsServer) -> None:
    with pytest.raises(CannotOpen, match="cannot be made"):
        await connect(address(server, options="?replicas=3"))


async def test_a_stream_that_is_not_as_the_address_asks_is_explained(server: NatsServer) -> None:
    await (await connect(address(server, options="?prefix=club"))).close()

    with pytest.raises(CannotOpen, match="CLUB_PROBE keeps 1 copies and not 3"):
        await connect(address(server, options="?prefix=club&replicas=3"))
    with pytest.raises(CannotOpen, match=r"CLUB_PROBE is for club\.probe and not Club\.probe"):
        await connect(address(server, options="?prefix=Club"))


def test_the_server_of_the_tests_is_the_one_that_is_supported() -> None:
    found = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, check=True)

    assert "v2.15" in found.stdout
