"""`noughts connections URL`: who is connected."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import msgspec

from server.command import answer, counted, new_parser
from server.operate.ask import URL_HELP, ask
from server.operate.shapes import Connection, Connections

HEAD = ("address", "age s", "rooms", "waiting", "player", "name")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = new_parser(
        "connections",
        "List the open sockets of a server, oldest first: the address that limits count by, the "
        "age, the rooms followed, the bytes not yet sent, and who it is.",
        "noughts connections unix:/run/noughts/admin.sock",
        "1 if the server cannot be asked",
    )
    parser.add_argument("url", metavar="URL", help=URL_HELP)
    parser.add_argument("--address", metavar="TEXT", help="only addresses that begin with this")
    parser.add_argument("--json", action="store_true", help="one JSON document")
    given = parser.parse_args(arguments)
    return answer(lambda: run(given.url, given.address or "", as_json=given.json))


def run(url: str, address: str, *, as_json: bool) -> int:
    found = ask(url, "/connections", Connections).connections
    shown = [each for each in found if each.address.startswith(address)]
    if as_json:
        print(msgspec.json.encode(Connections(shown)).decode())
        return 0
    if shown:
        rows = [HEAD, *map(_row, shown)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for row in rows:
            cells = [text.ljust(width) for text, width in zip(row, widths, strict=True)]
            print("  ".join(cells).rstrip())
    sources = counted(len({each.address for each in shown}), "address", "addresses")
    print(f"{counted(len(shown), 'connection')} from {sources}")
    return 0


def _row(each: Connection) -> tuple[str, ...]:
    age, player, name = str(each.age // 1000), each.player or "-", each.name or "-"
    return each.address, age, str(each.rooms), str(each.waiting), player, name


if __name__ == "__main__":
    sys.exit(main())
