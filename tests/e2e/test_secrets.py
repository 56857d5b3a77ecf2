"""docs/protocol.md §1: a token never appears in a URL, a log, a state, an error or a metric.

One server gets every kind of traffic, with tokens in all the places where a careless program might
put them. Then everything that the server has written anywhere is searched for tokens.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import struct
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, closing
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_urlsafe

import pytest

from tests.support.dialling import Player, dialled, play_out, seated_pair
from tests.support.fetching import fetch
from tests.support.serving import HANG, ROOT, Served

pytestmark = pytest.mark.asyncio(loop_scope="session")

# `python -m server` with a bug: answering a ping raises.
SERVER = """
import sys
from server.__main__ import main
from server.wire import frames
frames.pong = None
sys.exit(main())
"""
PART = 20  # characters of the 43: a leak of this many counts
ROUTES = ["/", "/r/{}", "/client/{}", "/client/main.js", "/api/rooms", "/api/rooms/{}", "/healthz",
          "/readyz", "/metrics", "/ws", "/ws/{}", "/{}", "/{}/..", "/%00{}"]  # fmt: skip
UPGRADE = [
    "Host: x",
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
]
# Requests that are invalid HTTP, and handshakes with a token in them.
REQUESTS = [
    ["{} / HTTP/1.1", "Host: x"],
    ["GET /{} {}", "Host: x"],
    ["GET /{} HTTP/9.9", "Host: x"],
    ["GET / HTTP/1.1", "Host: x", "{}"],
    ["GET / HTTP/1.1", "Host: x", "My token: {}"],
    ["GET / HTTP/1.1", "Host: x", "Content-Length: {}"],
    ["POST / HTTP/1.1", "Host: x", "Transfer-Encoding: chunked", "", "{}"],
    ["GET /ws HTTP/1.1", *UPGRADE, "Sec-WebSocket-Protocol: {}"],
    ["GET /ws HTTP/1.1", *UPGRADE, "Sec-WebSocket-Extensions: {}"],
    ["GET /ws HTTP/1.1", *UPGRADE[:-2], "Sec-WebSocket-Version: {}"],
    ["GET /ws HTTP/1.1", *UPGRADE[:-1], "Sec-WebSocket-Key: {}"],
]
# A token in the wrong field, or in a malformed frame.
FRAMES = [
    '{"type":"hello","protocol":1,"token":"%s!"}',
    '{"type":"hello","protocol":1,"token":"%sA"}',
    '{"type":"hello","protocol":1,"token":["%s"]}',
    '{"type":"hello","protocol":"1","token":"%s"}',
    '{"type":"hello","protocol":2,"token":"%s"}',
    '{"type":"hello","protocol":1,"token":"%s","password":""}',
    '{"type":"hello","protocol":1,"token":"%s"',
    '{"type":"ping","token":"%s"}',
    '{"type":"watch","room":"%s"}',
    '{"type":"watch","room":"%s","token":true}',
    '{"type":"create","nonce":"%s"}',
    '{"type":"lobby","on":"%s"}',
    '["hello","%s"]',
    '"%s"',
    "%s",
    "token=%s",
]


@dataclass
class Written:
    """Everything that the server has written, by place."""

    tokens: list[str] = field(default_factory=list)
    pieces: list[tuple[str, bytes]] = field(default_factory=list)

    def add(self, where: str, what: bytes | str | object) -> None:
        if not isinstance(what, bytes):
            what = (what if isinstance(what, str) else json.dumps(what)).encode()
        self.pieces.append((where, what))

    def leaks(self) -> Iterator[tuple[str, str]]:
        """Every place with a token or a part of one, and the text around it."""
        parts = [token[i : i + PART] for token in self.tokens for i in range(len(token) - PART + 1)]
        for where, what in self.pieces:
            for part in parts:
                if (at := what.find(part.encode())) >= 0:
                    yield where, what[max(0, at - 80) : at + 80].decode(errors="replace")
                    break


@asynccontextmanager
async def server_of(folder: Path, written: Written) -> AsyncIterator[Served]:
    """A server with verbose logs, whose standard output is kept as well."""
    output, log = folder / "output", folder / "log"
    with output.open("wb") as out, log.open("wb") as errors:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", SERVER, "--port=0", "--ai-pause=0", "--log-level=debug"),
            f"--store=sqlite:{folder / 'rooms.db'}",
            cwd=ROOT,
            stdout=out,
            stderr=errors,
            env={**os.environ, "PYTHONUNBUFFERED": "1", "PYTHONASYNCIODEBUG": "1"},
        )
    try:
        async with asyncio.timeout(HANG):
            while not output.read_text().endswith("\n"):
                await asyncio.sleep(0.02)
        yield Served(process, output.read_text().split()[-1], log)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
        written.add("standard output", output.read_bytes())
        written.add("standard error", log.read_bytes())


def keep_frames(written: Written, player: Player) -> None:
    """Keep the frames a player was sent. Its own token may be in its welcome and nowhere else."""
    for frame in player.seen:
        if frame["type"] == "welcome":
            frame = {**frame, "token": None if frame["token"] == player.token else frame["token"]}
        written.add(f"{frame['type']} to {player.welcome['player']['name']}", frame)
    written.add("goodbye", player.socket.close_reason or "")


async def play_everything(server: Served, folder: Path, written: Written) -> None:
    """Games, refusals, an AI, spectators and tabs. They stay until the server closes them."""
    known = token_urlsafe(32)
    async with AsyncExitStack() as stack:

        async def come(name: str, **token: str) -> Player:
            player = await stack.enter_async_context(
                dialled(server.ws, hello=True, name=name, **token)
            )
            written.tokens.append(player.token)
            return player

        ada, bob, eve = await come("Ada"), await come("Bob", token=known), await come("Eve")
        tab = await come("Ada", token=ada.token)
        assert bob.token == known
        await eve.accept("lobby", on=True)
        room = await seated_pair(ada, bob)
        for onlooker in (eve, tab):
            await onlooker.watch(room)
        await ada.accept("say", room=room, phrase="good_luck")
        assert await bob.reason("play", room=room, cell=0, ply=0) == "not_your_turn"
        assert await ada.reason("say", room=room, phrase=known) == "no_such_phrase"
        assert await ada.reason("create", variant=ada.token) == "no_such_variant"
        assert await ada.reason("create", seats={"X": "me", "O": {"ai": known}}) == "no_such_level"
        await play_out(room, (ada, bob), [0, 3, 1, 4, 2])
        await eve.ask("analyse", room=room, ply=2)
        for player in (ada, bob):
            await player.accept("rematch", room=room)
        alone = await ada.create(seats={"X": "me", "O": {"ai": "perfect"}}, nonce=ada.token)
        await ada.accept("play", room=alone, cell=4, ply=0)
        await ada.state(alone, lambda state: len(state["moves"]) == 2)
        await talk_nonsense(server, written, ada.token)
        await break_connections(server, ada.token)
        await fetch_everything(server, written, ada.token)
        await meet_our_fault(written, await come("Fay"))
        keep_files(folder, written)
        stopping = asyncio.create_task(server.stop())
        for player in (ada, bob, eve, tab):
            assert await player.closed() == 1012
            keep_frames(written, player)
        assert await stopping == 0


def keep_files(folder: Path, written: Written) -> None:
    """The database, and the files that SQLite keeps beside it."""
    for path in folder.glob("rooms.db*"):
        written.add(path.name, path.read_bytes())


async def talk_nonsense(server: Served, written: Written, token: str) -> None:
    """Every wrong frame, as the first frame and after a good hello."""
    for frame in FRAMES:
        for hello in (True, False):
            async with dialled(server.ws, hello=hello) as player:
                written.tokens += [player.token] if hello else []
                written.add(f"answer to {frame}", await player.raw(frame % token))
                await player.socket.close()
                written.add("goodbye", player.socket.close_reason or "")


async def break_connections(server: Served, token: str) -> None:
    """Drop connections in the middle of a request, a handshake and a frame."""
    upgrade = request(f"GET /ws?token={token} HTTP/1.1", *UPGRADE)
    hello = b'{"type":"hello","protocol":1,"token":"%b"}' % token.encode()
    masked = bytes((0x81, 0x80 | len(hello), 0, 0, 0, 0)) + hello
    for sent in (upgrade[:60], upgrade, upgrade + masked[:50], upgrade + masked):
        with closing(socket.create_connection(("127.0.0.1", server.port))) as peer:
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            peer.sendall(sent)
            await asyncio.sleep(0.05)  # then a reset, wherever the server is by then


def request(*lines: str) -> bytes:
    return "".join(f"{line}\r\n" for line in (*lines, "")).encode()


async def fetch_everything(server: Served, written: Written, token: str) -> None:
    """Every route, with the token in the path, in the query and in the headers."""
    for route in ROUTES:
        path = route.format(token)
        for asked in (path, f"{path}?token={token}"):
            for method in ("GET", "HEAD", "POST"):
                answer = await asyncio.to_thread(
                    lambda path, method: fetch(
                        server,
                        path,
                        method,
                        Authorization=f"Bearer {token}",
                        Cookie=f"token={token}",
                        Origin=f"https://{token}.example",
                        If_None_Match=f'"{token}"',
                    ),
                    asked,
                    method,
                )
                written.add(f"headers of {method} {route}", answer.headers)
                written.add(f"body of {method} {route}", answer.body)


async def meet_our_fault(written: Written, fay: Player) -> None:
    """Trigger the bug: the socket closes, and the log has a traceback."""
    await fay.send("ping")
    assert await fay.closed() == 1011
    keep_frames(written, fay)


async def test_no_token_is_in_anything_the_server_writes(tmp_path: Path) -> None:
    written = Written()
    async with server_of(tmp_path, written) as server:
        await play_everything(server, tmp_path, written)
    keep_files(tmp_path, written)

    assert "our fault" in (tmp_path / "log").read_text()
    assert len(set(written.tokens)) >= 4 + len(FRAMES)
    assert list(written.leaks()) == []


async def test_no_token_is_in_the_log_of_broken_requests(tmp_path: Path) -> None:
    """A response may repeat the request to its sender, but others read the log."""
    written = Written([token_urlsafe(32)])
    async with server_of(tmp_path, written) as server:
        for lines in REQUESTS:
            sent = request(*(line.replace("{}", written.tokens[0]) for line in lines))
            with closing(socket.create_connection(("127.0.0.1", server.port), HANG)) as peer:
                peer.sendall(sent)
                assert peer.recv(4096).startswith(b"HTTP/1."), lines
        assert fetch(server, "/healthz").status == 200

    assert list(written.leaks()) == []
    assert b"Traceback" not in dict(written.pieces)["standard error"]
