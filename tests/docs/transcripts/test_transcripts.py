"""Finished games as text: replaying each one gives the recorded states.

A transcript is a title, then each stored event with the state after it, indented. Transcripts are
recorded once and never change: a room that any version has stored must be the same room in every
later version.
"""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any, get_args

import pytest

from server import codec
from server.core.events import Event
from server.core.evolve import evolve
from server.core.room import Room, RoomId
from server.core.rules import Ending
from server.wire.snapshots import Snapshots, state_text
from tests.support.plain_rules import SIZES, PlainGame

TRANSCRIPTS = sorted(Path(__file__).parent.glob("*.txt"))

Step = tuple[Any, Any]  # an event as it was stored, and the state after it


def steps(transcript: Path) -> list[Step]:
    title, *lines = transcript.read_text(encoding="utf-8").splitlines()
    assert title.startswith("# ")
    events, states = lines[::2], lines[1::2]
    assert all(line.startswith("  ") for line in states)
    return [
        (json.loads(event), json.loads(state)) for event, state in zip(events, states, strict=True)
    ]


@pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=lambda path: str(path.stem))
def test_a_recorded_game_shows_its_recorded_states(transcript: Path) -> None:
    room: Room | None = None
    for stored, recorded in steps(transcript):
        room = evolve(room, codec.decode(stored))
        assert json.loads(state_text(RoomId(recorded["room"]), room)) == recorded


@pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=lambda path: str(path.stem))
def test_a_snapshot_that_reuses_encoded_parts_is_the_recorded_state(transcript: Path) -> None:
    (opened, first), *others = steps(transcript)
    room = evolve(None, codec.decode(opened))
    snapshots = Snapshots(RoomId(first["room"]), room)
    for stored, recorded in others:
        room = evolve(room, codec.decode(stored))
        assert json.loads(snapshots.text(room)) == recorded


@pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=lambda path: str(path.stem))
def test_a_recorded_event_is_still_stored_as_it_was(transcript: Path) -> None:
    for stored, _ in steps(transcript):
        assert codec.encode(codec.decode(stored)) == stored


@pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=lambda path: str(path.stem))
def test_a_recording_has_no_gaps_and_its_time_runs_forward(transcript: Path) -> None:
    recorded = steps(transcript)

    assert [state["seq"] for _, state in recorded] == list(range(1, len(recorded) + 1))
    times = [stored["at"] for stored, _ in recorded]
    assert times == sorted(times)


def test_the_recordings_have_every_kind_of_event_and_of_ending() -> None:
    every = [step for transcript in TRANSCRIPTS for step in steps(transcript)]

    assert {type(codec.decode(stored)) for stored, _ in every} == set(get_args(Event))
    endings = {state["outcome"]["by"] for _, state in every if state["outcome"]}
    assert endings == set(Ending)


@pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=lambda path: str(path.stem))
def test_a_recorded_board_is_that_of_the_plain_rules(transcript: Path) -> None:
    game = PlainGame("3x3")
    for (_, before), (_, state) in pairwise([(None, {"game": 0}), *steps(transcript)]):
        if state["game"] != before["game"]:
            game = PlainGame(state["variant"]["name"])
        for cell in state["moves"][len(game.moves) :]:
            game.play(cell)
        assert game.moves == state["moves"]
        drawn = [None if mark == "." else mark for row in game.board() for mark in row]
        assert state["board"] == drawn
        if state["outcome"] and state["outcome"]["by"] in ("line", "full", "limit"):
            assert (state["outcome"]["winner"] or "", state["outcome"]["by"]) == game.result()
        else:
            assert game.result() is None
        if "boards" in state:
            assert [owner or "" for owner in state["boards"]] == game.owners
        if "playable" in state:
            assert state["playable"] == (game.legal() if state["status"] == "playing" else [])


def test_the_recordings_have_every_game() -> None:
    assert {steps(path)[0][1]["variant"]["name"] for path in TRANSCRIPTS} == set(SIZES)


def test_the_recordings_show_what_their_names_say() -> None:
    last = {path.stem: steps(path)[-1][1] for path in TRANSCRIPTS}

    assert last["line"]["outcome"] == {"winner": "X", "by": "line", "line": [0, 1, 2]}
    assert last["draw"]["outcome"] == {"winner": None, "by": "full", "line": None}
    assert last["resignation"]["outcome"]["winner"] == "X"
    assert last["rematch"]["score"] == {"X": 1, "O": 1, "draws": 1}
    assert last["rematch"]["game"] == 3
    assert last["cover"]["seats"]["O"] == {"kind": "human", "player": "bo", "name": "Bobby"}
    assert last["cover_for_good"]["seats"]["X"] == {"kind": "ai", "level": "perfect"}
    assert last["cover_for_good"]["score"] == {"X": 0, "O": 0, "draws": 0}
    assert last["time"]["clock"]["left"] == {"X": 59_000, "O": 0}
    assert last["absence"]["outcome"] == {"winner": "X", "by": "absence", "line": None}
    assert last["newcomer"]["score"] == {"X": 0, "O": 0, "draws": 0}
    assert last["newcomer"]["seats"]["X"]["name"] == "Cy"
    assert last["exhibition"]["seats"]["X"]["name"] == "Cy"
    assert last["vanishing_limit"]["outcome"] == {"winner": None, "by": "limit", "line": None}
    assert last["ultimate"]["outcome"]["boards"] == [3, 4, 5]
    assert last["opening"]["opening"] == 4
    assert last["one_screen"]["score"] == {"X": 0, "O": 1, "draws": 0}
