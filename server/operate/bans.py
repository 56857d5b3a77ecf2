"""`noughts bans URL`: which addresses may not connect."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import msgspec

from server.command import answer, counted, new_parser
from server.operate.ask import URL_HELP, ask
from server.operate.log import time_of
from server.operate.shapes import Held


def main(arguments: Sequence[str] | None = None) -> int:
    parser = new_parser(
        "bans",
        "List the addresses and networks that may not connect, oldest first.",
        "noughts bans unix:/run/noughts/admin.sock",
        "1 if the server cannot be asked",
    )
    parser.add_argument("url", metavar="URL", help=URL_HELP)
    parser.add_argument("--json", action="store_true", help="one JSON document")
    given = parser.parse_args(arguments)
    return answer(lambda: run(given.url, as_json=given.json))


def run(url: str, *, as_json: bool) -> int:
    held = ask(url, "/bans", Held)
    if as_json:
        print(msgspec.json.encode(held).decode())
        return 0
    for ban in held.bans:
        until = "for good" if ban.until is None else f"until {time_of(ban.until)}"
        print(f"{ban.network}  since {time_of(ban.since)}, {until}")
    print(counted(len(held.bans), "ban"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
