"""Texts to requests: well-formed and malformed ones, and no other outcome."""

from __future__ import annotations

import json
from typing import Any, get_args

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from noughts import messages
from noughts.messages import REQUEST_LIMIT, Request
from server.core import commands
from server.core.commands import Reason, Refused
from server.core.events import Person, TimeControl
from server.core.rules import CLASSIC, Mark, O
from server.wire import frames
from server.wire.requests import Malformed, RoomRequest, read, to_command, to_create
from tests.support.people import ADA
from tests.support.requests import check_request

TOKEN = "A" * 43


def text(**fields: Any) -> bytes:
    return json.dumps(fields).encode()


def malformed(raw: bytes) -> Malformed:
    with pytest.raises(Malformed) as caught:
        read(raw)
    return caught.value


def command(**fields: Any) -> commands.Command:
    request = read(text(**fields))
    if isinstance(request, messages.Create):
        return to_create(request, ADA)
    assert isinstance(request, RoomRequest)
    return to_command(request, ADA)


# ------------------------------------------------------------------------- well-formed


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"type": "sit", "seat": "X"}, commands.Sit(ADA, Mark.X)),
        ({"type": "leave", "seat": "O"}, commands.Leave(ADA.id, Mark.O)),
        (
            {"type": "seat_ai", "seat": "O", "level": "hard"},
            commands.SeatAI(ADA.id, Mark.O, "hard"),
        ),
        ({"type": "dismiss_ai", "seat": "O"}, commands.DismissAI(ADA.id, Mark.O)),
        ({"type": "play", "cell": 4, "ply": 0}, commands.Play(ADA.id, 4, 0)),
        ({"type": "play", "cell": 4, "ply": 2, "game": 3}, commands.Play(ADA.id, 4, 2, 3)),
        ({"type": "resign"}, commands.Resign(ADA.id)),
        ({"type": "resign", "game": 2}, commands.Resign(ADA.id, 2)),
        ({"type": "rematch"}, commands.Rematch(ADA.id)),
        ({"type": "rematch", "game": 2}, commands.Rematch(ADA.id, 2)),
        ({"type": "sit", "seat": "O", "name": "Mia"}, commands.Sit(Person(ADA.id, "Mia"), O)),
        ({"type": "sit", "seat": "O", "name": " "}, commands.Sit(ADA, O)),
        ({"type": "claim"}, commands.Claim(ADA.id)),
        ({"type": "claim", "game": 2}, commands.Claim(ADA.id, 2)),
    ],
    ids=str,
)
def test_a_request_in_a_room_becomes_a_command(
    fields: dict[str, Any], expected: commands.Command
) -> None:
    assert command(room="r", **fields) == expected


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, commands.Create(CLASSIC, (ADA, None))),
        ({"variant": "3x3", "clock": None}, commands.Create(CLASSIC, (ADA, None))),
        (
            {"seats": {"X": {"ai": "perfect"}, "O": "me"}, "public": False},
            commands.Create(CLASSIC, ("perfect", ADA), public=False),
        ),
        (
            {"seats": {"X": "open", "O": "open"}, "clock": {"budget": 5000}},
            commands.Create(CLASSIC, (None, None), time=TimeControl(5_000, 0)),
        ),
        (
            {"clock": {"budget": 3_600_000, "increment": 60_000}, "nonce": "n" * 64},
            commands.Create(CLASSIC, (ADA, None), time=TimeControl(3_600_000, 60_000)),
        ),
        (
            {"seats": {"X": {"me": " Mia "}, "O": {"me": "\u200b"}}},
            commands.Create(CLASSIC, (Person(ADA.id, "Mia"), ADA)),
        ),
        ({"moves": [4, 0]}, commands.Create(CLASSIC, (ADA, None), opening=(4, 0))),
    ],
    ids=str,
)
def test_create_has_the_defaults_of_the_protocol(
    fields: dict[str, Any], expected: commands.Create
) -> None:
    assert command(type="create", **fields) == expected


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"variant": "19x19"}, Reason.NO_SUCH_VARIANT),
        ({"seats": {"X": "me", "O": {"ai": "genius"}}}, Reason.NO_SUCH_LEVEL),
    ],
    ids=str,
)
def test_a_variant_or_level_that_does_not_exist_is_refused_and_not_malformed(
    fields: dict[str, Any], reason: Reason
) -> None:
    with pytest.raises(Refused) as caught:
        command(type="create", **fields)
    assert caught.value.reason is reason


