"""What the server sends, field by field as the protocol shows it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from server.core.commands import Reason, Rematch, Resign, SeatAI
from server.core.events import TimeControl
from server.core.minimax import judge
from server.core.room import RoomId
from server.core.rules import Mark, read_position
from server.wire import frames
from tests.core.playing import ADA, BO, DRAW, X_WINS, a_room, after, played

R = RoomId("Jx3kQ9")
ADA_SITS = {"kind": "human", "player": "ada", "name": "Ada"}
BO_SITS = {"kind": "human", "player": "bo", "name": "Bo"}


def text_of(frame: bytes) -> Any:
    """The JSON of one WebSocket text frame, read by the letter of RFC 6455."""
    assert frame[0] == 0x81  # final, text
    size, start = frame[1], 2
    if size == 126:
        size, start = int.from_bytes(frame[2:4]), 4
    elif size == 127:
        size, start = int.from_bytes(frame[2:10]), 10
    assert len(frame) == start + size
    return json.loads(frame[start:])


@pytest.mark.parametrize(
    ("size", "head"),
    [
        (0, "8100"),
        (125, "817d"),
        (126, "817e007e"),
        (65_535, "817effff"),
        (65_536, "817f0000000000010000"),
    ],
)
def test_a_frame_says_its_length_in_as_few_bytes_as_the_rfc_asks(size: int, head: str) -> None:
    assert frames.text_frame(b"a" * size) == bytes.fromhex(head) + b"a" * size


def test_a_state_is_the_whole_room() -> None:
    room = played(a_room(), "4 2 0")

    assert json.loads(frames.state_text(R, room)) == {
        "type": "state",
        "room": "Jx3kQ9",
        "seq": 6,
        "public": True,
        "variant": {"name": "3x3", "rows": 3, "columns": 3, "line": 3},
        "game": 1,
        "board": ["X", None, "O", None, "X", None, None, None, None],
        "moves": [4, 2, 0],
        "turn": "O",
        "status": "playing",
        "outcome": None,
        "seats": {"X": ADA_SITS, "O": BO_SITS},
        "score": {"X": 0, "O": 0, "draws": 0},
        "rematch": [],
        "clock": None,
    }


def state(room: Any) -> Any:
    return json.loads(frames.state_text(R, room))


def test_a_state_shows_open_seats_ais_and_whom_they_cover() -> None:
    assert state(a_room(None, "hard"))["seats"] == {
        "X": {"kind": "open"},
        "O": {"kind": "ai", "level": "hard"},
    }
    covered = state(after(a_room(), SeatAI(ADA.id, Mark.O, "easy", absent_for=20_000)))
    assert covered["seats"]["O"] == {
        "kind": "ai",
        "level": "easy",
        "covers": {"player": "bo", "name": "Bo"},
    }


def test_a_state_has_no_turn_while_waiting_and_after_the_end() -> None:
    assert (state(a_room(ADA, None))["status"], state(a_room(ADA, None))["turn"]) == (
        "waiting",
        None,
    )
    over = state(played(a_room(), X_WINS))
    assert (over["status"], over["turn"]) == ("over", None)


def test_a_state_shows_how_the_game_ended_and_the_score() -> None:
    won, drawn = state(played(a_room(), X_WINS)), state(played(a_room(), DRAW))
    resigned = state(after(a_room(), Resign(ADA.id)))

    assert won["outcome"] == {"winner": "X", "by": "line", "line": [0, 1, 2]}
    assert won["score"] == {"X": 1, "O": 0, "draws": 0}
    assert drawn["outcome"] == {"winner": None, "by": "full", "line": None}
    assert drawn["score"] == {"X": 0, "O": 0, "draws": 1}
    assert resigned["outcome"] == {"winner": "O", "by": "resignation", "line": None}


def test_a_state_lists_the_seats_that_have_asked_for_a_rematch() -> None:
    assert state(after(played(a_room(), X_WINS), Rematch(BO.id)))["rematch"] == ["O"]


def test_a_state_shows_the_clock_as_of_since() -> None:
    room = a_room(time=TimeControl(60_000, 2_000))
    standing = {"budget": 60_000, "increment": 2_000, "left": {"X": 60_000, "O": 60_000}}

    assert state(room)["clock"] == {**standing, "since": None}
    assert state(played(room, "4", now=5))["clock"] == {**standing, "since": 5}


def test_welcome_carries_all_a_newcomer_needs() -> None:
    welcome = text_of(frames.welcome(7, ADA, "A" * 43, 1_794_700_800_000))

    assert welcome.pop("phrases")
    assert welcome == {
        "type": "welcome",
        "re": 7,
        "protocol": 1,
        "player": {"id": "ada", "name": "Ada"},
        "token": "A" * 43,
        "now": 1_794_700_800_000,
        "variants": [
            {
                "name": "3x3",
                "rows": 3,
                "columns": 3,
                "line": 3,
                "levels": ["easy", "medium", "hard", "perfect"],
            }
        ],
    }


def test_the_phrases_of_the_protocol_are_among_the_phrases() -> None:
    assert {"good_luck", "good_game"} <= set(frames.PHRASES)


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
    assert text_of(frames.refused(re, Reason.CELL_TAKEN)) == {
        "type": "refused",
        "re": re,
        "reason": "cell_taken",
        "text": "That cell is taken.",
    }


@pytest.mark.parametrize("reason", Reason)
def test_every_reason_has_a_sentence(reason: Reason) -> None:
    text = text_of(frames.refused(None, reason))["text"]

    assert text[0].isupper()
    assert text.endswith(".")


def test_a_malformed_frame_is_refused_in_words_of_its_own() -> None:
    refused = text_of(frames.refused(None, Reason.MALFORMED, "cell: expected int, got str."))

    assert refused["text"] == "cell: expected int, got str."


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


def test_the_lobby_shows_each_room_in_a_few_words() -> None:
    playing = frames.summary(R, played(a_room(ADA, "hard"), "4 2"), 3)
    covered = after(a_room(), SeatAI(ADA.id, Mark.O, "easy", absent_for=20_000))

    lobby = text_of(frames.lobby(True, [playing, frames.summary(R, covered, 0)], [RoomId("gone")]))

    assert (lobby["type"], lobby["complete"], lobby["gone"]) == ("lobby", True, ["gone"])
    assert lobby["rooms"][0] == {
        "room": "Jx3kQ9",
        "variant": "3x3",
        "game": 1,
        "board": "..O.X....",
        "status": "playing",
        "turn": "X",
        "seats": {"X": {"kind": "human", "name": "Ada"}, "O": {"kind": "ai", "level": "hard"}},
        "watchers": 3,
    }
    assert lobby["rooms"][1]["seats"]["O"] == {"kind": "ai", "level": "easy"}
    assert json.loads(frames.lobby_text(False, [], [])) == {
        "type": "lobby",
        "complete": False,
        "rooms": [],
        "gone": [],
    }
