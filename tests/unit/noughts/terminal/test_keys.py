"""Bytes from terminals as names of keys, also in pieces."""

from __future__ import annotations

import pytest

from noughts.terminal.keys import KeyReader


@pytest.mark.parametrize(
    ("data", "keys"),
    [
        (b"5r?", ["5", "r", "?"]),
        (b"\x1b[A\x1b[B\x1b[C\x1b[D", ["up", "down", "right", "left"]),
        (b"\x1bOA\x1bOD", ["up", "left"]),  # in application mode
        (b"\x1b[1;5C", ["right"]),  # with Ctrl
        (b"\x1bOu\x1bOM", ["5", "enter"]),  # of a keypad
        (b"\x1b[H\x1b[4~", ["home", "end"]),
        (b"\r\n \t\x7f", ["enter", "enter", "space", "tab", "backspace"]),
        (b"\x03\x04\x0c", ["interrupt", "end of input", "redraw"]),
        ("é愛".encode(), ["é", "愛"]),
        (b"\x1b[200~5\x1b[201~", ["5"]),  # pasted
        (b"\x00\x01\x1b[99~", []),  # nothing that we know
        (b"\xff5", ["�", "5"]),
        (b"\x1b5", ["escape", "5"]),
    ],
)
def test_bytes_are_keys(data: bytes, keys: list[str]) -> None:
    reader = KeyReader()

    assert reader.feed(data) == keys
    assert not reader.waits


@pytest.mark.parametrize("data", [b"\x1b[A5\x1bOB", b"\x1b[1;5C", "5é愛".encode()])
def test_a_key_may_arrive_byte_by_byte(data: bytes) -> None:
    whole, reader = KeyReader().feed(data), KeyReader()

    assert [key for byte in data for key in reader.feed(bytes([byte]))] == whole


def test_escape_alone_is_a_key_once_nothing_follows() -> None:
    reader = KeyReader()

    assert reader.feed(b"\x1b") == []
    assert reader.waits
    assert reader.flush() == ["escape"]
    assert reader.flush() == []
    assert reader.feed(b"[A") == ["[", "A"]
