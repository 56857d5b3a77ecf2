"""Every message survives encoding and decoding; frames may have unknown fields, requests not."""

from __future__ import annotations

import json
import re
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET, inspect

from noughts.messages import (
    PHRASES,
    Accepted,
    Create,
    Frame,
    Ping,
    Play,
    Refused,
    Request,
    decode_frame,
    decode_request,
    encode,
)
from noughts.shapes import Reason, WantedClock, WantedHolder

REQUESTS: tuple[type[Request], ...] = get_args(Request)
FRAMES: tuple[type[Frame], ...] = get_args(Frame)

few = settings(max_examples=20, deadline=None)


def tag(kind: type[Request | Frame]) -> str:
    return str(kind.__struct_config__.tag)


def values(kind: inspect.Type) -> st.SearchStrategy[Any]:
    """Any value that a field of this type may hold."""
    match kind:
        case inspect.UnionType(types=kinds):
            return st.one_of([values(each) for each in kinds])
        case inspect.StructType(cls=cls) if cls is WantedHolder:
            texts = st.text(st.characters(exclude_categories=["Cs"]))
            return st.builds(cls, ai=texts) | st.builds(cls, me=texts)
        case inspect.StructType(cls=cls, fields=fields):
            return st.builds(cls, **{field.name: value_of(field) for field in fields})
        case inspect.ListType(item_type=item):
            return st.lists(values(item), max_size=3)
        case inspect.VarTupleType(item_type=item):
            return st.lists(values(item), max_size=3).map(tuple)
        case inspect.LiteralType(values=literals):
            return st.sampled_from(literals)
        case inspect.EnumType(cls=enum):
            return st.sampled_from(enum)
        case inspect.StrType(pattern=str(pattern)):
            return st.from_regex(re.compile(pattern, re.ASCII), fullmatch=True)
        case inspect.StrType(max_length=longest):
            return st.text(st.characters(exclude_categories=["Cs"]), max_size=longest)
        case inspect.IntType(ge=least, le=most):
            return st.integers(-(2**63) if least is None else least, most or 2**63)
        case inspect.BoolType():
            return st.booleans()
        case inspect.NoneType():
            return st.none()
        case _:
            raise AssertionError(kind)


def value_of(field: inspect.Field) -> st.SearchStrategy[Any]:
    """Any value of a field, or `UNSET` where that is the default."""
    is_optional = not field.required and field.default is msgspec.NODEFAULT
    return values(field.type) | st.just(UNSET) if is_optional else values(field.type)


ANY = {kind: values(inspect.type_info(kind)) for kind in REQUESTS + FRAMES}


@few
@pytest.mark.parametrize("kind", REQUESTS, ids=tag)
@given(data=st.data())
def test_a_request_is_read_as_it_was_sent(kind: type[Request], data: st.DataObject) -> None:
    request = data.draw(ANY[kind])

    assert decode_request(encode(request)) == request


@few
@pytest.mark.parametrize("kind", FRAMES, ids=tag)
@given(data=st.data())
def test_a_frame_is_read_as_it_was_sent(kind: type[Frame], data: st.DataObject) -> None:
    frame = data.draw(ANY[kind])

    assert decode_frame(encode(frame)) == frame


@few
@pytest.mark.parametrize("kind", REQUESTS, ids=tag)
@given(data=st.data())
def test_a_request_with_an_unknown_field_is_an_error(
    kind: type[Request], data: st.DataObject
) -> None:
    plain = json.loads(encode(data.draw(ANY[kind])))

    with pytest.raises(msgspec.ValidationError, match="unknown field `new`"):
        decode_request(json.dumps({**plain, "new": 1}).encode())


def with_more(plain: Any) -> Any:
    """The same value with an unknown field in each of its objects."""
    if isinstance(plain, dict):
        return {**{key: with_more(value) for key, value in plain.items()}, "new": [1]}
    return [with_more(each) for each in plain] if isinstance(plain, list) else plain


@few
@pytest.mark.parametrize("kind", FRAMES, ids=tag)
@given(data=st.data())
def test_unknown_fields_of_a_frame_are_ignored(kind: type[Frame], data: st.DataObject) -> None:
    frame = data.draw(ANY[kind])

    newer = json.dumps(with_more(json.loads(encode(frame)))).encode()

    assert decode_frame(newer) == frame


def test_each_direction_reads_only_its_own_messages() -> None:
    with pytest.raises(msgspec.ValidationError):
        decode_request(encode(Accepted(7)))
    with pytest.raises(msgspec.ValidationError):
        decode_frame(encode(Ping()))


def test_the_message_of_a_type_has_one_name_in_each_direction() -> None:
    assert len(set(map(tag, REQUESTS))) == len(REQUESTS) == 18
    assert len(set(map(tag, FRAMES))) == len(FRAMES) == 12


def test_a_field_that_is_not_set_is_not_sent() -> None:
    assert encode(Accepted(None)) == b'{"type":"accepted","re":null}'
    assert encode(Ping()) == b'{"type":"ping"}'
    assert encode(Play(room="r", cell=4, ply=0)) == (b'{"type":"play","room":"r","cell":4,"ply":0}')


def test_create_has_a_value_for_everything() -> None:
    assert decode_request(b'{"type":"create"}') == Create()
    assert decode_request(b'{"type":"create","clock":{"budget":5000}}') == Create(
        clock=WantedClock(5_000, 0)
    )


@pytest.mark.parametrize("reason", Reason)
def test_a_reason_travels_as_its_code(reason: Reason) -> None:
    text = encode(Refused(None, reason, ""))

    assert json.loads(text)["reason"] == reason.value
    assert decode_frame(text) == Refused(None, reason, "")


def test_phrases_are_codes_that_any_language_can_translate() -> None:
    assert all(re.fullmatch("[a-z_]+", phrase) for phrase in PHRASES)
    assert len(set(PHRASES)) == len(PHRASES)
