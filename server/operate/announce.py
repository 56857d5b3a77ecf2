"""`noughts announce URL TEXT`: tell everybody who is connected, on every node."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from server import options
from server.command import answer, counted, new_parser
from server.operate.ask import URL_HELP, ask
from server.operate.shapes import LONGEST, AnnounceWish, Done


def main(arguments: Sequence[str] | None = None) -> int:
    parser = new_parser(
        "announce",
        "Show a text to everybody who is connected, and to everybody who comes, until it is taken "
        "back. It is about a restart with --restart-in, and is then taken back a minute after it. "
        "Nothing is restarted by this command. In a fleet, one node tells the others.",
        'noughts announce unix:/run/noughts/admin.sock "Back in a minute." --restart-in 60s',
        "1 if the server cannot be asked",
    )
    parser.add_argument("url", metavar="URL", help=URL_HELP)
    parser.add_argument("text", metavar="TEXT", nargs="?", help=f"at most {LONGEST} characters")
    parser.add_argument(
        "--restart-in", metavar="SPAN", type=options.span, help="when you will restart, such as 60s"
    )
    parser.add_argument("--withdraw", action="store_true", help="take the last text back")
    given = parser.parse_args(arguments)
    text = "" if given.text is None else " ".join(given.text.split())
    if given.withdraw == bool(text) or (given.withdraw and given.restart_in):
        parser.error("give either a TEXT or --withdraw")
    if len(text) > LONGEST:
        parser.error(f"TEXT has {len(text)} characters; at most {LONGEST} are shown")
    return answer(lambda: run(given.url, AnnounceWish(text, given.restart_in)))


def run(url: str, wish: AnnounceWish) -> int:
    done = ask(url, "/announce", Done, wish)
    what = "announced to" if wish.text else "taken back from"
    print(f"{what} {counted(done.count, 'connection')} here")
    return 0


if __name__ == "__main__":
    sys.exit(main())
