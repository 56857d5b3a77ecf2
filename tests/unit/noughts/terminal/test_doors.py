"""What a connection tells besides states, and which seats of the lobby are free."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator

import pytest

from noughts.messages import Frame, Notice, Presence, Said, decode_frame
from noughts.shapes import Player
from noughts.terminal.choice import Choice
from noughts.terminal.doors import LOST, News, side_of

WELCOME = b"""{"type":"welcome","re":1,"protocol":1,"player":{"id":"a","name":"Ada"},"token":"t",
    "now":%d,"variants":[],"phrases":[],"server":{"version":"0"},"limits":{"cover_after":0,
    "claim_after":0,"commands_per_second":0,"commands_at_once":0,"rooms_followed":0}}"""


def welcome() -> Frame:
    """Of a server whose clock is a minute ahead."""
    return decode_frame(WELCOME % (time.time_ns() // 1_000_000 + 60_000))


@pytest.fixture
def news() -> Iterator[News]:
    heard = News()
    yield heard
    logging.getLogger("noughts").removeHandler(heard)
    logging.getLogger("noughts").propagate = True


def test_a_lost_connection_is_one_line_until_it_is_back(news: News) -> None:
    logging.getLogger("noughts").info("The connection to http://127.0.0.1:8080 is lost.")
    assert news.line == LOST
    news.take(welcome())
    assert news.line == ""
    assert 50_000 < news.ahead <= 60_000


def test_an_announcement_is_shown_for_as_long_as_it_holds(news: News) -> None:
    news.take(Notice("Back in a minute.", None))
    assert news.line == "Back in a minute."
    logging.getLogger("noughts").info("lost")
    assert news.line == LOST
    news.take(welcome())
    news.take(Notice("Restart", 1_794_700_800_000))
    assert news.line.startswith("Restart (")
    news.take(Notice("", None))
    assert news.line == ""


def test_what_is_said_and_who_is_there_is_drawn_at_once(news: News) -> None:
    drawn: list[str] = []
    news.changed = lambda: drawn.append(news.said)
    news.take(Said("room", Player("b", "Bo"), "good_game", 0))
    news.take(Presence("room", ["X"], 0))

    assert drawn == ["Bo: Good game"] * 2


def test_either_side_is_one_of_the_two() -> None:
    assert {side_of(Choice(side="any")) for _ in range(60)} == {"X", "O"}
    assert (side_of(Choice(side="X")), side_of(Choice(side="O"))) == ("X", "O")
