"""The AsyncAPI document: valid by the schema of AsyncAPI itself, and whole."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, get_args

import fastjsonschema
import pytest

from noughts.asyncapi import render_asyncapi
from noughts.messages import Frame, Request
from tests.support.serving import ROOT

DOCUMENT: dict[str, Any] = json.loads(render_asyncapi())
SPECS = ROOT / "tests/client/node_modules/@asyncapi/specs/schemas"
NAMES = [kind.__name__ for kind in (*get_args(Request), *get_args(Frame))]


def references(part: object) -> Iterator[str]:
    if isinstance(part, dict):
        for key, value in part.items():
            if key == "$ref":
                yield value
            else:
                yield from references(value)
    elif isinstance(part, list):
        for each in part:
            yield from references(each)


def without_examples(part: Any) -> Any:
    """A schema without its examples: the validator would follow references in them."""
    if isinstance(part, list):
        return [without_examples(each) for each in part]
    if not isinstance(part, dict):
        return part
    return {
        key: without_examples(value)
        for key, value in part.items()
        if key != "examples" or isinstance(value, dict)
    }


def test_the_document_is_valid_asyncapi_and_a_broken_one_is_not() -> None:
    specification = json.loads((SPECS / "3.0.0-without-$id.json").read_text())
    validate = fastjsonschema.compile(without_examples(specification), use_default=False)
    validate(DOCUMENT)

    broken = json.loads(render_asyncapi())
    broken["operations"]["sendFrame"]["action"] = "shout"
    with pytest.raises(fastjsonschema.JsonSchemaValueException):
        validate(broken)


def test_every_reference_leads_somewhere() -> None:
    found = set(references(DOCUMENT))
    assert len(found) > 60
    for reference in found:
        part = DOCUMENT
        for step in reference.removeprefix("#/").split("/"):
            part = part[step]


def test_every_message_is_on_the_channel_with_its_type() -> None:
    messages = DOCUMENT["components"]["messages"]
    assert list(DOCUMENT["channels"]["socket"]["messages"]) == list(messages) == NAMES
    for name, message in messages.items():
        schema = DOCUMENT["components"]["schemas"][name]
        assert schema["properties"]["type"] == {"enum": [message["name"]]}


def test_the_server_receives_requests_and_sends_frames() -> None:
    operations = DOCUMENT["operations"]
    received, sent = operations["receiveRequest"], operations["sendFrame"]

    assert (received["action"], sent["action"]) == ("receive", "send")
    for operation, union in ((received, Request), (sent, Frame)):
        kinds = [message["$ref"].rpartition("/")[2] for message in operation["messages"]]
        assert kinds == [kind.__name__ for kind in get_args(union)]
    answers = {message["$ref"].rpartition("/")[2] for message in received["reply"]["messages"]}
    assert answers == {k.__name__ for k in get_args(Frame) if "re" in k.__struct_fields__}
