"""Frames from a newer server: what is new is ignored, and no answer is lost."""

from __future__ import annotations

import logging

import pytest

from noughts.messages import Pong, Refused
from noughts.reading import read_frame


def test_unknown_types_and_fields_are_ignored() -> None:
    assert read_frame(b'{"type":"fireworks","at":7}') is None
    assert read_frame(b'{"type":"pong","re":1,"now":2,"mood":"good"}') == Pong(1, 2)


def test_a_refusal_for_a_new_reason_is_a_refusal() -> None:
    frame = read_frame(b'{"type":"refused","re":3,"reason":"asleep","text":"Wake me."}')

    assert isinstance(frame, Refused)
    assert (frame.re, frame.reason, frame.text) == (3, "asleep", "Wake me.")


def test_an_answer_that_cannot_be_read_says_so() -> None:
    frame = read_frame(b'{"type":"pong","re":3,"now":"later"}')

    assert isinstance(frame, Refused)
    assert (frame.re, frame.reason) == (3, "unreadable")
    assert "newer version" in frame.text


@pytest.mark.parametrize(
    "data", [b'{"type":"presence","room":7}', b"{", b"\xff", b"7", b'{"type":7}']
)
def test_what_cannot_be_read_is_no_reason_to_stop(
    data: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        assert read_frame(data) is None
