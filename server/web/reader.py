"""Reads WebSocket frames (RFC 6455) from bytes. Knows no socket.

`feed` takes bytes as they arrive, cut anywhere. `read` returns the next message: a whole text or
binary message, a ping or a pong. It returns None until more bytes have been fed, and raises
`Closing` at a close frame and at the first broken one. After that nothing more can be read.

Nothing is parsed before `read` asks for it, so bytes that cannot be handled yet stay as they are,
and `held` says how many there are. Fragments are joined. Frames without a mask are read as well.
"""

from __future__ import annotations

from noughts.messages import Close
from server.wire.closing import Closing

CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
FIN, RESERVED, OPCODE = 0x80, 0x70, 0x0F
MASKED, SIZE = 0x80, 0x7F
SMALL = 125  # bytes; a larger payload has its size in two or in eight bytes of their own
SIZE_BYTES = {126: 2, 127: 8}

# The codes a peer may close with: those of RFC 6455 and IANA's registry, or 3000 and above.
CLOSE_CODES = frozenset((*range(1000, 1004), *range(1007, 1015)))

Message = tuple[int, bytes]  # its opcode and its payload

_number = int.from_bytes


class Reader:
    """`largest`: bytes of a message. `is_fresh`: it is between two messages, and holds nothing.

    `is_over`: a close frame or a broken frame has been read.
    """

    __slots__ = ("_begun", "_buffer", "_largest", "_parts", "_start", "is_fresh", "is_over")

    def __init__(self, largest: int) -> None:
        self.is_fresh = True
        self.is_over = False
        self._largest = largest
        self._buffer = b""
        self._start = 0  # where the next frame begins in it
        self._begun = CONTINUATION  # the opcode of a message whose last fragment is to come
        self._parts = b""  # its payload so far

    @property
    def held(self) -> int:
        return len(self._buffer) - self._start

    def feed(self, data: bytes) -> None:
        if not self.is_over:
            self._buffer = self._buffer[self._start :] + data
            self._start = 0
            self.is_fresh = False

    def read(self) -> Message | None:
        """The next message, or None if it has not arrived. Raises `Closing` at the end."""
        try:
            while not self.is_over and (frame := self._read_frame()) is not None:
                message = self._join(*frame)
                if message is not None:
                    return message
        except Closing:
            self.is_over = True
            self.is_fresh = False
            self._buffer = self._parts = b""
            self._start = 0
            raise
        return None

    def _read_frame(self) -> tuple[int, bytes] | None:
        """The first byte of the next frame and its payload."""
        buffer, start = self._buffer, self._start
        if len(buffer) < start + 2:
            self._rest()
            return None
        first, size = buffer[start], buffer[start + 1] & SIZE
        self._check(first, size)
        body = start + 2
        if size > SMALL:
            body += SIZE_BYTES[size]
            if len(buffer) < body:
                return None
            size = _number(buffer[start + 2 : body])
        if size + len(self._parts) > self._largest and not first & CLOSE:
            raise Closing(Close.TOO_LARGE, f"a message has at most {self._largest} bytes")
        is_masked = buffer[start + 1] & MASKED
        if is_masked:
            body += 4
        end = body + size
        if len(buffer) < end:
            return None
        self._start = end
        return first, unmask(buffer, body, end) if is_masked else buffer[body:end]

    def _rest(self) -> None:
        """Let go of a buffer that has been read to its end."""
        if self._start == len(self._buffer):
            self._buffer = b""
            self._start = 0
            self.is_fresh = not self._begun

    def _check(self, first: int, size: int) -> None:
        """Whether such a frame may come here; told by its first two bytes."""
        opcode = first & OPCODE
        if first & RESERVED:
            raise Closing(Close.BROKEN_FRAMING, "no extension was agreed on")
        if opcode in (CLOSE, PING, PONG):
            if not first & FIN or size > SMALL:
                raise Closing(Close.BROKEN_FRAMING, "a control frame is whole and small")
        elif opcode not in (CONTINUATION, TEXT, BINARY):
            raise Closing(Close.BROKEN_FRAMING, "unknown opcode")
        elif (opcode == CONTINUATION) != bool(self._begun):
            raise Closing(Close.BROKEN_FRAMING, "fragments out of order")

    def _join(self, first: int, payload: bytes) -> Message | None:
        """The message that this frame is, or completes."""
        opcode = first & OPCODE
        if opcode == CLOSE:
            raise _read_close(payload)
        if opcode in (PING, PONG):
            return opcode, payload
        if not first & FIN:
            self._begun = self._begun or opcode
            self._parts += payload
            return None
        if opcode == CONTINUATION:
            opcode, payload = self._begun, self._parts + payload
            self._begun, self._parts = CONTINUATION, b""
        return opcode, payload


def unmask(data: bytes, body: int, end: int) -> bytes:
    """The payload between these two: each byte combined with one of the four before `body`.

    >>> unmask(b"\\x81\\x85\\x01\\x02\\x03\\x04igohn", 6, 11)
    b'hello'
    """
    size = end - body
    keys = data[body - 4 : body] * (size // 4 + 1)
    return (_number(data[body:end]) ^ _number(keys[:size])).to_bytes(size)


def _read_close(payload: bytes) -> Closing:
    """How to answer a close frame: with 1000, unless it is broken."""
    code = _number(payload[:2])
    if payload and (len(payload) == 1 or (code < 3000 and code not in CLOSE_CODES)):
        return Closing(Close.BROKEN_FRAMING, "not a close code")
    try:
        payload[2:].decode()
    except UnicodeDecodeError:
        return Closing(Close.NOT_UTF8, "the reason is not UTF-8")
    return Closing(Close.DONE, "")


def close_frame(code: int, why: str) -> bytes:
    payload = code.to_bytes(2) + why.encode()
    return bytes((FIN | CLOSE, len(payload))) + payload
