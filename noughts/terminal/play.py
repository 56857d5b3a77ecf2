"""Play in the terminal: against the computer, a friend by link, or whoever comes.

Without URL, you play here and alone, and no server is needed. URL is the address of a server's page
or of a room, whose free seat you take. In a terminal, arrows and digits play. In a pipe, standard
input has one cell a line, and every board is printed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace

from noughts import address
from noughts.client import connect
from noughts.errors import Error, Refused
from noughts.games import GAMES
from noughts.terminal import choice as choices
from noughts.terminal.choice import AGAINST, SIDES, Choice
from noughts.terminal.doors import Door, News, PrivateDoor, Room, ServerDoor
from noughts.terminal.lines import LineGame, Lines, printing
from noughts.terminal.meeting import wait_for_anyone
from noughts.terminal.running import EXIT_CODES, look_of, run
from noughts.terminal.screen import can_be_screen
from noughts.terminal.session import Session
from noughts.terminal.styled import Look
from noughts.terminal.words import LEVELS

PAUSE = 0.5  # seconds that the computer seems to think, on a screen
EXAMPLES = (
    """examples:
  noughts play                                    a game at once, the last one again
  noughts play --variant drop --level hard        another game, another level
  noughts play http://127.0.0.1:8080 --against friend
  noughts play https://example.org/r/Jx3kQ9aTnB2mWc7L
  printf '5\\n1\\n' | noughts play --level gentle   cells from a pipe, boards as plain text

"""
    + EXIT_CODES
)


def main(arguments: Sequence[str] | None = None) -> int:
    given = _parser().parse_args(arguments)
    return run("play", play(given, look_of(no_color=given.no_color)))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="noughts play",
        description=__doc__,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("url", metavar="URL", nargs="?", help="a server's page, or a room's")
    parser.add_argument("--variant", choices=GAMES, help="the game")
    parser.add_argument("--against", choices=AGAINST, help="who plays with you")
    parser.add_argument("--level", choices=LEVELS, help="how strong the computer is")
    parser.add_argument("--side", choices=SIDES, help="X begins")
    parser.add_argument(
        "--clock",
        metavar="MINUTES[+SECONDS]",
        type=read_clock,
        help="time for each side, and what a move adds, such as 3+2",
    )
    parser.add_argument("--name", help="what the other player reads")
    parser.add_argument(
        "--token-file",
        metavar="FILE",
        help="who you are on the server (default: one for each, in ~/.local/state/noughts)",
    )
    parser.add_argument("--no-color", action="store_true", help="as with NO_COLOR=1")
    return parser


def read_clock(text: str) -> tuple[int, int]:
    """The budget and the increment in milliseconds.

    >>> read_clock("3+2"), read_clock("0.5")
    ((180000, 2000), (30000, 0))
    """
    minutes, _, seconds = text.partition("+")
    try:
        budget, increment = round(float(minutes) * 60_000), round(float(seconds or 0) * 1_000)
    except (ValueError, OverflowError):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a clock: write minutes, or minutes and seconds, such as 3+2"
        ) from None
    if not (5_000 <= budget <= 3_600_000 and 0 <= increment <= 60_000):
        raise argparse.ArgumentTypeError("a clock has 5 seconds to 60 minutes, and adds 0 to 60 s")
    return budget, increment


async def play(given: argparse.Namespace, look: Look) -> int:
    """Find the door and go through it. Raises `Error`."""
    if given.url is None:
        door = PrivateDoor(
            name=given.name, clock=given.clock, pause=PAUSE if can_be_screen() else 0
        )
        await _play_at(door, given, look, None, News())
        return 0
    place = address.read(given.url)
    news = News()
    async with connect(
        given.url,
        name=given.name,
        token_file=given.token_file or choices.token_file(place.page),
        bot=False,
        on_frame=news.take,
    ) as me:
        room: Room | None = None
        if place.room is not None:
            try:
                room = await me.sit(place.room)
            except Refused as refused:
                tip = f" Watch it with: noughts watch {given.url}"
                text = refused.text + tip * (refused.reason == "seat_taken")
                raise Refused(refused.reason, text) from None
        await _play_at(ServerDoor(me, news, clock=given.clock), given, look, room, news)
    return 0


async def _play_at(
    door: Door, given: argparse.Namespace, look: Look, room: Room | None, news: News
) -> None:
    is_screen = can_be_screen()
    wish = _wish(door, given, choices.recall() if is_screen else Choice())
    if not is_screen:
        news.changed = _notices(news, look)
        await _play_in_lines(door, wish, look, room)
        return
    is_chosen = any((given.variant, given.against, given.level, given.side))
    asks_first = bool(door.page) and room is None and not is_chosen
    session = Session(door, wish, look, news)
    try:
        await session.run(room, asks_first=asks_first)
    finally:
        session.say_goodbye()


def _wish(door: Door, given: argparse.Namespace, last: Choice) -> Choice:
    """What was asked for, and of the rest what was chosen last. Raises `Error` if it cannot be."""
    asked = {row: getattr(given, row) for row in choices.ROWS if getattr(given, row) is not None}
    if given.level and not given.against and last.against != "computer":
        asked["against"] = "computer"
    wish = replace(last, **asked)
    fitting = door.offer.fit(wish)
    for row in ("variant", "against"):
        if row in asked and getattr(fitting, row) != asked[row]:
            known = ", ".join(door.offer.options(fitting, row))
            where = "on this server" if door.page else "without the URL of a server"
            raise Error(f"--{row} {asked[row]} is not possible {where}. Try {known}.")
    return fitting


def _notices(news: News, look: Look) -> Callable[[], None]:
    """A function that prints what the operator announces, once. It also does so now."""
    told = ""

    def tell() -> None:
        nonlocal told
        if news.notice and news.notice != told:
            told = news.notice
            printing(look)(told)

    tell()
    return tell


async def _play_in_lines(door: Door, wish: Choice, look: Look, room: Room | None) -> None:
    room = room or await door.open(wish)
    if wish.against == "anyone" and room.state.status == "waiting":
        printing(look)(f"Waiting for whoever comes, at {door.page}/r/{room.id}")
        room = await wait_for_anyone(door, room, wish)
    await LineGame(door, room, Lines(sys.stdin), look).run()
