"""Nothing is lost, doubled or overtaken, whatever way it takes."""

from __future__ import annotations

import asyncio
import os
from itertools import accumulate, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.web.shortway import ShortWay
from tests.support.bare import BINARY, CLOSE, CONTINUATION, FIN, PING, PONG, TEXT, frame

LARGEST = 300
HANDSHAKE = b"GET /ws HTTP/1.1\r\n\r\n"


class Handler(asyncio.Protocol):
    """Stands for aiohttp's: keeps what reaches it, between what was taken before."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, bytes]] = []
        self.wants = True

    def data_received(self, data: bytes) -> None:
        self.seen.append(("passed on", data))

    def take(self, text: bytes) -> bool:
        if self.wants:
            self.seen.append(("taken", text))
        return self.wants

    def lost(self) -> None:
        self.seen.append(("lost", b""))

    def connection_lost(self, exc: Exception | None) -> None:
        self.seen.append(("passed on the end", b""))

    @property
    def passed_on(self) -> bytes:
        return b"".join(data for how, data in self.seen if how == "passed on")

    @property
    def taken(self) -> list[bytes]:
        return [data for how, data in self.seen if how == "taken"]


def opened(handshake: bytes = HANDSHAKE) -> tuple[ShortWay, Handler]:
    handler = Handler()
    way = ShortWay(handler)
    way.data_received(handshake)
    way.open(handler.take, handler.lost, LARGEST)
    handler.seen.clear()
    return way, handler


kinds = st.sampled_from((TEXT, TEXT, TEXT, TEXT, PING, PONG, BINARY, CONTINUATION, CLOSE))
payloads = st.one_of(
    st.binary(max_size=130), st.sampled_from((125, 126, 127, LARGEST, LARGEST + 1)).map(os.urandom)
)
frames = st.tuples(
    kinds,
    payloads,
    st.sampled_from((FIN, FIN, FIN, FIN, 0, FIN | 0x40)),
    st.sampled_from((True, True, True, True, False)),
)


@given(st.lists(frames, max_size=8), st.lists(st.integers(0, 400), max_size=6), st.data())
def test_all_arrives_in_order_however_it_is_cut(
    script: list[tuple[int, bytes, int, bool]], cuts: list[int], data: st.DataObject
) -> None:
    made = [frame(kind, text, first=first, mask=mask) for kind, text, first, mask in script]
    stream = b"".join(made)
    begins = dict(zip(accumulate(map(len, made), initial=0), range(len(made)), strict=False))
    way, handler = opened()

    for start, end in pairwise(
        sorted({0, *(cut % (len(stream) + 1) for cut in cuts), len(stream)})
    ):
        handler.wants = data.draw(st.booleans())
        way.data_received(stream[start:end])

    at = 0
    for how, what in handler.seen:
        if how == "passed on":
            assert stream[at : at + len(what)] == what
            at += len(what)
        else:
            kind, text, first, is_masked = script[begins[at]]
            assert (kind, text, first, is_masked) == (TEXT, what, FIN, True)
            assert len(what) <= LARGEST
            at += len(made[begins[at]])
    assert at == len(stream)


def test_short_texts_are_taken_also_several_in_one_read_and_between_pings() -> None:
    way, handler = opened()

    way.data_received(frame(TEXT, b"one"))
    way.data_received(frame(TEXT, b"two") + frame(PONG, b"x" * 125) + frame(TEXT, b"three"))
    way.data_received(frame(TEXT, b"4" * LARGEST))

    assert handler.taken == [b"one", b"two", b"three", b"4" * LARGEST]
    assert handler.passed_on == frame(PONG, b"x" * 125)


@pytest.mark.parametrize(
    "unusual",
    [
        frame(TEXT, b"in two halves")[:5],
        frame(TEXT, b"begun", first=0),
        frame(TEXT, b"not masked", mask=False),
        frame(TEXT, b"x" * (LARGEST + 1)),
        frame(CLOSE),
        frame(BINARY, b"x"),
        frame(PING, b"x" * 126),
        frame(TEXT, b"{}") * 50,
        frame(TEXT)[:1],
        b"\x81\xff" + (200).to_bytes(8) + bytes(204),
    ],
    ids=["half", "begun", "bare", "long", "end", "binary", "ping", "many", "byte", "eight bytes"],
)
def test_from_the_first_unusual_byte_on_everything_goes_the_long_way(unusual: bytes) -> None:
    way, handler = opened()
    rest = [frame(TEXT, b"one more"), frame(TEXT, b"and another")]

    way.data_received(frame(TEXT, b"usual"))
    way.data_received(unusual)
    for one in rest:
        way.data_received(one)

    assert handler.taken == [b"usual"]
    assert handler.passed_on == unusual + b"".join(rest)


def test_what_is_not_wanted_now_goes_the_long_way_and_the_next_may_be_taken() -> None:
    way, handler = opened()
    handler.wants = False
    way.data_received(frame(TEXT, b"wait"))
    way.data_received(frame(TEXT, b"wait") + frame(TEXT, b"too"))
    handler.wants = True
    way.data_received(frame(TEXT, b"now"))

    assert handler.passed_on == frame(TEXT, b"wait") * 2 + frame(TEXT, b"too")
    assert handler.taken == [b"now"]


@pytest.mark.parametrize("behind", [frame(TEXT, b"early"), frame(TEXT, b"early")[:3]])
def test_who_does_not_wait_for_the_handshake_goes_the_long_way(behind: bytes) -> None:
    way, handler = opened(HANDSHAKE + behind)

    way.data_received(frame(TEXT, b"later"))

    assert handler.taken == []
    assert handler.passed_on == frame(TEXT, b"later")


def test_before_it_is_opened_and_after_the_end_nothing_is_taken() -> None:
    handler = Handler()
    way = ShortWay(handler)
    way.data_received(frame(TEXT, b"\r\n\r\n"))
    assert handler.taken == []

    way, handler = opened()
    way.connection_lost(None)
    way.data_received(frame(TEXT, b"late"))
    assert handler.taken == []


@pytest.mark.parametrize("handshake", [HANDSHAKE, HANDSHAKE + b"early"])
def test_the_end_is_heard_of_before_aiohttp_does_anything_about_it(handshake: bytes) -> None:
    way, handler = opened(handshake)

    way.connection_lost(None)

    assert [how for how, _ in handler.seen] == ["lost", "passed on the end"]
