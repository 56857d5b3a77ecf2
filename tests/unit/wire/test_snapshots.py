"""The state and the summary of a room, field by field as in docs/protocol.md."""

from __future__ import annotations

import json
from itertools import count
from random import Random
from typing import Any

import pytest

from noughts.messages import LobbyFrame, State, decode_frame, encode
from server.core.commands import Claim, Expire, Rematch, Resign, SeatAI
from server.core.events import TimeControl
from server.core.record import replace
from server.core.room import Room, RoomId
from server.core.rules import (
    DROP,
    FIVE,
    REVERSE,
    ULTIMATE,
    VANISHING,
    Ending,
    Mark,
    Outcome,
)
from server.wire.frames import lobby_text
from server.wire.snapshots import state_text, summary
from tests.support.people import ADA, BO
from tests.support.playing import DRAW, X_WINS, a_room, after, play_out, played

R = RoomId("Jx3kQ9")
ADA_SITS = {"kind": "human", "player": "ada", "name": "Ada"}
BO_SITS = {"kind": "human", "player": "bo", "name": "Bo"}
MINUTE = TimeControl(60_000, 2_000)
DRAWN_BY_LIMIT = Outcome(None, Ending.LIMIT)

ROOMS = {
    "empty": a_room(None, None),
    "waiting": a_room(ADA, None),
    "playing": played(a_room(), "4 2 0"),
    "with clocks that stand": a_room(time=MINUTE),
    "with clocks that run": played(a_room(time=MINUTE), "4 2", now=5),
    "with AIs": a_room("easy", "perfect"),
    "covered": after(a_room(), SeatAI(ADA.id, Mark.O, "hard", absent_for=20_000)),
    "won": played(a_room(), X_WINS),
    "drawn": played(a_room(), DRAW),
    "resigned": after(a_room(), Resign(ADA.id)),
    "lost on time": after(played(a_room(time=MINUTE), "4"), Expire(), now=60_000),
    "claimed": after(played(a_room(), "4"), Claim(ADA.id, absent_for=30_000), now=30_000),
    "asked for a rematch": after(played(a_room(), X_WINS), Rematch(BO.id)),
    "in the next game": after(played(a_room(), X_WINS), Rematch(BO.id), Rematch(ADA.id)),
    "reverse and over": played(a_room(variant=REVERSE), X_WINS),
    "vanishing": played(a_room(variant=VANISHING), "0 1 4 8 5 3"),
    "vanishing and drawn": next(
        room
        for seed in count()
        if (room := play_out(a_room(variant=VANISHING), Random(seed))).outcome == DRAWN_BY_LIMIT
    ),
    "5x5": played(a_room(variant=FIVE), "12 6"),
    "drop": played(a_room(variant=DROP), "38 31"),
    "drop, waiting": a_room(ADA, None, variant=DROP),
    "ultimate": played(a_room(variant=ULTIMATE), "40 30"),
    "ultimate and won": next(
        room
        for seed in count()
        if (room := play_out(a_room(variant=ULTIMATE), Random(seed))).score != (0, 0)
    ),
    "with an opening": a_room(opening=(4, 0, 8)),
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
    text = lobby_text(True, [summary(R, room, 3, 2)], [])

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
    covered = state(after(a_room(), SeatAI(ADA.id, Mark.O, "hard", absent_for=20_000)))
    assert covered["seats"]["O"] == {
        "kind": "ai",
        "level": "hard",
        "covers": {"player": "bo", "name": "Bo"},
    }


def test_a_bot_is_marked_wherever_its_name_stands() -> None:
    robot = replace(BO, bot=True)
    room = a_room(ADA, robot)
    assert state(room)["seats"] == {"X": ADA_SITS, "O": {**BO_SITS, "bot": True}}
    assert json.loads(bytes(summary(R, room, 0, 0)))["seats"]["O"]["bot"] is True

    covered = state(after(room, SeatAI(ADA.id, Mark.O, "hard", absent_for=20_000)))
    assert covered["seats"]["O"]["covers"] == {"player": "bo", "name": "Bo", "bot": True}


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
    playing = summary(R, played(a_room(ADA, "hard"), "4 2"), 3, 1)
    covered = after(a_room(), SeatAI(ADA.id, Mark.O, "hard", absent_for=20_000))

    assert json.loads(bytes(playing)) == {
        "room": "Jx3kQ9",
        "variant": "3x3",
        "game": 1,
        "board": "..O.X....",
        "status": "playing",
        "turn": "X",
        "seats": {"X": {"kind": "human", "name": "Ada"}, "O": {"kind": "ai", "level": "hard"}},
        "watchers": 3,
        "online": 1,
    }
    won = json.loads(bytes(summary(R, ROOMS["won"], 0, 2)))
    assert (won["status"], won["winner"]) == ("over", "X")
    assert json.loads(bytes(summary(R, ROOMS["drawn"], 0, 2)))["winner"] is None
    assert json.loads(bytes(summary(R, covered, 0, 2)))["seats"]["O"] == {
        "kind": "ai",
        "level": "hard",
    }


def state_of(name: str) -> dict[str, Any]:
    state: dict[str, Any] = json.loads(state_text(R, ROOMS[name]))
    return state


EXTRAS = {"playable", "fading", "boards", "opening"}


def test_a_classic_state_has_none_of_the_fields_of_the_other_games() -> None:
    state = state_of("playing")

    assert not EXTRAS & state.keys()
    assert state["variant"] == {"name": "3x3", "rows": 3, "columns": 3, "line": 3}
    assert state_of("won")["outcome"] == {"winner": "X", "by": "line", "line": [0, 1, 2]}


def test_a_state_of_drop_four_lists_the_playable_cells_while_it_is_played() -> None:
    assert state_of("drop")["variant"]["falls"] is True
    assert state_of("drop")["playable"] == [24, 35, 36, 37, 39, 40, 41]
    assert state_of("drop, waiting")["playable"] == []
    assert EXTRAS & state_of("drop").keys() == {"playable"}


def test_a_state_of_vanishing_names_the_mark_that_goes_next() -> None:
    state = state_of("vanishing")

    assert state["variant"] | {"keep": 3, "limit": 100} == state["variant"]
    assert state["fading"] == 0
    assert state["board"].count("X") == state["board"].count("O") == 3
    assert EXTRAS & state.keys() == {"fading"}
    over = state_of("vanishing and drawn")
    assert (over["fading"], over["outcome"]["by"], len(over["moves"])) == (None, "limit", 100)


def test_a_state_of_ultimate_tells_who_owns_which_board_and_where_to_play() -> None:
    state = state_of("ultimate")
    assert state["variant"]["nested"] is True
    assert state["boards"] == [None] * 9
    assert state["playable"] == [0, 1, 2, 9, 10, 11, 18, 19, 20]
    assert EXTRAS & state.keys() == {"playable", "boards"}

    over = state_of("ultimate and won")

    assert over["playable"] == []
    [*boards] = over["outcome"]["boards"]
    assert {over["boards"][board] for board in boards} == {over["outcome"]["winner"]}
    assert len(over["outcome"]["line"]) == 27


def test_a_board_of_ultimate_that_nobody_can_take_is_a_draw() -> None:
    drawn = next(
        room
        for seed in count()
        if "draw"
        in json.loads(state_text(R, room := play_out(a_room(variant=ULTIMATE), Random(seed))))[
            "boards"
        ]
    )

    boards = json.loads(state_text(R, drawn))["boards"]
    assert drawn.position.owner(boards.index("draw")) is None


def test_whoever_completed_the_line_in_reverse_has_lost() -> None:
    assert state_of("reverse and over")["outcome"] == {
        "winner": "O",
        "by": "line",
        "line": [0, 1, 2],
    }


def test_a_state_tells_how_many_moves_were_given() -> None:
    state = state_of("with an opening")

    assert (state["opening"], state["moves"], state["turn"]) == (3, [4, 0, 8], "O")
