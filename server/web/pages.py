"""Plain HTTP: the client's files, rooms as JSON, health and metrics."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import suppress
from functools import lru_cache
from importlib import import_module
from io import BytesIO

from aiohttp import web

from server.core.commands import Reason, Refused
from server.core.history import Game, find_game
from server.core.review import review
from server.core.room import RoomId
from server.core.rules import Position, cells
from server.core.verdicts import Verdict
from server.live.house import House
from server.web.assets import Assets
from server.web.proxies import Proxies
from server.wire import snapshots

NO_SUCH_FILE = "There is no such file."
NUMBER = re.compile(r"[0-9]{1,9}")
QR_LIMIT = 300  # characters of an address; phones fail to scan a denser QR code
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self' {inline}",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "media-src 'self'",
        "connect-src 'self'",
        "manifest-src 'self'",
        "worker-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'self'",
        "require-trusted-types-for 'script'",
    )
)
SECURITY = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}


class Pages:
    def __init__(self, house: House, proxies: Proxies, assets: Assets) -> None:
        self._house = house
        self._proxies = proxies
        self._home, self._page, self._files, inline = assets
        policy = POLICY.format(inline=inline)
        self._security = {"Content-Security-Policy": policy, **SECURITY}

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/", self.home),
            web.get("/r/{room}", self.room),
            web.get(r"/r/{room}/{game:\d+}", self.room_at_game),
            web.get("/r/{room}/qr.svg", self.qr_code),
            web.get("/qr.svg", self.home_qr_code),
            web.get("/tv", self.tv),
            web.get("/tv/{room}", self.room),
            web.get("/client/{file:.+}", self.file),
            web.get("/api/rooms", self.rooms),
            web.get("/api/rooms/{room}", self.state),
            web.get("/api/rooms/{room}/games", self.games),
            web.get("/api/rooms/{room}/games/{game}", self.game),
            web.get("/api/rooms/{room}/games/{game}/review", self.review),
            web.get("/healthz", self.health),
            web.get("/readyz", self.readiness),
            web.get("/metrics", self.metrics),
            web.route("*", "/{path:.*}", self.not_found),
        ]

    async def add_security_headers(self, _: web.Request, response: web.StreamResponse) -> None:
        """Add them to every response except a WebSocket handshake."""
        if response.status == 101:
            return  # a browser ignores them there, and each open socket would keep a copy
        for name, value in self._security.items():
            response.headers.setdefault(name, value)

    async def home(self, request: web.Request) -> web.Response:
        return self._home.answer(request)

    async def tv(self, request: web.Request) -> web.Response:
        """The page, at the featured game."""
        return self._page.answer(request)

    async def room(self, request: web.Request) -> web.Response:
        """The page. If the room does not exist, the page says so and offers a new one."""
        try:
            known = await self._house.rooms.peek(request.match_info["room"])
        except Refused:
            return self._page.answer(request, 503)
        return self._page.answer(request, 200 if known else 404)

    async def room_at_game(self, request: web.Request) -> web.Response:
        """The page, at one game of the room."""
        try:
            await self._find_game(request)
        except Refused as refusal:
            status = _status(refusal.reason)
            return self._page.answer(request, status)
        return self._page.answer(request)

    async def qr_code(self, request: web.Request) -> web.Response:
        """The room's address as a QR code."""
        try:
            known = await self._house.rooms.peek(request.match_info["room"])
        except Refused:
            raise web.HTTPServiceUnavailable(text="Rooms cannot be read. Try again soon.") from None
        if known is None:
            raise web.HTTPNotFound(text="There is no such room.")
        return await self._draw_address(request, f"/r/{request.match_info['room']}")

    async def home_qr_code(self, request: web.Request) -> web.Response:
        """The address of the home page as a QR code."""
        return await self._draw_address(request, "/")

    async def _draw_address(self, request: web.Request, path: str) -> web.Response:
        forwarded = request.headers.get("X-Forwarded-Proto")
        scheme = self._proxies.scheme(request.remote or "", request.scheme, forwarded)
        address = f"{scheme}://{request.host}{path}"
        if len(address) > QR_LIMIT:
            raise web.HTTPBadRequest(text="This address is too long for a QR code.")
        return web.Response(
            body=await asyncio.to_thread(_draw_code, address),
            content_type="image/svg+xml",
            headers={"Cache-Control": "no-cache"},
        )

    async def file(self, request: web.Request) -> web.Response:
        file = self._files.get(request.match_info["file"])
        if file is None:
            raise web.HTTPNotFound(text=NO_SUCH_FILE)
        return file.answer(request)

    async def rooms(self, _: web.Request) -> web.Response:
        return _json(self._house.lobby.complete_text())

    async def state(self, request: web.Request) -> web.Response:
        id = request.match_info["room"]
        try:
            room = await self._house.rooms.peek(id)
        except Refused as refusal:
            return _refusal(refusal.reason)
        if room is None:
            return _refusal(Reason.NO_SUCH_ROOM)
        return _json(snapshots.state_text(RoomId(id), room))

    async def games(self, request: web.Request) -> web.Response:
        id = RoomId(request.match_info["room"])
        try:
            found = await self._house.rooms.games(id)
        except Refused as refusal:
            return _refusal(refusal.reason)
        return _json(snapshots.games_text(id, found))

    async def game(self, request: web.Request) -> web.Response:
        try:
            game = await self._find_game(request)
        except Refused as refusal:
            return _refusal(refusal.reason)
        id = RoomId(request.match_info["room"])
        return _json(snapshots.game_text(id, game))

    async def review(self, request: web.Request) -> web.StreamResponse:
        """The moves of a game that is over, one line of JSON for each, as they are judged."""
        try:
            game = await self._find_game(request)
        except Refused as refusal:
            return _refusal(refusal.reason)
        if game.outcome is None:
            return _refusal(Reason.GAME_NOT_OVER)
        response = web.StreamResponse(headers={"Cache-Control": "no-store"})
        response.content_type = "application/x-ndjson"
        with suppress(ConnectionError):  # nobody reads any more
            await response.prepare(request)
            if request.method == "HEAD":
                return response  # aiohttp would send the lines, and they would look like an answer
            async for line in self._review_lines(request.match_info["room"], game):
                await response.write(line)
            await response.write_eof()
        return response

    async def _review_lines(self, room: str, game: Game) -> AsyncIterator[bytes]:
        position = Position(game.variant)
        for cell in game.moves:
            found = await self._house.pool.judge(position, ("review", room))
            unknown = Verdict("unknown", None)  # the workers are too busy, or have failed
            verdicts = found or dict.fromkeys(cells(position.playable()), unknown)
            yield snapshots.review_line(review(position, cell, verdicts))
            position = position.play(cell)

    async def _find_game(self, request: web.Request) -> Game:
        """The game that a path names. Raises `Refused`."""
        found = await self._house.rooms.games(request.match_info["room"])
        number = request.match_info["game"]
        return find_game(found, int(number) if NUMBER.fullmatch(number) else 0)

    async def health(self, _: web.Request) -> web.Response:
        return web.Response(text="alive\n")

    async def readiness(self, _: web.Request) -> web.Response:
        if self._house.is_draining:
            return web.Response(status=503, text="draining\n")
        if not await self._house.store.can_write():
            return web.Response(status=503, text="the store cannot write\n")
        return web.Response(text="ready\n")

    async def metrics(self, _: web.Request) -> web.Response:
        # Imported on the first request: the library takes a sixth of the start-up time.
        prometheus = import_module("server.web.prometheus")
        return web.Response(
            body=prometheus.text(self._house.metrics),
            headers={"Content-Type": "text/plain; version=0.0.4; charset=utf-8"},
        )

    async def not_found(self, request: web.Request) -> web.Response:
        """Answer a request that no other route matches: an unknown path, or another method.

        A person who has followed a broken link gets the page, which says so and links to the start.
        """
        if request.method not in ("GET", "HEAD"):
            text = "Only GET and HEAD are allowed here."
            raise web.HTTPMethodNotAllowed(request.method, ("GET", "HEAD"), text=text)
        match request.path.split("/")[1]:
            case "api":
                return web.json_response({"reason": "no_such_path"}, status=404)
            case "client":
                raise web.HTTPNotFound(text=NO_SUCH_FILE)
            case _:
                return self._page.answer(request, 404)


@lru_cache(256)
def _draw_code(text: str) -> bytes:
    """A QR code as SVG."""
    segno = import_module("segno")  # slow to import, and most requests do not need it
    picture = BytesIO()
    code = segno.make(text, micro=False)
    code.save(picture, "svg", xmldecl=False, nl=False, border=3, light="#fff", omitsize=True)
    return picture.getvalue()


def _refusal(reason: Reason) -> web.Response:
    return web.json_response({"reason": reason.value}, status=_status(reason))


def _status(reason: Reason) -> int:
    match reason:
        case Reason.NO_SUCH_ROOM | Reason.NO_SUCH_GAME:
            return 404
        case Reason.GAME_NOT_OVER:
            return 409
        case _:
            return 503


def _json(text: bytes) -> web.Response:
    return web.Response(
        body=text, content_type="application/json", headers={"Cache-Control": "no-store"}
    )
