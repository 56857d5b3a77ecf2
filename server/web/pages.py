"""Plain HTTP: the page, with what it says of itself at each address, and the client's files.

Rooms as JSON are in `api.py`, health is in `health.py`.
"""

from __future__ import annotations

import asyncio
from functools import lru_cache
from importlib import import_module
from io import BytesIO

from aiohttp import web

from server.core.commands import Refused
from server.live.house import House
from server.web import preview
from server.web.api import Api, find_game_of, status_of
from server.web.assets import ROOT, Assets
from server.web.files import File
from server.web.preview import Head, Preview
from server.web.reach import Reach

NO_SUCH_FILE = "There is no such file."
LOCAL = "Only this computer can open this address. Start the server with --host 0.0.0.0."
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
    def __init__(self, house: House, reach: Reach, assets: Assets) -> None:
        self._house = house
        self._api = Api(house)
        self._reach = reach
        self._home, self._page, self._files = assets.home, assets.page, assets.files
        self._picture = assets.names[preview.PICTURE]
        self._head = Head(ROOT + self._picture)
        policy = POLICY.format(inline=assets.inline)
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
            *self._api.routes(),
            web.route("*", "/{path:.*}", self.not_found),
        ]

    async def add_headers(self, request: web.Request, response: web.StreamResponse) -> None:
        """Add those for security to every response except a WebSocket handshake.

        Search engines may list home, and nothing else.
        """
        if response.status == 101:
            return  # a browser ignores them there, and each open socket would keep a copy
        if request.path != "/":
            response.headers["X-Robots-Tag"] = "noindex"
        for name, value in self._security.items():
            response.headers.setdefault(name, value)

    async def home(self, request: web.Request) -> web.Response:
        return self._answer(request, preview.HOME, page=self._home)

    async def tv(self, request: web.Request) -> web.Response:
        """The page, at the featured game."""
        return self._answer(request, preview.TV)

    async def room(self, request: web.Request) -> web.Response:
        """The page. If the room does not exist, the page says so and offers a new one."""
        try:
            room = await self._house.rooms.peek(request.match_info["room"])
        except Refused as refusal:
            return self._answer(request, preview.NOTHING, status_of(refusal.reason))
        if room is None:
            return self._answer(request, preview.NOTHING, 404)
        return self._answer(request, preview.of_room(room))

    async def room_at_game(self, request: web.Request) -> web.Response:
        """The page, at one game of the room."""
        rooms = self._house.rooms
        try:
            game = await find_game_of(rooms, request)
            room = await rooms.peek(request.match_info["room"])
        except Refused as refusal:
            return self._answer(request, preview.NOTHING, status_of(refusal.reason))
        is_public = room is not None and room.public
        return self._answer(request, preview.of_game(game, is_public=is_public))

    def _answer(
        self, request: web.Request, shown: Preview, status: int = 200, *, page: str = ""
    ) -> web.Response:
        reached = self._reach.of(request)
        path = request.path if status == 200 else "/"  # never what somebody else made up
        text = self._head.fill(page or self._page, shown, reached, path)
        return File.of(text.encode(), ".html").answer(request, status)

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
        origin, is_local = self._reach.of(request)
        if is_local:
            raise web.HTTPNotFound(text=LOCAL)
        address = origin + path
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
        response = file.answer(request)
        if request.match_info["file"] == self._picture:  # other sites show it beside a link
            response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
        return response

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
                return self._answer(request, preview.NOTHING, 404)


@lru_cache(256)
def _draw_code(text: str) -> bytes:
    """A QR code as SVG."""
    segno = import_module("segno")  # slow to import, and most requests do not need it
    picture = BytesIO()
    code = segno.make(text, micro=False)
    code.save(picture, "svg", xmldecl=False, nl=False, border=3, light="#fff", omitsize=True)
    return picture.getvalue()
