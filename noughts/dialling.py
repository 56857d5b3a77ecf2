"""One attempt to connect: the handshake, hello and welcome. Every failure gets a sentence."""

from __future__ import annotations

import asyncio
import os

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import (
    ConnectionClosed,
    InvalidHandshake,
    InvalidProxy,
    InvalidStatus,
    InvalidURI,
)

from noughts.address import Address
from noughts.errors import Refused, Unreachable
from noughts.messages import Close, Hello, Welcome, encode
from noughts.messages import Refused as RefusedFrame
from noughts.reading import read_frame

WITHIN = 10.0  # seconds for the handshake, and again for the welcome
LEAVE_WITHIN = 2.0  # seconds for the closing handshake

STATUSES = {
    403: "does not let this address in",
    404: "has no socket for a game. Is this the address of Noughts?",
    429: "has too many connections from this address",
    503: "is full, or about to restart",
}
FINAL = {403}  # the address is banned: asking again would not help
PATIENT = {404, 429, 503}  # asking again soon would be rude
WAITED_OUT = {"too_fast", "retry", "draining"}


async def dial(address: Address, hello: Hello) -> tuple[ClientConnection, Welcome]:
    """A connection with its welcome. Raises `Unreachable`, or `Refused` if hello is."""
    try:
        socket = await connect(
            address.socket,
            compression=None,
            open_timeout=WITHIN,
            close_timeout=LEAVE_WITHIN,
            ping_interval=None,  # `Line` looks after that
        )
    except InvalidStatus as problem:
        raise _turned_away(address, problem.response.status_code) from None
    except (InvalidHandshake, InvalidProxy, InvalidURI) as problem:
        raise Unreachable(f"{address.page} has no WebSocket: {problem}.") from None
    except TimeoutError:
        raise Unreachable(f"{address.page} does not answer.") from None
    except OSError as problem:
        raise Unreachable(f"Nothing answers at {address.page}: {_why(problem)}.") from None
    try:
        async with asyncio.timeout(WITHIN):
            return socket, await _greet(socket, hello)
    except ConnectionClosed:
        raise lost(address, socket) from None
    except TimeoutError:
        socket.transport.abort()
        raise Unreachable(f"{address.page} does not answer to hello.") from None
    except BaseException:
        socket.transport.abort()
        raise


async def _greet(socket: ClientConnection, hello: Hello) -> Welcome:
    await socket.send(encode(hello), text=True)
    while True:
        match read_frame(await socket.recv(decode=False)):
            case Welcome() as welcome:
                return welcome
            case RefusedFrame(reason=reason, text=text) if reason in WAITED_OUT:
                raise Unreachable(text)
            case RefusedFrame(reason=reason, text=text):
                raise Refused(reason, text)
            case _:
                continue


def _why(problem: OSError) -> str:
    """asyncio puts its own text where the system's belongs, except in its subclasses."""
    if type(problem).__module__ == "builtins" and problem.errno:
        return os.strerror(problem.errno)
    return problem.strerror or str(problem)


def _turned_away(address: Address, status: int) -> Unreachable:
    text = STATUSES.get(status, f"has answered with status {status} instead of a socket")
    end = "" if text.endswith("?") else f" ({status})."
    return Unreachable(
        f"{address.page} {text}{end}", is_final=status in FINAL, is_polite=status in PATIENT
    )


def lost(address: Address, socket: ClientConnection) -> Unreachable:
    """Why this connection is gone."""
    if socket.close_code != Close.POLICY:
        return Unreachable(f"The connection to {address.page} is lost.")
    why = socket.close_reason or "it has not said why"
    return Unreachable(f"{address.page} has closed the connection: {why}.", is_final=True)
