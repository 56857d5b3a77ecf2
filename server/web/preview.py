"""What a page says of itself before a script has run, and where a link to it is shown: the title,
the description, and a picture.

A private room tells which game it is, and who invites to it as long as a seat is open.
"""

from __future__ import annotations

from html import escape
from typing import NamedTuple, assert_never

from noughts.games import game_name, game_rule
from server.core.events import Person
from server.core.history import Game
from server.core.room import AI, Holder, Room
from server.core.rules import Outcome, Variant, X
from server.web.reach import Reached

SITE = "Noughts"
PICTURE = "link.png"  # a file of the client's
PICTURE_ALT = "Noughts and crosses in pencil on squared paper, and the words “Your move.”"
SIZE = (1200, 630)
WATCH, LOOK_BACK = "Watch it live.", "See how it went, move by move."
TAP = "Tap to play: no account, nothing to install."


class Preview(NamedTuple):
    title: str
    about: str


HOME = Preview(
    SITE,
    "Tic-tac-toe and five relatives, live: tap a square and you are playing. No account, nothing"
    " to install.",
)
TV = Preview("Noughts on a big screen", "The game that most people watch right now, live.")
NOTHING = Preview("Nothing here", "There is no such page, or the game was cleared away.")


def of_room(room: Room) -> Preview:
    if room.status == "waiting":
        return _of_invitation(room)
    return _of_players(room.variant, room.seats, room.outcome, is_public=room.public)


def of_game(game: Game, *, is_public: bool) -> Preview:
    return _of_players(game.variant, game.players, game.outcome, is_public=is_public)


def _of_invitation(room: Room) -> Preview:
    game, rule = game_name(room.variant.name), game_rule(room.variant.name)
    names = [_name(holder) for holder in room.seats if isinstance(holder, Person)]
    match names:
        case [name] if room.moves:
            title = f"{name} needs a player for {game}"
        case [name]:
            title = f"{name} invites you to {game}"
        case _:
            title = f"{game} needs {'two players' if room.seats == (None, None) else 'a player'}"
    return Preview(title, " ".join(filter(None, (rule, _clock(room), TAP))))


def _of_players(
    variant: Variant,
    holders: tuple[Holder, Holder],
    outcome: Outcome | None,
    *,
    is_public: bool,
) -> Preview:
    game, rule = game_name(variant.name), game_rule(variant.name)
    about = f"{rule} {WATCH if outcome is None else LOOK_BACK}"
    x, o = map(_name, holders)
    if not is_public or None in holders or x == o:  # somebody has left, or there is but one name
        title = f"A game of {game}"
    elif outcome is None:
        title = f"{x} and {o} play {game}"
    elif outcome.winner is None:
        title = f"{x} and {o} drew at {game}"
    else:
        winner, loser = (x, o) if outcome.winner == X else (o, x)
        title = f"{winner} beat {loser} at {game}"
    return Preview(title[0].upper() + title[1:], about)


def _name(holder: Holder) -> str:
    """A name, kept apart from the direction of the text around it."""
    match holder:
        case Person(name=name) | AI(covers=Person(name=name)):
            return f"\u2068{name}\u2069"
        case AI(level=level):
            return f"the computer ({level.capitalize()})"
        case None:
            return "nobody"
        case _:
            assert_never(holder)


def _clock(room: Room) -> str:
    if room.time is None:
        return ""
    seconds = room.time.budget // 1000
    minutes, rest = divmod(seconds, 60)
    return f"{seconds} s each." if rest or not minutes else f"{minutes} min each."


class Head:
    """Puts previews into the page. `picture`: the path of the picture."""

    def __init__(self, picture: str) -> None:
        self._picture = picture

    def fill(self, page: str, preview: Preview, reached: Reached, path: str) -> str:
        """The page, as it is at this path."""
        local = " data-local" if reached.is_local else ""
        html = f'<html lang="en" data-origin="{escape(reached.origin)}"{local}>'
        tags = self._tags(preview, reached.origin, path)
        return page.replace(HTML, html, 1).replace(TITLE, tags, 1)

    def _tags(self, preview: Preview, origin: str, path: str) -> str:
        title, about = preview
        width, height = SIZE
        whole = title if title.startswith(SITE) else f"{title} · {SITE}"
        named = {"description": about, "twitter:card": "summary_large_image"}
        properties = {
            "title": title,
            "description": about,
            "type": "website",
            "site_name": SITE,
            "url": origin + path,
            "image": origin + self._picture,
            "image:width": str(width),
            "image:height": str(height),
            "image:alt": PICTURE_ALT,
        }
        return "\n".join(
            (
                f"<title>{escape(whole)}</title>",
                *(_meta("name", name, value) for name, value in named.items()),
                *(_meta("property", f"og:{name}", value) for name, value in properties.items()),
            )
        )


HTML, TITLE = '<html lang="en">', f"<title>{SITE}</title>"  # what `fill` replaces


def _meta(kind: str, name: str, value: str) -> str:
    return f'<meta {kind}="{name}" content="{escape(value)}">'
