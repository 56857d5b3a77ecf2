"""Requests for earlier games that never were, over HTTP."""

from __future__ import annotations

import json

from tests.ordeals.hostile.arena import MALLORY, VAL, VIC, Attack
from tests.ordeals.hostile.catalogue import Group
from tests.ordeals.hostile.json_types import filled

group = Group(__name__)

NUMBERS = ("0", "-1", "2", "+1", "1.0", "1e0", "0x1", "x", "%20", "1%00", "%D9%A1", "9" * 3000)


async def get(attack: Attack, path: str, method: str = "GET") -> tuple[int, bytes]:
    """The status and the body of an answer, after which the server closes."""
    async with attack.tcp() as peer:
        start = filled(attack, f"{method} {path} HTTP/1.1").decode()
        peer.write(f"{start}\r\nHost: {attack.host}\r\nConnection: close\r\n\r\n".encode())
        return await peer.status(), await peer.reader.read()


def answered(name: str, status: int, path: str, reason: str | None, method: str = "GET") -> None:
    """`reason`: None if the answer is a page."""

    async def act(attack: Attack) -> None:
        got, body = await get(attack, path, method)
        assert got == status, (got, body)
        if reason is None:
            assert b"<title>" in body
        else:
            assert json.loads(body) == {"reason": reason}

    group.add(name, f"it is told {status}", act)


for number in NUMBERS:
    told = number[:12]
    answered(f"asks for game {told}", 404, f"/api/rooms/@over/games/{number}", "no_such_game")
    answered(
        f"asks for a review of game {told}",
        404,
        f"/api/rooms/@over/games/{number}/review",
        "no_such_game",
    )
    answered(f"opens the page at game {told}", 404, f"/r/@over/{number}", None)
for room in ("A" * 16, "%00", "..", "%2e%2e%2f", "x" * 3000, "'%20OR%201=1"):
    told = room[:12]
    answered(f"asks for the games of {told}", 404, f"/api/rooms/{room}/games", "no_such_room")
    answered(f"asks for a game of {told}", 404, f"/api/rooms/{room}/games/1", "no_such_room")
    answered(f"opens the page at a game of {told}", 404, f"/r/{room}/1", None)
answered("reviews a game that runs", 409, "/api/rooms/@victim/games/1/review", "game_not_over")
answered("asks for more than a review", 404, "/api/rooms/@over/games/1/review/1", "no_such_path")
answered("asks for games of all rooms", 404, "/api/rooms//games", "no_such_path")


@group.case("posts a game of its own", "it is told 405")
async def _(attack: Attack) -> None:
    for path in ("games", "games/1", "games/1/review"):
        for method in ("POST", "PUT", "DELETE", "PATCH"):
            status, _ = await get(attack, f"/api/rooms/@over/{path}", method)
            assert status == 405


@group.case("looks through all games for secrets", "there are names, but no ids and no tokens")
async def _(attack: Attack) -> None:
    secrets = {VIC, VAL, MALLORY, *(victim.id for victim in attack.arena.victims)}
    for path in ("games", "games/1", "games/1/review"):
        status, body = await get(attack, f"/api/rooms/@over/{path}")
        assert status == 200
        assert not any(secret.encode() in body for secret in secrets)


@group.case("leaves in the middle of a review", "nobody waits for the rest")
async def _(attack: Attack) -> None:
    for _ in range(20):
        async with attack.tcp() as peer:
            path = filled(attack, "/api/rooms/@over/games/1/review").decode()
            peer.write(f"GET {path} HTTP/1.1\r\nHost: {attack.host}\r\n\r\n".encode())
            await peer.writer.drain()
            peer.reset()
