"""The baseline: a straightforward aiohttp server that sends the same frames as ours.

It awaits `socket.send_json(state)` for each member of a room in turn. It has no log, no identities,
no limits, and no order between answer and state. Start it with `python -m bench.naive PORT`.
"""

from __future__ import annotations

import sys
from itertools import count
from typing import Any

from aiohttp import WSMsgType, web

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
ids = count(1)


class Room:
    def __init__(self) -> None:
        self.id = f"room-{next(ids):012}"
        self.members: dict[web.WebSocketResponse[Any], None] = {}
        self.names = ["Ada", "open"]
        self.seq = 2
        self.game = 1
        self.asked = 0
        self.moves: list[int] = []
        self.board: list[str | None] = [None] * 9

    def play(self, cell: int) -> None:
        self.board[cell] = "XO"[len(self.moves) % 2]
        self.moves.append(cell)

    def line(self) -> tuple[int, ...] | None:
        board = self.board
        for a, b, c in LINES:
            if board[a] is not None and board[a] == board[b] == board[c]:
                return a, b, c
        return None

    def rematch(self) -> bool:
        self.asked += 1
        if self.asked < 2:
            return False
        self.asked, self.moves, self.board = 0, [], [None] * 9
        self.game += 1
        return True

    def state(self) -> dict[str, Any]:
        line = self.line()
        over = line is not None or None not in self.board
        status = "over" if over else "waiting" if "open" in self.names else "playing"
        seats = {
            mark: {"kind": "human", "player": name * 5, "name": name}
            for mark, name in zip("XO", self.names, strict=True)
        }
        return {
            "type": "state",
            "room": self.id,
            "seq": self.seq,
            "public": False,
            "variant": {"name": "3x3", "rows": 3, "columns": 3, "line": 3},
            "game": self.game,
            "board": self.board,
            "moves": self.moves,
            "turn": "XO"[len(self.moves) % 2] if status == "playing" else None,
            "status": status,
            "outcome": {"winner": None, "by": "line", "line": line} if over else None,
            "seats": seats,
            "score": {"X": 0, "O": 0, "draws": 0},
            "rematch": [],
            "clock": None,
        }


rooms: dict[str, Room] = {}


async def serve(request: web.Request) -> web.WebSocketResponse[Any]:
    socket: web.WebSocketResponse[Any] = web.WebSocketResponse()
    await socket.prepare(request)
    async for message in socket:
        if message.type is WSMsgType.TEXT:
            await answer(socket, message.json())
    for room in rooms.values():
        room.members.pop(socket, None)
    return socket


async def answer(socket: web.WebSocketResponse[Any], command: dict[str, Any]) -> None:
    kind, re = command["type"], command.get("id")
    if kind == "hello":
        player = {"id": "x" * 16, "name": "Ada"}
        await socket.send_json({"type": "welcome", "re": re, "protocol": 1, "player": player})
        return
    if kind == "create":
        room = Room()
        rooms[room.id] = room
    else:
        room = rooms[command["room"]]
    changed = True
    if kind in ("create", "watch", "sit"):
        room.members[socket] = None
    if kind == "sit":
        room.names[1] = "Bo"
    elif kind == "play":
        room.play(command["cell"])
    elif kind == "rematch":
        changed = room.rematch()
    room.seq += kind != "watch"
    await socket.send_json({"type": "accepted", "re": re, "room": room.id, "seq": room.seq})
    if kind == "watch":
        await socket.send_json(room.state())
    elif changed:
        for member in list(room.members):
            await member.send_json(room.state())


def main() -> None:
    app = web.Application()
    app.router.add_get("/ws", serve)
    web.run_app(app, host="127.0.0.1", port=int(sys.argv[1]), access_log=None, print=None)


if __name__ == "__main__":
    main()
