"""Events on disk: the JSON of each event, which every later version must read."""

from __future__ import annotations

import json
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server import codec
from server.core.events import (
    AIDismissed,
    AISeated,
    ClockResumed,
    Event,
    GameForfeited,
    GameStarted,
    MovePlayed,
    Person,
    PlayerId,
    RematchAsked,
    RoomOpened,
    SeatLeft,
    SeatTaken,
    TimeControl,
)
from server.core.rules import CLASSIC, ULTIMATE, Ending, Mark, Variant

BOARD = {"name": "3x3", "rows": 3, "columns": 3, "line": 3}
ADA = Person(PlayerId("Jx3kQ9"), "Ada ♞")

# Never change a line here: every version must open rooms that were stored like this.
STORED: list[tuple[Event, dict[str, object]]] = [
    (
        RoomOpened(1, CLASSIC, True),
        {"v": 1, "type": "room_opened", "at": 1, "variant": BOARD, "public": True, "time": None},
    ),
    (
        RoomOpened(3, ULTIMATE, True, opening=(40, 30)),
        {
            "v": 1,
            "type": "room_opened",
            "at": 3,
            "variant": {"name": "ultimate", "rows": 9, "columns": 9, "line": 3, "nested": True},
            "public": True,
            "time": None,
            "opening": [40, 30],
        },
    ),
    (
        RoomOpened(2, CLASSIC, False, TimeControl(60_000, 2_000)),
        {
            "v": 1,
            "type": "room_opened",
            "at": 2,
            "variant": BOARD,
            "public": False,
            "time": {"budget": 60_000, "increment": 2_000},
        },
    ),
    (
        SeatTaken(3, Mark.X, ADA),
        {
            "v": 1,
            "type": "seat_taken",
            "at": 3,
            "mark": "X",
            "person": {"id": "Jx3kQ9", "name": "Ada ♞"},
        },
    ),
    (
        SeatTaken(3, Mark.O, Person(PlayerId("Rx"), "Robo", bot=True)),
        {
            "v": 1,
            "type": "seat_taken",
            "at": 3,
            "mark": "O",
            "person": {"id": "Rx", "name": "Robo", "bot": True},
        },
    ),
    (SeatLeft(4, Mark.O), {"v": 1, "type": "seat_left", "at": 4, "mark": "O"}),
    (
        AISeated(5, Mark.O, "hard"),
        {"v": 1, "type": "ai_seated", "at": 5, "mark": "O", "level": "hard"},
    ),
    (AIDismissed(6, Mark.O), {"v": 1, "type": "ai_dismissed", "at": 6, "mark": "O"}),
    (
        MovePlayed(7, Mark.X, 8),
        {"v": 1, "type": "move_played", "at": 7, "mark": "X", "cell": 8},
    ),
    (
        GameForfeited(8, Mark.X, Ending.RESIGNATION),
        {"v": 1, "type": "game_forfeited", "at": 8, "loser": "X", "by": "resignation"},
    ),
    (RematchAsked(9, Mark.O), {"v": 1, "type": "rematch_asked", "at": 9, "mark": "O"}),
    (GameStarted(10), {"v": 1, "type": "game_started", "at": 10}),
    (ClockResumed(11, 7), {"v": 1, "type": "clock_resumed", "at": 11, "since": 7}),
]

instants = st.integers(0, 2**53)
marks = st.sampled_from(Mark)
texts = st.text(max_size=5)
people = st.builds(Person, texts.map(PlayerId), texts, st.booleans())
sizes = st.integers(1, 20)
events: st.SearchStrategy[Event] = st.one_of(
    st.builds(
        RoomOpened,
        instants,
        st.builds(
            Variant,
            texts,
            sizes,
            sizes,
            sizes,
            falls=st.booleans(),
            avoid=st.booleans(),
            keep=sizes,
            limit=sizes,
            nested=st.booleans(),
        ),
        st.booleans(),
        st.none() | st.builds(TimeControl, instants, instants),
        st.lists(sizes).map(tuple),
    ),
    st.builds(SeatTaken, instants, marks, people),
    st.builds(SeatLeft, instants, marks),
    st.builds(AISeated, instants, marks, texts),
    st.builds(AIDismissed, instants, marks),
    st.builds(MovePlayed, instants, marks, st.integers(0, 400)),
    st.builds(GameForfeited, instants, marks, st.sampled_from(Ending)),
    st.builds(RematchAsked, instants, marks),
    st.builds(GameStarted, instants),
    st.builds(ClockResumed, instants, st.none() | instants),
)


