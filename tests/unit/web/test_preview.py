"""What a link to a page says where it is shown."""

from __future__ import annotations

import re
from html import unescape

import pytest
from PIL import Image

from server.core.commands import Leave, Resign, SeatAI
from server.core.events import Person, PlayerId, TimeControl
from server.core.history import Game
from server.core.record import replace
from server.core.room import Room
from server.core.rules import DROP, Mark
from server.web import preview
from server.web.assets import CLIENT, read_assets
from server.web.preview import PICTURE, SIZE, Head, Preview, of_game, of_room
from server.web.reach import Reached
from tests.support.people import ADA, BO
from tests.support.playing import DRAW, X_WINS, a_room, after, played

META = re.compile(r'<meta (?:name|property)="([^"]+)" content="([^"]*)">')


def private(room: Room) -> Room:
    return replace(room, public=False)


def title(room: Room) -> str:
    """The title, without the marks that isolate names."""
    return of_room(room).title.replace("\u2068", "").replace("\u2069", "")


@pytest.mark.parametrize(
    ("room", "expected"),
    [
        (a_room(ADA, None), "Ada invites you to Classic Three"),
        (private(a_room(None, ADA)), "Ada invites you to Classic Three"),
        (
            after(played(a_room(), "4 0"), Leave(BO.id, Mark.O)),
            "Ada needs a player for Classic Three",
        ),
        (a_room(None, "easy"), "Classic Three needs a player"),
        (a_room(None, None), "Classic Three needs two players"),
        (a_room(), "Ada and Bo play Classic Three"),
        (a_room(ADA, "hard"), "Ada and the computer (Hard) play Classic Three"),
        (a_room("easy", ADA), "The computer (Easy) and Ada play Classic Three"),
        (a_room(ADA, ADA), "A game of Classic Three"),
        (
            after(a_room(), SeatAI(ADA.id, Mark.O, "hard", absent_for=20_000)),
            "Ada and Bo play Classic Three",
        ),
        (played(a_room(), X_WINS), "Ada beat Bo at Classic Three"),
        (after(a_room(), Resign(ADA.id)), "Bo beat Ada at Classic Three"),
        (played(a_room(), DRAW), "Ada and Bo drew at Classic Three"),
        (after(played(a_room(), X_WINS), Leave(BO.id, Mark.O)), "A game of Classic Three"),
        (private(a_room()), "A game of Classic Three"),
        (private(played(a_room(), X_WINS)), "A game of Classic Three"),
    ],
)
def test_a_link_to_a_room_says_who_plays_or_invites(room: Room, expected: str) -> None:
    assert title(room) == expected


def test_an_invitation_tells_the_rule_and_the_clock() -> None:
    room = replace(a_room(ADA, None), variant=DROP, time=TimeControl(60_000))

    assert of_room(room).about == (
        "Marks fall down. Four in a row win. 1 min each."
        " Tap to play: no account, nothing to install."
    )
    short = replace(room, time=TimeControl(10_000))
    assert " 10 s each." in of_room(short).about


@pytest.mark.parametrize(
    ("is_public", "expected"),
    [
        (True, "\u2068Ada\u2069 beat \u2068Bo\u2069 at Classic Three"),
        (False, "A game of Classic Three"),
    ],
)
def test_a_link_to_a_game_tells_how_it_ended(is_public: bool, expected: str) -> None:
    room = played(a_room(), X_WINS)
    game = Game(1, room.variant, (ADA, BO), 0, room.moves, (), 0, room.outcome, 9)

    assert of_game(game, is_public=is_public).title == expected


def filled(shown: Preview, reached: Reached, path: str) -> str:
    return Head("/client/link.1f3a.png").fill(read_assets().page, shown, reached, path)


def test_the_page_carries_every_tag_that_a_preview_needs() -> None:
    page = filled(preview.HOME, Reached("https://play.example"), "/")

    tags = dict(META.findall(page))
    assert "<title>Noughts</title>" in page
    assert tags["description"] == tags["og:description"] == preview.HOME.about
    assert (tags["og:title"], tags["og:site_name"], tags["og:type"]) == (
        "Noughts",
        "Noughts",
        "website",
    )
    assert tags["og:url"] == "https://play.example/"
    assert tags["og:image"] == "https://play.example/client/link.1f3a.png"
    assert (tags["og:image:width"], tags["og:image:height"]) == ("1200", "630")
    assert tags["og:image:alt"]
    assert tags["twitter:card"] == "summary_large_image"
    assert '<html lang="en" data-origin="https://play.example">' in page


def test_the_page_says_if_only_this_computer_can_open_it() -> None:
    page = filled(preview.HOME, Reached("http://localhost:8080", is_local=True), "/")

    assert '<html lang="en" data-origin="http://localhost:8080" data-local>' in page


def test_no_name_address_or_path_leaves_its_place() -> None:
    mallory = Person(PlayerId("m"), '"><script>&amp;\u202e')
    page = filled(of_room(a_room(mallory, None)), Reached('http://"><script>'), '/r/"><script>')

    tags = dict(META.findall(page))
    told = unescape(tags["og:title"])
    assert told == '\u2068"><script>&amp;\u202e\u2069 invites you to Classic Three'
    assert f"<title>{tags['og:title']} · Noughts</title>" in page
    assert unescape(tags["og:url"]) == 'http://"><script>/r/"><script>'
    assert page.count("<script>") == 0


def test_the_picture_is_as_large_as_the_tags_say_and_small_as_a_file() -> None:
    path = CLIENT / PICTURE

    with Image.open(path) as picture:
        assert picture.size == SIZE
    assert path.stat().st_size < 60_000
