"""Writes the protocol for other programs: as JSON Schema, and as types for the client.

Both come from the types of `messages.py` alone. `make schema` writes all generated files again.
"""

from __future__ import annotations

from pathlib import Path

from msgspec import inspect, json

from noughts.asyncapi import render_asyncapi
from noughts.messages import PROTOCOL, Frame, Request
from noughts.shapes import PlayedGame, ReviewedMove

ROOT = Path(__file__).parents[1]
UNIONS = {"Request": Request, "Frame": Frame}
OVER_HTTP = (PlayedGame, ReviewedMove)  # what no frame contains


def render_schema() -> str:
    """JSON Schema of both unions, and of what is told over HTTP."""
    shapes, components = json.schema_components((*UNIONS.values(), *OVER_HTTP))
    unions = shapes[: len(UNIONS)]
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Noughts, protocol {PROTOCOL}",
        "description": "A peer sends a Request, the server sends a Frame.",
        "anyOf": [{"$ref": f"#/$defs/{name}"} for name in UNIONS],
        "$defs": {**dict(zip(UNIONS, unions, strict=True)), **components},
    }
    return json.format(json.encode(schema), indent=2).decode() + "\n"


def render_declarations() -> str:
    """Types of both unions for TypeScript, in a namespace `Wire`."""
    declared: dict[str, str] = {}
    for name, union in UNIONS.items():
        declared[name] = _expression(inspect.type_info(union), declared)
    types = [f"  type {name} = {expression};\n" for name, expression in declared.items()]
    return (
        "// Written by `make schema` from noughts/messages.py. Do not edit.\n\n"
        f"declare namespace Wire {{\n{''.join(types)}}}\n"
    )


def _expression(kind: inspect.Type, declared: dict[str, str]) -> str:
    """A type as TypeScript. The structs and enums in it are added to `declared`."""
    match kind:
        case inspect.UnionType(types=kinds):
            return " | ".join(_expression(each, declared) for each in kinds)
        case inspect.ListType(item_type=item) | inspect.VarTupleType(item_type=item):
            return f"Array<{_expression(item, declared)}>"
        case inspect.StructType(cls=cls):
            if cls.__name__ not in declared:
                declared[cls.__name__] = _fields(kind, declared)
            return cls.__name__
        case inspect.EnumType(cls=cls):
            declared[cls.__name__] = " | ".join(f"'{each.value}'" for each in cls)
            return cls.__name__
        case inspect.LiteralType(values=values):
            return " | ".join(f"'{value}'" for value in values)
        case inspect.StrType():
            return "string"
        case inspect.IntType():
            return "number"
        case inspect.BoolType():
            return "boolean"
        case inspect.NoneType():
            return "null"
        case _:
            raise TypeError(f"no TypeScript for {kind}")


def _fields(struct: inspect.StructType, declared: dict[str, str]) -> str:
    lines = [] if struct.tag is None else [f"{struct.tag_field}: '{struct.tag}'"]
    for field in struct.fields:
        mark = "" if field.required else "?"
        lines.append(f"{field.encode_name}{mark}: {_expression(field.type, declared)}")
    return "{\n" + "".join(f"    {line};\n" for line in lines) + "  }"


FILES = {
    ROOT / "docs/protocol.schema.json": render_schema,
    ROOT / "docs/asyncapi.json": render_asyncapi,
    ROOT / "tests/client/messages.d.ts": render_declarations,
}

if __name__ == "__main__":
    for path, render in FILES.items():
        path.write_text(render(), encoding="utf-8")