@pytest.mark.parametrize(
    "fields",
    [
        {"type": "hello", "protocol": 1},
        {"type": "hello", "protocol": 99, "token": TOKEN, "name": "Ada " * 99},
        {"type": "watch", "room": "r"},
        {"type": "unwatch", "room": "r"},
        {"type": "say", "room": "r", "phrase": "good_game"},
        {"type": "lobby", "on": True},
        {"type": "analyse", "room": "r"},
        {"type": "analyse", "room": "r", "ply": 3},
        {"type": "ping"},
    ],
    ids=str,
)
def test_the_other_requests_are_read_as_they_are(fields: dict[str, Any]) -> None:
    request = read(text(**fields))

    assert isinstance(request, get_args(Request))
    assert {name: getattr(request, name) for name in fields if name != "type"} == {
        name: value for name, value in fields.items() if name != "type"
    }


@pytest.mark.parametrize("id", [7, -1, 0, 10**30, "", "abc", "x" * 64, "♞" * 64])
def test_an_id_is_an_integer_or_a_short_string_and_is_repeated(id: int | str) -> None:
    assert read(text(type="ping", id=id)).re == id
    assert malformed(text(type="nope", id=id)).re == id


def test_a_request_without_an_id_is_answered_to_null() -> None:
    assert read(text(type="ping")).re is None


@pytest.mark.parametrize("number", [-1, 9, 2**63, 2**64, 10**30, -(10**30), 10**3000])
def test_an_integer_of_any_size_is_well_formed(number: int) -> None:
    for fields in ({"cell": number, "ply": 0}, {"cell": 0, "ply": number}):
        assert isinstance(read(text(type="play", room="r", **fields)), messages.Play)


# --------------------------------------------------------------------------- malformed


@pytest.mark.parametrize(
    ("raw", "where"),
    [
        (b"", "JSON"),
        (b"hello", "JSON"),
        (b'{"type":"ping"} {}', "JSON"),
        (b'{"type":"ping","id":NaN}', "JSON"),
        (b'\xef\xbb\xbf{"type":"ping"}', "JSON"),
        (b"[]", "object"),
        (b"null", "object"),
        (b"{}", "type"),
        (b'{"type":"dance"}', "type"),
        (b'{"type":7}', "type"),
        (b'{"type":"ping","extra":1}', "extra"),
        (b'{"type":"watch"}', "room"),
        (b'{"type":"watch","room":7}', "room"),
        (b'{"type":"watch","room":null}', "room"),
        (b'{"type":"sit","room":"r","seat":"x"}', "seat"),
        (b'{"type":"lobby","on":1}', "on"),
        (b'{"type":"create","public":null}', "public"),
        (b'{"type":"create","seats":{"X":"me"}}', "seats"),
        (b'{"type":"create","seats":{"X":"me","O":"you"}}', "seats.O"),
        (b'{"type":"create","seats":{"X":"me","O":{"ai":1}}}', "seats.O.ai"),
        (b'{"type":"create","seats":{"X":"me","O":"me","Z":"me"}}', "seats"),
        (b'{"type":"create","seats":{"X":"me","O":{}}}', "seats.O"),
        (b'{"type":"create","seats":{"X":"me","O":{"ai":"easy","me":"Mia"}}}', "seats.O"),
        (b'{"type":"create","seats":{"X":{"me":null},"O":"open"}}', "seats.X.me"),
        (b'{"type":"create","moves":{}}', "moves"),
        (b'{"type":"create","moves":[4,"0"]}', "moves[1]"),
        (b'{"type":"create","moves":[1.0]}', "moves[0]"),
        (b'{"type":"sit","room":"r","seat":"X","name":7}', "name"),
        (b'{"type":"quick","on":true,"variant":null}', "variant"),
        (b'{"type":"create","clock":{}}', "budget"),
        (b'{"type":"create","clock":{"budget":4999}}', "clock.budget"),
        (b'{"type":"create","clock":{"budget":3600001}}', "clock.budget"),
        (b'{"type":"create","clock":{"budget":5000,"increment":-1}}', "clock.increment"),
        (b'{"type":"create","clock":{"budget":5000,"increment":60001}}', "clock.increment"),
        (b'{"type":"create","nonce":"' + b"n" * 65 + b'"}', "nonce"),
        (b'{"type":"hello"}', "protocol"),
        (b'{"type":"hello","protocol":"1"}', "protocol"),
        (b'{"type":"hello","protocol":1,"name":null}', "name"),
    ],
    ids=str,
)
def test_a_malformed_request_is_refused_with_the_name_of_the_field(raw: bytes, where: str) -> None:
    problem = malformed(raw)

    assert where in problem.text
    assert problem.text.endswith(".")
    assert problem.re is None


