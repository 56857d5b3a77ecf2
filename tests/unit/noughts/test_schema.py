"""The protocol as JSON Schema and as TypeScript, both generated from the types."""

from __future__ import annotations

import json
from typing import Any, get_args

import msgspec
import pytest

from noughts import schema
from noughts.messages import Frame, Request
from tests.support.schema import Deviation, check_frame, check_request

SCHEMA: dict[str, Any] = json.loads(schema.render_schema())
DEFINED: dict[str, Any] = SCHEMA["$defs"]


@pytest.mark.parametrize(("name", "union"), schema.UNIONS.items())
def test_the_schema_has_every_message_of_both_unions(name: str, union: Any) -> None:
    names = [kind.__name__ for kind in get_args(union)]

    assert [each["$ref"] for each in DEFINED[name]["anyOf"]] == [f"#/$defs/{n}" for n in names]
    assert set(names) <= set(DEFINED)


def test_the_schema_says_which_fields_are_required() -> None:
    assert DEFINED["Play"]["required"] == ["type", "room", "cell", "ply"]
    assert DEFINED["Accepted"]["required"] == ["type", "re"]


def test_the_schema_forbids_unknown_fields_in_requests_and_allows_them_in_frames() -> None:
    assert all(
        DEFINED[kind.__name__]["additionalProperties"] is False for kind in get_args(Request)
    )
    assert not any("additionalProperties" in DEFINED[kind.__name__] for kind in get_args(Frame))


def test_a_pattern_of_the_schema_is_one_that_javascript_knows_too() -> None:
    """`\\Z` and other patterns of Python mean something else in JavaScript."""
    assert DEFINED["Hello"]["properties"]["token"] == {
        "type": "string",
        "pattern": "^[A-Za-z0-9_-]{43}$",
        "maxLength": 43,
    }


def test_a_message_is_an_object_type_in_typescript() -> None:
    declarations = schema.render_declarations()

    assert (
        """  type Accepted = {
    type: 'accepted';
    re: string | number | null;
    room?: string;
    seq?: number;
  };
"""
        in declarations
    )
    for kind in (*get_args(Request), *get_args(Frame)):
        assert declarations.count(f"  type {kind.__name__} = {{\n") == 1


def test_a_type_without_a_counterpart_in_typescript_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Odd(msgspec.Struct):
        share: float

    monkeypatch.setattr(schema, "UNIONS", {"Odd": Odd})
    with pytest.raises(TypeError, match="no TypeScript"):
        schema.render_declarations()


@pytest.mark.parametrize(
    "frame",
    [
        {"type": "pong", "re": 1, "now": 5, "mood": "calm"},
        {"type": "pong", "re": 1, "now": "5"},
        {"type": "pong", "now": 5},
        {"type": "ping", "id": 1},
        {"type": "presence", "room": "a", "online": ["Z"], "watchers": 0},
        {"type": "quick", "on": True, "partner": {"id": "a"}, "asks": False, "room": None},
    ],
)
def test_the_tests_find_a_frame_that_deviates_from_the_schema(frame: dict[str, Any]) -> None:
    check_frame({"type": "pong", "re": 1, "now": 5})
    with pytest.raises(Deviation):
        check_frame(frame)


def test_the_tests_find_a_request_that_deviates_from_the_schema() -> None:
    check_request({"type": "play", "room": "a", "cell": 4, "ply": 0})
    for wrong in ({"cell": "4"}, {"mood": 1}, {"id": "x" * 65}):
        with pytest.raises(Deviation):
            check_request({"type": "play", "room": "a", "cell": 4, "ply": 0, **wrong})


def test_the_schema_describes_what_is_told_over_http() -> None:
    assert DEFINED["PlayedGame"]["properties"]["players"] == {"$ref": "#/$defs/ListedSeats"}
    assert "best" in DEFINED["ReviewedMove"]["required"]