@pytest.mark.parametrize(("event", "plain"), STORED, ids=[str(event) for event, _ in STORED])
def test_every_event_is_stored_like_this_and_read_back(
    event: Event, plain: dict[str, object]
) -> None:
    assert codec.encode(event) == plain
    assert codec.decode(plain) == event


def test_every_kind_of_event_has_a_stored_shape_above() -> None:
    assert {type(event) for event, _ in STORED} == set(get_args(Event))


@settings(max_examples=60, deadline=None)
@given(events)
def test_an_event_survives_encoding_and_decoding(event: Event) -> None:
    stored = codec.write(event)

    assert json.loads(stored) == codec.encode(event)
    assert codec.read(stored) == event


@pytest.mark.parametrize(
    ("event", "without"),
    [
        (RoomOpened(2, CLASSIC, True), ["time"]),
        (RoomOpened(2, CLASSIC, True, TimeControl(60_000)), ["time", "increment"]),
    ],
    ids=["in the event", "nested"],
)
def test_an_older_event_without_an_optional_field_gets_its_default(
    event: Event, without: list[str]
) -> None:
    plain = codec.encode(event)
    *path, field = without
    holder: Any = plain
    for name in path:
        holder = holder[name]
    del holder[field]

    assert codec.decode(plain) == event
    assert codec.read(json.dumps(plain)) == event


@pytest.mark.parametrize(("event", "plain"), STORED, ids=[str(event) for event, _ in STORED])
def test_fields_of_a_newer_version_are_ignored(event: Event, plain: dict[str, object]) -> None:
    newer = {
        name: {**value, "colour": "red"} if isinstance(value, dict) else value
        for name, value in plain.items()
    }

    added = {"weather": {"rain": [1]}, "loser": "both"}
    assert codec.decode({**added, **newer}) == event


def test_a_known_variant_is_not_built_again() -> None:
    opened = codec.decode(codec.encode(RoomOpened(1, CLASSIC, True)))

    assert isinstance(opened, RoomOpened)
    assert opened.variant is CLASSIC  # whose lines are computed already


@pytest.mark.parametrize(
    "plain",
    [
        {},
        {"type": "seat_left", "at": 4, "mark": "O"},
        {"v": 2, "type": "seat_left", "at": 4, "mark": "O"},
        {"v": 1, "at": 4, "mark": "O"},
        {"v": 1, "type": "seat_burnt", "at": 4, "mark": "O"},
        {"v": 1, "type": ["seat_left"], "at": 4, "mark": "O"},
        {"v": 1, "type": "seat_left", "mark": "O"},
        {"v": 1, "type": "seat_left", "at": 4},
        {"v": 1, "type": "seat_left", "at": "4", "mark": "O"},
        {"v": 1, "type": "seat_left", "at": 4, "mark": ["O"]},
        {"v": 1, "type": "seat_left", "at": 4, "mark": "Z"},
        {"v": 1, "type": "seat_left", "at": 4, "mark": 0},
        {"v": 1, "type": "seat_taken", "at": 4, "mark": "O", "person": None},
        {"v": 1, "type": "seat_taken", "at": 4, "mark": "O", "person": {"id": "a"}},
        {"v": 1, "type": "game_forfeited", "at": 4, "loser": "X", "by": "boredom"},
        {"v": 1, "type": "room_opened", "at": 1, "variant": {}, "public": True, "time": None},
    ],
    ids=str,
)
def test_an_event_that_no_version_has_written_is_unreadable(plain: Any) -> None:
    with pytest.raises(codec.Unreadable, match=r"cannot read the event .*: ."):
        codec.decode(plain)


@pytest.mark.parametrize(
    ("plain", "sentence"),
    [
        ({"v": 1, "type": "seat_burnt", "at": 4}, "its type is unknown"),
        ({"v": 2, "type": "seat_left", "at": 4, "mark": "O"}, "its version is unknown"),
        ({"v": 1, "type": "seat_left", "mark": "O"}, "missing required field `at`"),
        ({"v": 1, "type": "seat_left", "at": 4, "mark": "Z"}, "its mark is neither X nor O"),
    ],
    ids=str,
)
def test_the_error_explains_why_an_event_is_unreadable(
    plain: dict[str, object], sentence: str
) -> None:
    with pytest.raises(codec.Unreadable, match=sentence):
        codec.decode(plain)


@pytest.mark.parametrize("text", ["", "{", '{"v":1} {"v":1}', "move_played", "[]", "null"])
def test_text_that_is_not_a_json_object_is_unreadable(text: str) -> None:
    with pytest.raises(codec.Unreadable, match="is not a JSON object"):
        codec.read(text)
