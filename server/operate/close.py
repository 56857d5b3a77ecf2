"""`noughts close URL ROOM`: remove a room for good."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from urllib.parse import quote

import msgspec

from server.command import answer, new_parser
from server.operate.ask import URL_HELP, ask
from server.operate.shapes import Done


class _Wish(msgspec.Struct):
    """The path says it all."""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = new_parser(
        "close",
        "Remove a room and its log for good, whether it is awake or asleep, on this node or "
        "another. Everybody in it is told, and its address leads nowhere from then on.",
        "noughts close unix:/run/noughts/admin.sock Jx3kQ9aTnB2mWc7L",
        "1 if there is no such room, or the server cannot be asked",
    )
    parser.add_argument("url", metavar="URL", help=URL_HELP)
    parser.add_argument("room", metavar="ROOM", help="its id, as in its address")
    given = parser.parse_args(arguments)
    if not given.room:
        parser.error("ROOM is empty: give the id of a room, as in its address")
    return answer(lambda: run(given.url, given.room))


def run(url: str, room: str) -> int:
    ask(url, f"/close/{quote(room, safe='')}", Done, _Wish())
    print(f"room {room} is closed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
