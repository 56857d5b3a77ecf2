"""The values inside messages, and how they are read."""

from __future__ import annotations

import msgspec
import pytest

from noughts.shapes import (
    AISeat,
    CellValue,
    Covered,
    HumanSeat,
    ListedAI,
    ListedHuman,
    ListedSeat,
    OpenSeat,
    Seat,
    WantedClock,
    WantedHolder,
    WantedSeats,
)


@pytest.mark.parametrize(
    ("text", "seat"),
    [
        (b'{"kind":"open"}', OpenSeat()),
        (b'{"kind":"human","player":"ada","name":"Ada"}', HumanSeat("ada", "Ada")),
        (b'{"kind":"ai","level":"hard"}', AISeat("hard")),
        (
            b'{"kind":"ai","level":"easy","covers":{"player":"bo","name":"Bo"}}',
            AISeat("easy", Covered("bo", "Bo")),
        ),
    ],
    ids=str,
)
def test_the_kind_of_a_seat_says_what_it_holds(text: bytes, seat: Seat) -> None:
    assert msgspec.json.decode(text, type=Seat) == seat
    assert msgspec.json.encode(seat) == text


@pytest.mark.parametrize(
    ("text", "seat"),
    [
        (b'{"kind":"open"}', OpenSeat()),
        (b'{"kind":"human","name":"Ada"}', ListedHuman("Ada")),
        (b'{"kind":"ai","level":"hard"}', ListedAI("hard")),
    ],
    ids=str,
)
def test_a_listed_seat_names_no_player_id(text: bytes, seat: ListedSeat) -> None:
    assert msgspec.json.decode(text, type=ListedSeat) == seat
    assert msgspec.json.encode(seat) == text


def test_the_number_of_plies_is_called_in_on_the_wire() -> None:
    assert msgspec.json.encode(CellValue("win", 3)) == b'{"value":"win","in":3}'


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        (b'{"ai":"hard","new":1}', WantedHolder),
        (b'{"X":"me","O":"open","new":1}', WantedSeats),
        (b'{"budget":5000,"new":1}', WantedClock),
    ],
    ids=str,
)
def test_a_shape_that_a_peer_sends_has_no_unknown_fields(text: bytes, shape: type) -> None:
    with pytest.raises(msgspec.ValidationError, match="unknown field `new`"):
        msgspec.json.decode(text, type=shape)
