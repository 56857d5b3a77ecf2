"""`noughts ban URL ADDRESS`: refuse an address or a network."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from server import options
from server.command import answer, new_parser
from server.live.bans import widened
from server.operate.ask import URL_HELP, ask
from server.operate.shapes import BanWish, Done


def main(arguments: Sequence[str] | None = None) -> int:
    parser = new_parser(
        "ban",
        "Refuse an address or a network: its sockets close with 1008, and no new one opens (403). "
        "A ban survives a restart. Behind a proxy, it is the player's address that counts, so "
        "--trusted-proxy must be right. An IPv6 address stands for its /64.",
        "noughts ban unix:/run/noughts/admin.sock 192.0.2.7 --for 2h",
        "1 if the server cannot be asked, or cannot keep the ban in its file",
    )
    parser.add_argument("url", metavar="URL", help=URL_HELP)
    parser.add_argument(
        "network",
        metavar="ADDRESS",
        type=options.network,
        help="an address or a network, such as 192.0.2.0/24",
    )
    parser.add_argument(
        "--for",
        metavar="SPAN",
        dest="span",
        type=options.span,
        help="such as 2h; else for good",
    )
    given = parser.parse_args(arguments)
    return answer(lambda: run(given.url, BanWish(str(widened(given.network)), given.span)))


def run(url: str, wish: BanWish) -> int:
    done = ask(url, "/ban", Done, wish)
    print(f"{wish.network} is banned; {done.count} of its connections were closed")
    if done.problem:
        print(done.problem, file=sys.stderr)
    return 1 if done.problem else 0


if __name__ == "__main__":
    sys.exit(main())
