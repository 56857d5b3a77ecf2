"""The frames that the server sends, field by field as in docs/protocol.md."""

from __future__ import annotations

import json
from typing import Any, get_args

import pytest
from msgspec import Raw

from noughts import __version__
from noughts.messages import Analyse, Create, Play, Request, Watch
from noughts.shapes import Limits
from server.core.commands import Reason, Whose
from server.core.room import RoomId
from server.core.rules import VARIANTS, Mark, read_position
from server.core.search import judge
from server.wire import frames
from tests.support.people import ADA

R = RoomId("Jx3kQ9")


def text_of(frame: bytes) -> Any:
    """The JSON of one WebSocket text frame, parsed as in RFC 6455."""
    assert frame[0] == 0x81  # final, text
    size, start = frame[1], 2
    if size == 126:
        size, start = int.from_bytes(frame[2:4]), 4
    elif size == 127:
        size, start = int.from_bytes(frame[2:10]), 10
    assert len(frame) == start + size
    return json.loads(frame[start:])


@pytest.mark.parametrize(
    ("size", "header"),
    [
        (0, "8100"),
        (125, "817d"),
        (126, "817e007e"),
        (65_535, "817effff"),
        (65_536, "817f0000000000010000"),
    ],
)
def test_a_frame_says_its_length_in_as_few_bytes_as_the_rfc_asks(size: int, header: str) -> None:
    assert frames.text_frame(b"a" * size) == bytes.fromhex(header) + b"a" * size


def test_welcome_carries_everything_a_newcomer_needs() -> None:
    limits = Limits(20_000, 30_000, 10, 20, 64)
    welcome = text_of(frames.welcome(7, ADA, "A" * 43, 1_794_700_800_000, limits))

    assert welcome == {
        "type": "welcome",
        "re": 7,
        "protocol": 1,
        "player": {"id": "ada", "name": "Ada"},
        "token": "A" * 43,
        "now": 1_794_700_800_000,
        "variants": welcome["variants"],
        "phrases": [
            "hello",
            "good_luck",
            "nice_move",
            "oops",
            "wow",
            "thanks",
            "good_game",
            "bye",
        ],
        "limits": {
            "cover_after": 20_000,
            "claim_after": 30_000,
            "commands_per_second": 10,
            "commands_at_once": 20,
            "rooms_followed": 64,
        },
        "server": {"version": __version__},
    }
    assert [variant["name"] for variant in welcome["variants"]] == list(VARIANTS)
    assert welcome["variants"][0] == {
        "name": "3x3",
        "rows": 3,
        "columns": 3,
        "line": 3,
        "levels": ["gentle", "easy", "medium", "hard", "perfect"],
    }


@pytest.mark.parametrize("re", [None, 7, 10**30, "seven ♞"])
def test_answers_repeat_the_id(re: int | str | None) -> None:
    assert text_of(frames.accepted(re)) == {"type": "accepted", "re": re}
    assert text_of(frames.accepted(re, R, 12)) == {
        "type": "accepted",
        "re": re,
        "room": "Jx3kQ9",
        "seq": 12,
    }
    assert text_of(frames.pong(re, 5)) == {"type": "pong", "re": re, "now": 5}
    assert text_of(frames.refused(re, Reason.CELL_TAKEN, "It is taken.")) == {
        "type": "refused",
        "re": re,
        "reason": "cell_taken",
        "text": "It is taken.",
    }


@pytest.mark.parametrize("asked", get_args(Request))
def test_every_refusal_has_a_sentence(asked: type[Request]) -> None:
    texts = [frames.text_of(reason, None, asked) for reason in Reason]
    texts += [frames.text_of(Reason.TOO_MANY_ROOMS, whose, asked) for whose in Whose]

    assert all(text[0].isupper() and text.endswith(".") for text in texts)


def test_to_try_again_is_said_for_what_was_asked() -> None:
    def text(asked: type[Request]) -> str:
        return frames.text_of(Reason.RETRY, None, asked)

    assert text(Analyse) == "The computer is busy. Ask again in a moment."
    assert text(Watch).startswith("This room cannot be read right now.")
    assert text(Play) == text(Create)
    assert text(Play).startswith("The server cannot save anything right now.")


def test_presence_and_phrases_have_frames_of_their_own() -> None:
    assert text_of(frames.presence(R, [Mark.X], 14)) == {
        "type": "presence",
        "room": "Jx3kQ9",
        "online": ["X"],
        "watchers": 14,
    }
    assert text_of(frames.said(R, ADA, "good_game", 5)) == {
        "type": "said",
        "room": "Jx3kQ9",
        "player": {"id": "ada", "name": "Ada"},
        "phrase": "good_game",
        "now": 5,
    }


def test_quick_play_names_the_partner_or_nobody() -> None:
    assert text_of(frames.quick(True, ADA, True, None)) == {
        "type": "quick",
        "on": True,
        "partner": {"id": "ada", "name": "Ada"},
        "asks": True,
        "room": None,
    }
    assert text_of(frames.quick(False, None, False, R)) == {
        "type": "quick",
        "on": False,
        "partner": None,
        "asks": False,
        "room": "Jx3kQ9",
    }


def test_an_analysis_judges_the_free_cells_and_no_others() -> None:
    position = read_position("XX. OO. ...")

    analysis = text_of(frames.analysis(7, R, 4, Mark.X, 9, judge(position)))

    assert {**analysis, "cells": None} == {
        "type": "analysis",
        "re": 7,
        "room": "Jx3kQ9",
        "ply": 4,
        "turn": "X",
        "cells": None,
    }
    assert analysis["cells"][:4] == [None, None, {"value": "win", "in": 1}, None]
    assert analysis["cells"][8] == {"value": "loss", "in": 2}


def test_the_analysis_of_a_finished_position_is_empty() -> None:
    analysis = text_of(frames.analysis(None, R, 5, None, 9, {}))

    assert (analysis["turn"], analysis["cells"]) == (None, [None] * 9)


def test_the_lobby_lists_rooms_and_those_that_are_gone() -> None:
    rooms = [Raw(b'{"room":"a"}'), Raw(b'{"room":"b"}')]

    assert text_of(frames.lobby(True, rooms, [RoomId("gone")])) == {
        "type": "lobby",
        "complete": True,
        "rooms": [{"room": "a"}, {"room": "b"}],
        "gone": ["gone"],
    }
    assert json.loads(frames.lobby_text(False, [], [])) == {
        "type": "lobby",
        "complete": False,
        "rooms": [],
        "gone": [],
    }
