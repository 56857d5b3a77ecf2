"""Requests that are no valid handshake, and handshakes that ask for features we lack."""

from __future__ import annotations

from collections.abc import Callable

from tests.ordeals.hostile.arena import Attack
from tests.ordeals.hostile.catalogue import Group
from tests.support.bare import handshake, text

group = Group(__name__)

Request = Callable[[str], bytes]  # of the server's host and port


def answered(name: str, status: int, request: Request) -> None:
    async def act(attack: Attack) -> None:
        async with attack.tcp() as peer:
            peer.write(request(attack.host))
            assert await peer.status() == status

    group.add(name, f"it is told {status}", act)


answered("asks for version 12", 400, lambda h: handshake(h, Sec_WebSocket_Version="12"))
answered("asks for no version", 400, lambda h: handshake(h, Sec_WebSocket_Version=None))
answered("brings no key", 400, lambda h: handshake(h, Sec_WebSocket_Key=None))
answered("brings a key that is not base64", 400, lambda h: handshake(h, Sec_WebSocket_Key="!!"))
answered("brings a key of three bytes", 400, lambda h: handshake(h, Sec_WebSocket_Key="QUFB"))
answered(
    "brings a key that is not ASCII",
    400,
    lambda h: handshake(h, Sec_WebSocket_Key="\xe9" * 24),
)
answered("does not ask to be upgraded", 400, lambda h: handshake(h, Upgrade=None, Connection=None))
answered("would be upgraded to h2c", 400, lambda h: handshake(h, Upgrade="h2c"))
answered("upgrades and closes at once", 400, lambda h: handshake(h, Connection="close"))
answered("posts to the socket", 405, lambda h: handshake(h, start="POST /ws HTTP/1.1"))
answered("looks for the socket elsewhere", 404, lambda h: handshake(h, start="GET //ws HTTP/1.1"))
answered("comes from another site's page", 403, lambda h: handshake(h, Origin="https://evil.test"))
answered("comes from a page without an origin", 403, lambda h: handshake(h, Origin="null"))
answered("comes from another port's page", 403, lambda h: handshake(h, Origin="http://127.0.0.1:1"))
answered("comes from an origin like ours", 403, lambda h: handshake(h, Origin=f"http://{h}.test"))
answered("comes from an origin of 7 KB", 403, lambda h: handshake(h, Origin="http://" + "a" * 7000))
answered("expects the moon", 417, lambda h: handshake(h, Expect="moon"))
answered("talks TLS", 400, lambda _: b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(500))
answered("talks nonsense", 400, lambda _: b"let me in\r\n\r\n")
answered("talks HTTP/2", 400, lambda _: b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
answered("talks HTTP/9.9", 400, lambda h: handshake(h, start="GET /ws HTTP/9.9"))
answered("names no host", 400, lambda h: handshake(h, Host=None))
answered("names two hosts", 400, lambda h: handshake(h, "Host: evil.test"))
answered("sends a header of 20 KB", 400, lambda h: handshake(h, "X: " + "a" * 20_000))
answered("sends 10 000 headers", 400, lambda h: handshake(h, *["X: a"] * 10_000))
answered("puts a zero into a header", 400, lambda h: handshake(h, "X: a\0b"))
answered("ends its lines with LF", 400, lambda h: handshake(h).replace(b"\r\n", b"\n"))
answered(
    "gives two lengths for its body",
    400,
    lambda h: handshake(h, "Content-Length: 5", "Transfer-Encoding: chunked") + b"0\r\n\r\n",
)
answered(
    "asks for a path of 20 KB",
    400,
    lambda h: handshake(h, start=f"GET /{'a' * 20_000} HTTP/1.1"),
)
answered(
    "climbs out of the client's folder",
    404,
    lambda h: handshake(h, start="GET /client/..%2fserver%2fapp.py HTTP/1.1"),
)
answered(
    "asks for a room with zeros and slashes in its name",
    404,
    lambda h: handshake(h, start="GET /api/rooms/%00%2f..%2f%ff HTTP/1.1"),
)
answered(
    "wants a proxy", 404, lambda _: b"CONNECT evil.test:80 HTTP/1.1\r\nHost: evil.test\r\n\r\n"
)


def upgraded(name: str, reaction: str, request: Request) -> None:
    """An odd handshake that is accepted, without any extension or subprotocol."""

    async def act(attack: Attack) -> None:
        async with attack.tcp() as peer:
            peer.write(request(attack.host))
            head = (await peer.head()).lower()
            assert " 101 " in head.partition("\r\n")[0]
            assert "sec-websocket-extensions" not in head
            assert "sec-websocket-protocol" not in head
            assert (await peer.ask("hello", protocol=1))["type"] == "welcome"

    group.add(name, reaction, act)


upgraded("names an absurd host", "it is served", lambda _: handshake("<script>:99999999"))
upgraded("talks HTTP/1.0", "it is served", lambda h: handshake(h, start="GET /ws HTTP/1.0"))
upgraded(
    "offers to compress",
    "the offer is declined",
    lambda h: handshake(h, Sec_WebSocket_Extensions="permessage-deflate; client_max_window_bits"),
)
upgraded(
    "offers a hundred subprotocols",
    "all are declined",
    lambda h: handshake(h, Sec_WebSocket_Protocol=", ".join(f"p{n}" for n in range(100))),
)


@group.case("sends frames right behind the handshake, unasked", "they are answered in order")
async def _(attack: Attack) -> None:
    async with attack.tcp() as peer:
        hello = text({"type": "hello", "protocol": 1, "id": "a"})
        peer.write(handshake(attack.host), hello, text({"type": "ping", "id": "b"}))
        assert await peer.status() == 101
        assert [(await peer.answer())["re"] for _ in range(2)] == ["a", "b"]


@group.case("is upgraded and asks for a page as if it were not", "it is closed with 1002")
async def _(attack: Attack) -> None:
    async with attack.upgraded() as peer:
        peer.write(handshake(attack.host))
        assert await peer.closed() == 1002


@group.case("leaves in the middle of its handshake", "nobody waits for the rest")
async def _(attack: Attack) -> None:
    for end in (1, 20, 60, -3):
        async with attack.tcp() as peer:
            peer.write(handshake(attack.host)[:end])
            await peer.writer.drain()
            peer.reset()
