"""Rooms and their games over plain HTTP, as JSON or text.

What is not there is answered with its reason. A request that is itself wrong gets a sentence, too.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import suppress
from functools import cache

from aiohttp import web

from noughts.asyncapi import render_asyncapi
from noughts.schema import render_schema
from server.core.commands import Reason, Refused
from server.core.history import Game, find_game
from server.core.review import review
from server.core.room import RoomId
from server.core.rules import VARIANTS, Position, cells
from server.core.verdicts import Verdict
from server.live.house import House
from server.live.rooms import Rooms
from server.web.files import File
from server.wire import snapshots
from server.wire.scoresheet import scoresheet, scoresheets

NUMBER = re.compile(r"[0-9]{1,9}")


class Api:
    def __init__(self, house: House) -> None:
        self._house = house

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/api/schema.json", self.schema),
            web.get("/api/asyncapi.json", self.asyncapi),
            web.get("/api/rooms", self.rooms),
            web.get("/api/rooms/{room}", self.state),
            web.get("/api/rooms/{room}/games", self.games),
            web.get("/api/rooms/{room}/games/{game}", self.game),
            web.get("/api/rooms/{room}/games/{game}/review", self.review),
        ]

    async def schema(self, request: web.Request) -> web.Response:
        """The protocol as JSON Schema."""
        return _document(render_schema).answer(request)

    async def asyncapi(self, request: web.Request) -> web.Response:
        """The protocol as an AsyncAPI document."""
        return _document(render_asyncapi).answer(request)

    async def rooms(self, request: web.Request) -> web.Response:
        """The public rooms, all or those that the query asks for."""
        try:
            bots = _one_of(request, "bots", ("0", "1"))
            variant = _one_of(request, "variant", VARIANTS, Reason.NO_SUCH_VARIANT)
        except BadQuery as why:
            return why.answer
        is_wanted = None if bots is None else bots == "1"
        return _json(self._house.lobby.complete_text(variant=variant, bots=is_wanted))

    async def state(self, request: web.Request) -> web.Response:
        id = request.match_info["room"]
        try:
            room = await self._house.rooms.peek(id)
        except Refused as why:
            return refused(why.reason)
        if room is None:
            return refused(Reason.NO_SUCH_ROOM)
        return _json(snapshots.state_text(RoomId(id), room))

    async def games(self, request: web.Request) -> web.Response:
        id = RoomId(request.match_info["room"])
        try:
            is_text = _wants_text(request)
            found = await self._house.rooms.games(id)
        except BadQuery as why:
            return why.answer
        except Refused as why:
            return refused(why.reason)
        return _text(scoresheets(id, found)) if is_text else _json(snapshots.games_text(id, found))

    async def game(self, request: web.Request) -> web.Response:
        try:
            is_text = _wants_text(request)
            game = await find_game_of(self._house.rooms, request)
        except BadQuery as why:
            return why.answer
        except Refused as why:
            return refused(why.reason)
        id = RoomId(request.match_info["room"])
        return _text(scoresheet(id, game)) if is_text else _json(snapshots.game_text(id, game))

    async def review(self, request: web.Request) -> web.StreamResponse:
        """The moves of a game that is over, one line of JSON for each, as they are judged."""
        try:
            game = await find_game_of(self._house.rooms, request)
        except Refused as why:
            return refused(why.reason)
        if game.outcome is None:
            return refused(Reason.GAME_NOT_OVER)
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


class BadQuery(Exception):
    """A parameter has a value that it cannot have."""

    def __init__(self, reason: Reason, text: str) -> None:
        super().__init__(text)
        self.answer = refusal(reason.value, text, 400)


def _one_of(
    request: web.Request, name: str, values: Collection[str], or_else: Reason = Reason.MALFORMED
) -> str | None:
    """A parameter of the query, or None without it. Raises `BadQuery`."""
    given = request.query.getall(name, ())
    if not given:
        return None
    if len(given) > 1 or given[0] not in values:
        raise BadQuery(or_else, f"{name}: expected one of {', '.join(values)}.")
    return given[0]


def _wants_text(request: web.Request) -> bool:
    """Whether a game is told as text: `?format=text`, or text is what the request accepts first."""
    asked = _one_of(request, "format", ("json", "text"))
    if asked is None:
        return request.headers.get("Accept", "").partition(",")[0].startswith("text/plain")
    return asked == "text"


def _text(text: str) -> web.Response:
    return web.Response(text=text, headers={"Cache-Control": "no-store"})


@cache
def _document(render: Callable[[], str]) -> File:
    """A document about the protocol, written on the first request: it takes a while."""
    return File.of(render().encode(), ".json")


async def find_game_of(rooms: Rooms, request: web.Request) -> Game:
    """The game that a path names. Raises `Refused`."""
    found = await rooms.games(request.match_info["room"])
    number = request.match_info["game"]
    return find_game(found, int(number) if NUMBER.fullmatch(number) else 0)


def refused(reason: Reason) -> web.Response:
    """There is no such thing, or not yet."""
    return web.json_response({"reason": reason.value}, status=status_of(reason))


def refusal(reason: str, text: str, status: int) -> web.Response:
    """The request itself is wrong, or comes too often: a code, and a sentence for people."""
    return web.json_response({"reason": reason, "text": text}, status=status)


def status_of(reason: Reason) -> int:
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
