"""The opening handshake of a WebSocket (RFC 6455, section 4): is it one, and what answers it.

aiohttp has read the request and writes the answer. From then on it keeps what the peer sends, until
`take_early` takes that over.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from contextlib import suppress
from hashlib import sha1

from aiohttp import web

VERSIONS = ("13", "8", "7")
GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


def is_handshake(request: web.Request) -> bool:
    """Whether the request means to open a socket, well-formed or not."""
    return request.headers.get("Upgrade", "").strip().lower() == "websocket"


def accept(request: web.Request) -> dict[str, str]:
    """The headers of the 101. No extension is accepted, and no subprotocol. 400 if it is broken."""
    headers = request.headers
    if "upgrade" not in headers.get("Connection", "").lower():
        raise web.HTTPBadRequest(text="This is a WebSocket. Send `Connection: Upgrade`.")
    if headers.get("Sec-WebSocket-Version") not in VERSIONS:
        raise web.HTTPBadRequest(text="Send `Sec-WebSocket-Version: 13`.")
    key = headers.get("Sec-WebSocket-Key", "")
    with suppress(NotBase64, ValueError):
        if len(b64decode(key)) == 16:
            proof = b64encode(sha1(key.encode() + GUID).digest()).decode()
            return {"Upgrade": "websocket", "Connection": "upgrade", "Sec-WebSocket-Accept": proof}
    raise web.HTTPBadRequest(text="`Sec-WebSocket-Key` must be 16 bytes in Base64.")


def take_early(request: web.Request) -> bytes:
    """The bytes of a peer that has not waited for the 101. aiohttp reads nothing after this."""
    early = _Early()
    request.protocol.set_parser(early)  # type: ignore[arg-type]  # all it needs is to be fed
    return early.data


class _Early:
    """Stands where aiohttp expects its own reader of frames."""

    def __init__(self) -> None:
        self.data = b""

    def feed_data(self, data: bytes) -> tuple[bool, bytes]:
        self.data += data
        return False, b""

    def feed_eof(self) -> None: ...
