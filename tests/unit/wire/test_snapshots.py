"""The state and the summary of a room, field by field as in docs/protocol.md."""

from __future__ import annotations

import json
from typing import Any

import pytest

from noughts.messages import LobbyFrame, State, decode_frame, encode
from server.core.commands import Claim, Expire, Rematch, Resign, SeatAI
from server.core.events import TimeControl
from server.core.room import Room, RoomId
from server.core.rules import Ending, Mark
from server.wire.frames import lobby_text
from server.wire.snapshots import state_text, summary
from tests.support.people import ADA, BO
from tests.support.playing import DRAW, X_WINS, a_room, after, played

R = RoomId("Jx3kQ9")
ADA_SITS = {"kind": "human", "player": "ada", "name": "Ada"}
BO_SITS = {"kind": "human", "player": "bo", "name": "Bo"}
MINUTE = TimeControl(60_000, 2_000)

ROOMS = {
    "empty": a_room(None, None),
    "waiting": a_room(ADA, None),
    "playing": played(a_room(), "4 2 0"),
    "with clocks that stand": a_room(time=MINUTE),
    "with clocks that run": played(a_room(time=MINUTE), "4 2", now=5),
    "with AIs": a_room("easy", "perfect"),
    "covered": after(a_room(), SeatAI(ADA.id, Mark.O, "easy", absent_for=20_000)),
    "won": played(a_room(), X_WINS),
    "drawn": played(a_room(), DRAW),
    "resigned": after(a_room(), Resign(ADA.id)),
    "lost on time": after(played(a_room(time=MINUTE), "4"), Expire(), now=60_000),
    "claimed": after(played(a_room(), "4"), Claim(ADA.id, absent_for=30_000), now=30_000),
    "asked for a rematch": after(played(a_room(), X_WINS), Rematch(BO.id)),
    "in the next game": after(played(a_room(), X_WINS), Rematch(BO.id), Rematch(ADA.id)),
}


@pytest.mark.parametrize("room", ROOMS.values(), ids=ROOMS)
def test_a_state_is_written_exactly_as_the_typed_frame_is_encoded(room: Room) -> None:
    text = state_text(R, room)

    state = decode_frame(text)

    assert isinstance(state, State)
    assert (state.room, state.seq, state.moves) == (R, room.seq, list(room.moves))
    assert encode(state) == text


@pytest.mark.parametrize("room", ROOMS.values(), ids=ROOMS)
def test_a_summary_is_written_exactly_as_the_typed_frame_is_encoded(room: Room) -> None:
    text = lobby_text(True, [summary(R, room, 3)], [])

    lobby = decode_frame(text)

    assert isinstance(lobby, LobbyFrame)
    assert [(listed.room, listed.game, listed.watchers) for listed in lobby.rooms] == [
        (R, room.game, 3)
    ]
    assert encode(lobby) == text


def test_the_rooms_above_show_every_way_a_game_can_end() -> None:
    outcomes = [room.finished.outcome for room in ROOMS.values() if room.finished]

    assert {outcome.by for outcome in outcomes} == set(Ending)


def test_a_state_is_the_whole_room() -> None:
    room = played(a_room(), "4 2 0")

    assert json.loads(state_text(R, room)) == {
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
    return json.loads(state_text(R, room))


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
    room = a_room(time=MINUTE)
    standing = {"budget": 60_000, "increment": 2_000, "left": {"X": 60_000, "O": 60_000}}

    assert state(room)["clock"] == {**standing, "since": None}
    assert state(played(room, "4", now=5))["clock"] == {**standing, "since": 5}


def test_a_summary_shows_a_room_in_a_few_words() -> None:
    playing = summary(R, played(a_room(ADA, "hard"), "4 2"), 3)
    covered = after(a_room(), SeatAI(ADA.id, Mark.O, "easy", absent_for=20_000))

    assert json.loads(bytes(playing)) == {
        "room": "Jx3kQ9",
        "variant": "3x3",
        "game": 1,
        "board": "..O.X....",
        "status": "playing",
        "turn": "X",
        "seats": {"X": {"kind": "human", "name": "Ada"}, "O": {"kind": "ai", "level": "hard"}},
        "watchers": 3,
    }
    assert json.loads(bytes(summary(R, covered, 0)))["seats"]["O"] == {
        "kind": "ai",
        "level": "easy",
    }