@pytest.mark.parametrize("cell", [b"true", b"1.0", b"1e0", b'"4"', b"null", b"[4]", b"{}"])
def test_a_cell_that_is_not_an_integer_is_malformed(cell: bytes) -> None:
    problem = malformed(b'{"type":"play","id":7,"room":"r","ply":0,"cell":' + cell + b"}")

    assert problem.text.startswith("cell: expected int, got ")
    assert problem.re == 7


@pytest.mark.parametrize("id", [b"null", b"true", b"1.0", b"[]", b'"' + b"x" * 65 + b'"'])
def test_an_id_of_another_kind_is_malformed_and_not_repeated(id: bytes) -> None:
    problem = malformed(b'{"type":"ping","id":' + id + b"}")

    assert problem.text.startswith("id: ")
    assert problem.re is None


@pytest.mark.parametrize(
    "token", ["", "A" * 42, "A" * 44, "A" * 43 + "\n", "A" * 42 + "é", 7, None]
)
def test_a_token_of_another_form_is_malformed(token: object) -> None:
    assert malformed(text(type="hello", protocol=1, token=token)).text.startswith("token: ")


def test_the_last_of_two_equal_keys_wins() -> None:
    assert read(b'{"type":"ping","id":1,"id":2}').re == 2
    assert read(b'{"type":"ping","id":[],"id":2}').re == 2
    assert isinstance(read(b'{"type":"ping","type":"watch","room":"r"}'), messages.Watch)
    assert isinstance(read(b'{"type":"watch","room":7,"room":"r"}'), messages.Watch)
    assert malformed(b'{"type":"watch","room":"r","room":7}').text.startswith("room: ")


def test_a_text_that_is_not_utf_8_raises_its_own_error() -> None:
    for raw in (b"\xff", b'{"type":"ping","id":"\xff"}', b'{"type":"watch","room":"\xc3"}'):
        with pytest.raises(UnicodeDecodeError):
            read(raw)


# ----------------------------------------------------------------------- whatever comes


@pytest.mark.parametrize(
    "raw",
    [
        rb'{"type":"\ud800"}',
        rb'{"type":"ping","\ud800":1}',
        rb'{"type":"create","seats":{"X":"\ud800","O":"me"}}',
        rb'{"type":"sit","room":"r","seat":"\udfff"}',
        rb'{"type":"ping","id":"\ud800"}',
    ],
    ids=str,
)
def test_half_a_surrogate_pair_is_malformed_and_the_answer_can_be_sent(raw: bytes) -> None:
    problem = malformed(raw)

    assert frames.refused(problem.re, Reason.MALFORMED, problem.text)


NESTED = {
    "a list": b"[" * REQUEST_LIMIT,
    "before the type": b'{"a":' + b"[" * 2000 + b"]" * 2000 + b',"type":"ping"}',
    "without an end": b'{"a":' + b"[" * 4000,
    "as an id": b'{"type":"ping","id":' + b"[" * 2000 + b"]" * 2000 + b"}",
    "objects": b'{"a":' * 800 + b"1" + b"}" * 800,
}


@pytest.mark.parametrize("where", NESTED)
def test_a_text_nested_too_deeply_is_malformed(where: str) -> None:
    assert malformed(NESTED[where]).text


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_a_request_or_malformed_or_not_utf_8(raw: bytes) -> None:
    check_request(raw)


KEYS = ["type", "id", "room", "seat", "level", "cell", "ply", "game", "protocol", "token", "name"]
KEYS += ["variant", "seats", "public", "clock", "nonce", "phrase", "on", "X", "ai", "budget"]
TYPES = [kind.__struct_config__.tag for kind in get_args(Request)]
texts = st.text(st.characters(exclude_categories=[]), max_size=70)  # lone surrogates too
plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts | st.sampled_from(["X", "me"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
objects = st.fixed_dictionaries({"type": st.sampled_from(TYPES) | texts}).flatmap(
    lambda typed: st.dictionaries(st.sampled_from(KEYS[1:]) | texts, plain, max_size=5).map(
        lambda rest: {**rest, **typed}
    )
)


@settings(deadline=None)
@given(objects | plain)
@example({"type": "ping", "\ud800": None})
def test_any_json_is_a_request_or_malformed(value: object) -> None:
    check_request(json.dumps(value).encode())
