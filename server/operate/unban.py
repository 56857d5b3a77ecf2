"""`noughts unban URL ADDRESS`: lift a ban."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from server import options
from server.command import answer, new_parser
from server.live.bans import widened
from server.operate.ask import URL_HELP, ask
from server.operate.shapes import Done, UnbanWish


def main(arguments: Sequence[str] | None = None) -> int:
    parser = new_parser(
        "unban",
        "Let an address or a network connect again. It is given as `noughts bans` lists it.",
        "noughts unban unix:/run/noughts/admin.sock 192.0.2.7",
        "1 if it is not banned, or the server cannot be asked or write its file",
    )
    parser.add_argument("url", metavar="URL", help=URL_HELP)
    parser.add_argument("network", metavar="ADDRESS", type=options.network, help="as it was banned")
    given = parser.parse_args(arguments)
    return answer(lambda: run(given.url, UnbanWish(str(widened(given.network)))))


def run(url: str, wish: UnbanWish) -> int:
    done = ask(url, "/unban", Done, wish)
    print(f"{wish.network} may connect again")
    if done.problem:
        print(done.problem, file=sys.stderr)
    return 1 if done.problem else 0


if __name__ == "__main__":
    sys.exit(main())
