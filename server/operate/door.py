"""The operator's door into a running server: JSON over HTTP on a Unix socket.

Only the user who runs the server (and root) may open the socket. It is never on a TCP port, so no
proxy can make it public by mistake. `ask.py` is the other side.
"""

from __future__ import annotations

import errno
import logging
import os
import socket
import stat
from contextlib import suppress
from typing import TypeVar

import msgspec
from aiohttp import web

from noughts.messages import Close
from server.core.commands import Reason, Refused
from server.live.bans import TooMany
from server.live.house import House
from server.live.peers import Connected
from server.operate.shapes import (
    AnnounceWish,
    BanWish,
    Connection,
    Connections,
    Done,
    Held,
    UnbanWish,
    read_network,
)
from server.wire.closing import Closing

T = TypeVar("T")

log = logging.getLogger(__name__)


def new_door(house: House) -> web.Application:
    door = _Door(house)
    app = web.Application()
    app.add_routes(
        [
            web.get("/connections", door.connections),
            web.get("/bans", door.bans),
            web.post("/ban", door.ban),
            web.post("/unban", door.unban),
            web.post("/announce", door.announce),
            web.post("/close/{room}", door.close),
        ]
    )
    return app


class _Door:
    def __init__(self, house: House) -> None:
        self._house = house

    async def connections(self, _: web.Request) -> web.Response:
        now = self._house.now()
        return _json(Connections([_describe(peer, now) for peer in self._house.peers]))

    async def bans(self, _: web.Request) -> web.Response:
        return _json(Held(list(self._house.bans)))

    async def ban(self, request: web.Request) -> web.Response:
        """Refuse a network from now on, and end the connections that it has."""
        wish = await _read(request, BanWish)
        network = read_network(wish.network)
        problem = ""
        try:
            self._house.bans.add(network, wish.span)
        except TooMany:
            raise web.HTTPConflict(text="There are too many bans. Lift some first.") from None
        except OSError as fault:
            problem = f"The ban holds until the server ends: it cannot be kept ({fault})."
        span = "for good" if wish.span is None else f"for {wish.span // 1000} s"
        log.info("the operator has banned %s %s", network, span)
        ended = [peer for peer in self._house.peers if self._house.bans.refuses(peer.address)]
        for peer in ended:
            peer.close(Closing(Close.POLICY, "banned"))
        return _json(Done(len(ended), problem))

    async def unban(self, request: web.Request) -> web.Response:
        network = read_network((await _read(request, UnbanWish)).network)
        problem = ""
        try:
            if not self._house.bans.remove(network):
                raise web.HTTPNotFound(text=f"{network} is not banned.")
        except OSError as fault:
            problem = f"The ban is lifted until the server ends: that cannot be kept ({fault})."
        log.info("the operator has lifted the ban of %s", network)
        return _json(Done(0 if problem else 1, problem))

    async def announce(self, request: web.Request) -> web.Response:
        wish = await _read(request, AnnounceWish)
        at = None if wish.restart_in is None else self._house.now() + wish.restart_in
        self._house.notices.announce(wish.text, at)
        if wish.text:
            log.info("the operator has announced: %r", wish.text)
        else:
            log.info("the operator has withdrawn the announcement")
        return _json(Done(sum(peer.outbox.person is not None for peer in self._house.peers)))

    async def close(self, request: web.Request) -> web.Response:
        room = request.match_info["room"]
        try:
            await self._house.rooms.remove(room)
        except Refused as refused:
            if refused.reason is Reason.NO_SUCH_ROOM:
                raise web.HTTPNotFound(text=f"There is no room {room}.") from None
            raise web.HTTPServiceUnavailable(
                text="The store cannot be written to. Try again in a moment."
            ) from None
        log.info("the operator has closed room %s", room)
        return _json(Done(1))


def _describe(peer: Connected, now: int) -> Connection:
    person = peer.outbox.person
    return Connection(
        address=peer.address,
        age=now - peer.since,
        player=None if person is None else person.id,
        name=None if person is None else person.name,
        rooms=peer.following,
        waiting=peer.outbox.held,
    )


async def _read(request: web.Request, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(await request.read(), type=kind)
    except msgspec.DecodeError as problem:
        raise web.HTTPBadRequest(text=f"{problem}.") from None


def _json(answer: msgspec.Struct) -> web.Response:
    return web.Response(body=msgspec.json.encode(answer), content_type="application/json")


# ------------------------------------------------------------------------------------ the socket


def bind_door(path: str) -> socket.socket:
    """A Unix socket that only this user may open. Raises `OSError`, also if another server has it.

    A socket that a dead process has left is replaced; any other file is left alone.
    """
    _clear(path)
    door = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    mask = os.umask(0o177)  # not chmod afterwards: somebody might connect in between
    try:
        door.bind(path)
    except OSError:
        door.close()
        raise
    finally:
        os.umask(mask)
    door.setblocking(False)
    return door


def close_door(path: str) -> None:
    with suppress(OSError):
        os.unlink(path)


def _clear(path: str) -> None:
    try:
        if not stat.S_ISSOCK(os.stat(path).st_mode):
            raise FileExistsError(errno.EEXIST, "a file is in the way")
    except FileNotFoundError:
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        try:
            probe.connect(path)
        except ConnectionRefusedError:
            os.unlink(path)
            return
    raise OSError(errno.EADDRINUSE, "another server has it")
