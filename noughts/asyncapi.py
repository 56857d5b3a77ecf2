"""Writes the protocol as an AsyncAPI document, for tools that draw pages or make clients from it.

Everything comes from the types of `messages.py`. The server is what the document describes: it
receives requests and sends frames, all on one channel.
"""

from __future__ import annotations

from typing import Any, get_args

from msgspec import json

from noughts.messages import (
    PROTOCOL,
    Accepted,
    Analysis,
    Frame,
    Pong,
    Refused,
    Request,
    Welcome,
)

Plain = dict[str, Any]

REQUESTS, FRAMES = get_args(Request), get_args(Frame)
ANSWERS = (Welcome, Accepted, Refused, Pong, Analysis)
SOCKET = "#/channels/socket"
DESCRIPTION = (
    "Rooms of tic-tac-toe and five relatives, over one WebSocket. Every request gets exactly one"
    " answer, which repeats its id as `re`. docs/protocol.md says what each message means."
)


def render_asyncapi() -> str:
    document = {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Noughts",
            "version": str(PROTOCOL),
            "description": DESCRIPTION,
            "license": {"name": "MIT"},
        },
        "defaultContentType": "application/json",
        "servers": {"local": {"host": "127.0.0.1:8080", "protocol": "ws"}},
        "channels": {
            "socket": {
                "address": "/ws",
                "messages": {
                    kind.__name__: _reference("messages", kind) for kind in (*REQUESTS, *FRAMES)
                },
            }
        },
        "operations": {
            "receiveRequest": {
                "action": "receive",
                "channel": {"$ref": SOCKET},
                "messages": _on_socket(REQUESTS),
                "reply": {"channel": {"$ref": SOCKET}, "messages": _on_socket(ANSWERS)},
            },
            "sendFrame": {
                "action": "send",
                "channel": {"$ref": SOCKET},
                "messages": _on_socket(FRAMES),
            },
        },
        "components": {
            "messages": {kind.__name__: _message(kind) for kind in (*REQUESTS, *FRAMES)},
            "schemas": _schemas(),
        },
    }
    return json.format(json.encode(document), indent=2).decode() + "\n"


def _reference(place: str, kind: type) -> Plain:
    return {"$ref": f"#/components/{place}/{kind.__name__}"}


def _on_socket(kinds: tuple[type, ...]) -> list[Plain]:
    return [{"$ref": f"{SOCKET}/messages/{kind.__name__}"} for kind in kinds]


def _message(kind: type) -> Plain:
    return {"name": kind.__struct_config__.tag, "payload": _reference("schemas", kind)}  # type: ignore[attr-defined]


def _schemas() -> Plain:
    _, components = json.schema_components(
        (*REQUESTS, *FRAMES), ref_template="#/components/schemas/{name}"
    )
    schemas: Plain = _simplify(components)
    return schemas


def _simplify(part: Any) -> Any:
    """In AsyncAPI a discriminator is the name of a field, where OpenAPI has an object."""
    if isinstance(part, list):
        return [_simplify(each) for each in part]
    if not isinstance(part, dict):
        return part
    return {
        key: value["propertyName"] if key == "discriminator" else _simplify(value)
        for key, value in part.items()
    }
