"""Validates messages against the schema that programs of others use (docs/protocol.schema.json).

The schema lets a server add fields. Here it does not: what the server sends has to be declared.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any

import fastjsonschema

from noughts.schema import render_schema

Message = dict[str, Any]


class Deviation(AssertionError):
    """A message that the schema does not allow."""


def check_frame(frame: Message) -> None:
    """Raise `Deviation` unless this is a frame that a server may send."""
    _check("Frame", frame)


def check_request(request: Message) -> None:
    """Raise `Deviation` unless this is a request that a client may send."""
    _check("Request", request)


def _check(union: str, message: Message) -> None:
    type = message.get("type")
    if type not in _kinds(union):
        raise Deviation(f"the schema has no {union} of the type {type!r}: {message}")
    try:
        _validator(_kinds(union)[type])(message)
    except fastjsonschema.JsonSchemaValueException as problem:
        raise Deviation(f"{problem.message}: {message}") from None


@cache
def _schema() -> Message:
    schema: Message = json.loads(render_schema())
    for definition in schema["$defs"].values():
        if "properties" in definition:
            definition["additionalProperties"] = False
    return schema


@cache
def _kinds(union: str) -> dict[str, str]:
    """The names of the definitions in a union, by the type of the message."""
    mapping = _schema()["$defs"][union]["discriminator"]["mapping"]
    return {type: reference.rpartition("/")[2] for type, reference in mapping.items()}


@cache
def _validator(kind: str) -> Callable[[Message], object]:
    """One validator for each kind: quicker than the union, and its message names the field."""
    schema = {"$defs": _schema()["$defs"], "$ref": f"#/$defs/{kind}"}
    validate: Callable[[Message], object] = fastjsonschema.compile(schema, use_default=False)
    return validate
