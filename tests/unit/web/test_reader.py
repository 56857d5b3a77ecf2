"""Frames by hand, by chance, and against another implementation: however they are cut."""

from __future__ import annotations

import os
import struct
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.frames import Frame, Opcode
from websockets.protocol import Protocol, Side

from server.web.reader import Message, Reader, close_frame
from server.wire.closing import Closing
from tests.support.bare import (
    BINARY,
    CLOSE,
    CONTINUATION,
    FIN,
    MASK,
    PING,
    PONG,
    TEXT,
    closing,
    frame,
)

LARGEST = 300

Read = tuple[list[Message], int | None]  # the messages, and the code at the end of them


def read(*chunks: bytes, reader: Reader | None = None) -> Read:
    """All there is to read in these, and how it ended."""
    reader = reader or Reader(LARGEST)
    messages: list[Message] = []
    for chunk in chunks:
        reader.feed(chunk)
        try:
            while (message := reader.read()) is not None:
                messages.append(message)
        except Closing as end:
            return messages, end.code
    return messages, None


kinds = st.sampled_from((TEXT, TEXT, TEXT, TEXT, PING, PONG, BINARY, CONTINUATION, CLOSE))
payloads = st.one_of(
    st.binary(max_size=130), st.sampled_from((125, 126, 127, LARGEST, LARGEST + 1)).map(os.urandom)
)
frames = st.builds(
    lambda kind, payload, first, mask: frame(kind, payload, first=first, mask=mask),
    kinds,
    payloads,
    st.sampled_from((FIN, FIN, FIN, FIN, 0, FIN | 0x40)),
    st.sampled_from((True, True, True, True, False)),
)


@given(st.lists(frames, max_size=8), st.lists(st.integers(0, 400), max_size=6))
def test_nothing_is_lost_doubled_or_overtaken_however_it_is_cut(
    script: list[bytes], cuts: list[int]
) -> None:
    stream = b"".join(script)
    places = sorted({0, *(cut % (len(stream) + 1) for cut in cuts), len(stream)})

    in_pieces = read(*(stream[start:end] for start, end in pairwise(places)))

    assert in_pieces == read(stream)
    assert in_pieces == read(*(bytes((byte,)) for byte in stream))


@given(
    st.lists(
        st.one_of(
            st.tuples(st.just(TEXT), st.lists(st.binary(max_size=100), min_size=1, max_size=3)),
            st.tuples(st.just(BINARY), st.lists(st.binary(max_size=99), min_size=1, max_size=2)),
            st.tuples(st.sampled_from((PING, PONG)), st.lists(st.binary(max_size=125), max_size=1)),
        ),
        max_size=6,
    )
)
def test_another_implementation_reads_the_same(script: list[tuple[int, list[bytes]]]) -> None:
    stream = b"".join(fragmented(kind, parts or [b""]) for kind, parts in script)
    other = Protocol(Side.SERVER, max_size=LARGEST)

    other.receive_data(stream)

    theirs: list[Message] = []
    for event in other.events_received():
        assert isinstance(event, Frame)
        if event.opcode is Opcode.CONT:
            theirs[-1] = theirs[-1][0], theirs[-1][1] + bytes(event.data)
        else:
            theirs.append((int(event.opcode), bytes(event.data)))
    assert read(stream) == (theirs, None)


def fragmented(kind: int, parts: list[bytes]) -> bytes:
    last = len(parts) - 1
    return b"".join(
        frame(CONTINUATION if number else kind, part, first=FIN if number == last else 0)
        for number, part in enumerate(parts)
    )


def test_fragments_are_joined_and_control_frames_may_come_between_them() -> None:
    stream = [
        frame(TEXT, b"one ", first=0),
        frame(PING, b"there?"),
        frame(CONTINUATION, b"", first=0),
        frame(CONTINUATION, b"text"),
        frame(TEXT, b"another"),
    ]

    assert read(*stream) == ([(PING, b"there?"), (TEXT, b"one text"), (TEXT, b"another")], None)


@pytest.mark.parametrize(
    ("code", "broken"),
    [
        (1002, [frame(TEXT, b"x", first=FIN | 0x40)]),
        (1002, [frame(PING, b"x", first=FIN | 0x10)]),
        (1002, [frame(3, b"x")]),
        (1002, [frame(15)]),
        (1002, [frame(PING, b"x", first=0)]),
        (1002, [frame(PONG, bytes(126))]),
        (1002, [frame(PONG, bytes(65_536))]),
        (1002, [frame(CONTINUATION, b"x")]),
        (1002, [frame(TEXT, b"x", first=0), frame(TEXT, b"x")]),
        (1002, [frame(TEXT, b"x", first=0), frame(BINARY, b"x", first=0)]),
        (1009, [frame(TEXT, bytes(LARGEST + 1))]),
        (1009, [frame(BINARY, bytes(LARGEST + 1))]),
        (1009, [frame(TEXT, bytes(LARGEST), first=0), frame(CONTINUATION, b"x", first=0)]),
        (1009, [struct.pack("!BBQ", FIN | TEXT, 0x80 | 127, 2**64 - 1)]),
        (1002, [frame(CLOSE, b"\x03")]),
        (1002, [closing(999)]),
        (1002, [closing(1004)]),
        (1002, [closing(1005)]),
        (1002, [closing(1006)]),
        (1002, [closing(1015)]),
        (1002, [closing(2999)]),
        (1007, [closing(1000, b"\xff")]),
        (1000, [closing(1000, "für immer".encode())]),
        (1000, [closing(1001)]),
        (1000, [closing(1014)]),
        (1000, [closing(4999)]),
        (1000, [frame(CLOSE)]),
    ],
)
def test_what_ends_a_connection_has_its_code_and_nothing_is_read_behind_it(
    code: int, broken: list[bytes]
) -> None:
    reader = Reader(LARGEST)
    usual = frame(TEXT, b"usual")

    assert read(usual, *broken, reader=reader) == ([(TEXT, b"usual")], code)

    assert reader.is_over
    assert read(usual, usual, reader=reader) == ([], None)
    assert (reader.held, reader.is_fresh) == (0, False)


def test_the_largest_message_and_a_frame_without_a_mask_are_read() -> None:
    largest = os.urandom(LARGEST)
    eight_bytes = struct.pack("!BBQ", FIN | TEXT, 0x80 | 127, 2) + MASK + b"\x32\x69"

    assert read(frame(TEXT, largest)) == ([(TEXT, largest)], None)
    assert read(fragmented(TEXT, [largest[:200], largest[200:]])) == ([(TEXT, largest)], None)
    assert read(frame(TEXT, b"bare", mask=False)) == ([(TEXT, b"bare")], None)
    assert read(eight_bytes) == ([(TEXT, b"hi")], None)


def test_it_is_fresh_between_messages_only_and_knows_what_it_holds() -> None:
    reader = Reader(LARGEST)
    assert reader.is_fresh

    for chunk in (frame(TEXT, b"begun", first=0), frame(CONTINUATION)[:1]):
        read(chunk, reader=reader)
        assert not reader.is_fresh
    read(frame(CONTINUATION)[1:], reader=reader)
    assert reader.is_fresh

    reader.feed(frame(TEXT, b"one") * 3)
    assert (reader.held, reader.is_fresh) == (27, False)
    reader.read()
    assert (reader.held, reader.is_fresh) == (18, False)


def test_our_close_frame_is_one() -> None:
    assert close_frame(1008, "no hello") == b"\x88\x0a\x03\xf0no hello"
    assert close_frame(1000, "") == b"\x88\x02\x03\xe8"
