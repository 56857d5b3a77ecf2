"""The tables of docs/protocol.md agree with the types of noughts/messages.py."""

from __future__ import annotations

import re
from typing import Any, get_args

import msgspec
import pytest
from msgspec import inspect

from noughts import shapes
from noughts.messages import REQUEST_LIMIT, Close, Frame, Request, State
from noughts.shapes import Reason
from server.core.decide import CLAIM_AFTER, COVER_AFTER
from server.live.limits import Limits
from tests.support.serving import ROOT

TEXT = (ROOT / "docs/protocol.md").read_text(encoding="utf-8")
FIELD = re.compile(r"`(\w+)`(?: \(([^)]*)\))?")
CODE = re.compile(r"`([a-z_]+)`")


def table(first: str) -> list[list[str]]:
    """The cells of the table whose first column has this heading."""
    assert TEXT.count(f"\n| {first} |") == 1
    lines = TEXT.partition(f"\n| {first} |")[2].splitlines()[2:]
    rows = lines[: next(n for n, line in enumerate(lines) if not line.startswith("|"))]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]] for row in rows]


def names(cells: list[str]) -> list[str]:
    return [cell.strip("`") for cell in cells]


def fields(kind: Any, *, but: tuple[str, ...] = ()) -> dict[str, str]:
    """The fields of a type as in the tables: each with its default, or '' if required."""
    info = inspect.type_info(kind)
    assert isinstance(info, inspect.StructType)
    return {field.encode_name: left_out(field) for field in info.fields if field.name not in but}


def left_out(field: inspect.Field) -> str:
    if field.required:
        return ""
    if field.default is msgspec.NODEFAULT:
        return "optional"
    return msgspec.json.encode(field.default).decode()


def by_tag(union: Any) -> dict[str, Any]:
    return {str(kind.__struct_config__.tag): kind for kind in get_args(union)}


REQUESTS, FRAMES = by_tag(Request), by_tag(Frame)
COMMAND_ROWS, FRAME_ROWS = table("command"), table("frame")


def test_the_table_of_commands_has_them_all() -> None:
    assert names([row[0] for row in COMMAND_ROWS]) == list(REQUESTS)


@pytest.mark.parametrize("row", COMMAND_ROWS, ids=lambda row: row[0])
def test_a_command_has_the_documented_fields_and_defaults(row: list[str]) -> None:
    name, documented, *_ = row

    assert dict(FIELD.findall(documented)) == fields(REQUESTS[name.strip("`")], but=("id",))


def test_every_reason_is_documented_and_no_other() -> None:
    own = {reason for row in COMMAND_ROWS for reason in CODE.findall(row[3])}
    common = TEXT.partition("Every command that names a room can be refused with")[2]
    shared = set(CODE.findall(common.partition("\n\n")[0]))

    assert own | shared == {reason.value for reason in Reason}
    assert own & shared == set()


def test_the_table_of_frames_has_them_all() -> None:
    assert sorted(names([row[0] for row in FRAME_ROWS])) == sorted(FRAMES)


@pytest.mark.parametrize("row", FRAME_ROWS, ids=lambda row: row[0])
def test_a_frame_has_the_documented_fields(row: list[str]) -> None:
    name, documented, _ = row

    assert dict(FIELD.findall(documented)) == fields(FRAMES[name.strip("`")])


def test_the_table_of_a_state_has_all_its_fields() -> None:
    assert names([row[0] for row in table("field")]) == list(fields(State))


def test_the_table_of_limits_has_them_all() -> None:
    assert names([row[0] for row in table("limit")]) == list(fields(shapes.Limits))


def test_the_table_of_close_codes_has_them_all() -> None:
    assert [int(row[0]) for row in table("code")] == [close.value for close in Close]


def test_the_numbers_in_the_text_are_those_of_the_server() -> None:
    limits = Limits()
    text = " ".join(TEXT.split())

    for sentence in (
        f"offline for {COVER_AFTER // 1000} s |",
        f"offline for {CLAIM_AFTER // 1000} s of their own turn",
        f"{limits.commands_at_once} commands at once and {limits.commands_per_second:.0f} per",
        f"`connection`: it follows {limits.rooms_followed} rooms",
        f"More than {limits.connections_per_address} connections from one address",
        f"a frame of more than {REQUEST_LIMIT} bytes",
    ):
        assert sentence in text, sentence


def test_every_outcome_and_status_is_documented() -> None:
    meanings = {name.strip("`"): meaning for name, meaning in table("field")}

    assert CODE.findall(meanings["outcome"].partition("one of")[2]) == list(get_args(shapes.Ending))
    assert set(CODE.findall(meanings["status"])) == set(get_args(shapes.Status))
